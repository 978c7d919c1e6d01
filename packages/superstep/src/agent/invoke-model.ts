import type { Runtime } from "../engine/runtime.ts";
import { coerceMessage } from "../message/coerce.ts";
import type { Runnable } from "../runnable/runnable.ts";
import type { TaskContext } from "../stream/task-context.ts";
import type { TaskEvent } from "../stream/trace-event.ts";
import { boundToolChoice, boundToolNames, modelLabel } from "./binding.ts";

/** Where a call of the model tells what happens; `undefined` when nobody follows. */
export type Trace = TaskContext["trace"];

/** One call of the model, with what goes in and what comes out told to the trace. */
export async function invokeModel(model: Runnable, call: ModelCall): Promise<unknown> {
  const { input, runtime, trace, tools } = call;
  if (!trace) return model.invoke(input as never, runtime);
  const messages: readonly unknown[] = Array.isArray(input) ? input : [input];
  trace({
    type: "model_request",
    messages: messages.length,
    types: typesOf(messages),
    tools: boundToolNames(model) ?? tools ?? [],
    toolChoice: boundToolChoice(model) ?? "auto",
  });
  const begun = performance.now();
  const answer = await model.invoke(input as never, runtime);
  trace(outputOf(answer, performance.now() - begun));
  return answer;
}

export interface ModelCall {
  /** Messages in any form that models take. */
  readonly input: unknown;
  readonly runtime: Runtime;
  readonly trace: Trace;
  /** What was bound to a model that does not tell. */
  readonly tools?: readonly string[];
}

/** The third gate: which model it is that is called. */
export function tellModel(trace: Trace, model: Runnable): void {
  if (trace) trace({ type: "gate", gate: "model", model: modelLabel(model) });
}

/** A long conversation is sent again and again, so only its ends are told. */
const atEachEnd = 12;

function typesOf(messages: readonly unknown[]): readonly string[] {
  if (messages.length <= 2 * atEachEnd + 1) return messages.map(typeOf);
  const [first, last] = [messages.slice(0, atEachEnd), messages.slice(-atEachEnd)];
  return [...first.map(typeOf), "...", ...last.map(typeOf)];
}

function typeOf(message: unknown): string {
  try {
    return coerceMessage(message).type;
  } catch {
    return "unknown"; // what it is good for is for the model to say
  }
}

function outputOf(answer: unknown, duration: number): TaskEvent {
  const message = coerceMessage(answer);
  let textLength = 0;
  for (const _ of message.text) textLength++;
  return {
    type: "model_output",
    textLength,
    toolCalls: message.type === "ai" ? message.tool_calls.length : 0,
    invalidToolCalls: message.type === "ai" ? message.invalid_tool_calls.length : 0,
    duration,
  };
}
