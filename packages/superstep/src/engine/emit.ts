import { errorMessage } from "../errors/errors.ts";
import { warnOnce } from "../errors/warn.ts";
import { packEvent } from "../stream/pack-event.ts";
import type { MessagePiece, TaskContext } from "../stream/task-context.ts";
import type { RunEvent, TaskEvent } from "../stream/trace-event.ts";
import type { Plan } from "./plan.ts";
import type { Run } from "./run.ts";
import type { Task } from "./task.ts";

// What a task streams while it runs. After it has ended, or the run was cancelled, it reaches nobody.

/** Tells the trace what happened in a task, or in the run itself. */
export function tell(run: Run, task: Task | undefined, event: TaskEvent | RunEvent): void {
  if (run.thread && task) {
    const packed = packEvent(event);
    if (packed) task.events.push(packed);
  }
  const { trace } = run.settings;
  if (!trace) return;
  const failed = (error: unknown): void => {
    warnOnce(trace, `A subscriber of the trace threw, and the run goes on: ${errorMessage(error)}`);
  };
  try {
    const told: unknown = trace({
      ...event,
      time: Date.now(),
      step: run.step,
      node: task?.node.name,
    });
    if (told instanceof Promise) told.catch(failed); // an async function is no better informed
  } catch (error) {
    failed(error);
  }
}

/** Tells what a task has written to the state, before its conditional edges are asked. */
export function tellUpdate(run: Run, task: Task): void {
  const keys = new Set<string>();
  for (const { channel } of task.writes) {
    const { name, isState } = run.plan.channels[channel]!;
    if (isState) keys.add(name);
  }
  const update = run.settings.trace ? updateOf(run.plan, task) : undefined;
  tell(run, task, { type: "update", keys: [...keys], update });
}

/** What a task wrote to the state; a list of single writes when it wrote a key more than once. */
export function updateOf(plan: Plan, task: Task): unknown {
  const writes: [key: string, value: unknown][] = [];
  for (const { channel, value } of task.writes) {
    const { name, isState } = plan.channels[channel]!;
    if (isState) writes.push([name, value]);
  }
  const update = Object.fromEntries(writes);
  if (Object.keys(update).length === writes.length) return update;
  return writes.map(([key, value]) => ({ [key]: value }));
}

export function emitCustom(run: Run, task: Task, chunk: unknown): void {
  if (isHeard(run, task, "custom")) run.stream!.queue.push({ mode: "custom", payload: chunk });
}

/** What the models and tools that a task calls need of it. */
export function taskContext(run: Run, task: Task): TaskContext {
  return {
    signal: run.abort.signal,
    tags: run.settings.tags,
    wantsMessages: run.stream?.modes.has("messages") || run.outer?.wantsMessages || false,
    emitMessage(piece) {
      const own = emitMessage(run, task, piece);
      const outer = run.outer?.emitMessage(piece);
      return own && outer ? Promise.all([own, outer]).then(() => undefined) : (own ?? outer);
    },
    trace: run.isTraced ? (event) => tell(run, task, event) : undefined,
    silence: (id) => {
      run.stream?.streamed.add(id);
      run.outer?.silence(id);
    },
  };
}

function emitMessage(run: Run, task: Task, piece: MessagePiece): Promise<void> | undefined {
  if (!isHeard(run, task, "messages")) return undefined;
  const { queue, streamed } = run.stream!;
  const id = messageId(piece.message);
  if (id !== undefined) streamed.add(id);
  const payload = [piece.message, messageMetadata(run, task, piece.tags)];
  queue.push({ mode: "messages", payload });
  return queue.room();
}

function isHeard(run: Run, task: Task, mode: "custom" | "messages"): boolean {
  return (
    run.stream !== undefined &&
    run.stream.modes.has(mode) &&
    task.status === "running" &&
    !run.abort.signal.aborted
  );
}

/** What all streamed messages have; `isAIMessageChunk` and its like tell them apart. */
export interface StreamedMessage {
  readonly type: string;
  /** The same for all pieces of a message, and for the message in the state. */
  readonly id?: string | undefined;
  /** The text in it: "" for a piece of a tool call. */
  readonly text: string;
  readonly content:
    | string
    | readonly { readonly type: string; readonly [field: string]: unknown }[];
  readonly name?: string | undefined;
  /** Pieces of calls, in a piece of an answer; a call is whole when its answer is. */
  readonly tool_call_chunks?: readonly ToolCallPiece[];
  /** The call that a result of a tool answers, and how it went. */
  readonly tool_call_id?: string;
  readonly status?: "success" | "error";
}

interface ToolCallPiece {
  readonly id?: string | undefined;
  readonly index?: number | undefined;
  readonly name?: string | undefined;
  readonly args?: string | undefined;
}

export function messageId(message: object): string | undefined {
  return "id" in message && typeof message.id === "string" ? message.id : undefined;
}

/** Where a streamed message comes from, under the names that LangGraph.js gives. */
export interface MessageMetadata {
  readonly langgraph_node: string;
  readonly langgraph_step: number;
  readonly tags: readonly string[];
  readonly [key: string]: unknown;
}

export function messageMetadata(
  run: Run,
  task: Task,
  tags: readonly string[] = [],
): MessageMetadata {
  return {
    ...run.settings.metadata,
    langgraph_node: task.node.name,
    langgraph_step: run.step,
    tags: tags.length > 0 ? [...run.settings.tags, ...tags] : run.settings.tags,
  };
}
