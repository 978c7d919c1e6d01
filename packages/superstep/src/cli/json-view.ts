import { inspect } from "node:util";
import { errorMessage, SuperstepError } from "../errors/errors.ts";
import type { TraceEvent } from "../stream/trace-event.ts";
import type { CommandLine } from "./arguments.ts";
import { codeOf, print } from "./output.ts";
import { UsageCount, type View } from "./view.ts";

/** For programs: one event a line, as JSON. */
export function jsonView({ trace }: CommandLine["options"]): View {
  const usage = new UsageCount();
  return {
    trace: (event) => {
      const tool = toolEvent(event);
      if (tool) emit(tool);
      if (trace !== undefined) emit({ type: "trace", event });
    },
    message: (message, { langgraph_node }) => {
      usage.saw(message);
      if (message.type !== "ai" || message.text === "") return;
      emit({ type: "token", text: message.text, node: langgraph_node, id: message.id });
    },
    update: (update) => {
      usage.add(update);
      for (const [node, value] of Object.entries(update))
        emit({ type: "update", node, update: value });
    },
    done: ({ thread, answer, state }) => {
      const { sum } = usage;
      if (sum) emit({ type: "usage", ...sum });
      emit({
        type: "end",
        status: "done",
        thread,
        ...(answer === undefined ? { state } : { answer }),
      });
    },
    failed: emitError,
    cancelled: (thread) => emit({ type: "end", status: "cancelled", thread }),
  };
}

function emitError(error: unknown): void {
  const fix = error instanceof SuperstepError ? error.fix : undefined;
  emit({ type: "error", code: codeOf(error), message: errorMessage(error), fix });
}

/** What a graph writes can be anything; what JSON cannot say must not end the run. */
function emit(event: object): void {
  let line: string;
  try {
    line = JSON.stringify(event, plainErrors);
  } catch {
    const shown = Object.entries(event).map(([key, value]) => [key, asPlain(value)] as const);
    line = JSON.stringify(Object.fromEntries(shown));
  }
  print(line);
}

/** Itself, or a text that shows it. */
function asPlain(value: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(value, plainErrors) ?? "null");
  } catch {
    return inspect(value);
  }
}

function toolEvent(event: TraceEvent): object | undefined {
  if (event.type === "tool_start") {
    const { id, name, args } = event.call;
    return { type: "tool_start", id, name, args };
  }
  if (event.type !== "tool_end") return undefined;
  const { call, status, duration, result } = event;
  const { content } = (result ?? {}) as { readonly content?: unknown };
  return {
    type: "tool_end",
    id: call.id,
    name: call.name,
    status,
    duration: Math.round(duration),
    content,
  };
}

/** JSON has neither errors nor big numbers; both would be lost or stop the line. */
function plainErrors(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return value.toString();
  if (!(value instanceof Error)) return value;
  return { name: value.name, code: codeOf(value), message: value.message };
}
