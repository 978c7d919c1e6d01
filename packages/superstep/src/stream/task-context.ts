import type { TaskEvent } from "./trace-event.ts";

/**
 * What a running task offers to the models and tools called inside it. The engine provides it;
 * layers that know nothing of the engine read it, given explicitly or from the ambient context.
 */
export interface TaskContext {
  /** Aborted when the run is cancelled or a task beside this one has failed. */
  readonly signal: AbortSignal;
  /** Whether somebody reads the tokens of models. */
  readonly wantsMessages: boolean;
  /**
   * Streams a piece of a message. Returns a promise when the reader has fallen behind: whoever
   * produces awaits it before the next piece.
   */
  readonly emitMessage: (chunk: MessagePiece) => Promise<void> | undefined;
  /** Keeps a message out of the stream, though a node writes it to the state. */
  readonly silence: (messageId: string) => void;
  /** Tags of the run. A model call tagged `nostream` keeps its tokens to itself. */
  readonly tags: readonly string[];
  /** Tells the trace of the run; `undefined` when nobody follows it, and then no event is made. */
  readonly trace: ((event: TaskEvent) => void) | undefined;
}

/** A whole message, or a piece of one; pieces of one message share its id. */
export interface MessagePiece {
  readonly message: object;
  /** Tags of the call that made it. */
  readonly tags?: readonly string[];
}

interface Storage {
  run<Result>(context: TaskContext, body: () => Result): Result;
  getStore(): TaskContext | undefined;
}

interface AsyncHooks {
  readonly AsyncLocalStorage: new () => Storage;
}

// Taken at run time where the platform has it, so that the core loads without node: modules.
const host = globalThis as {
  readonly process?: { readonly getBuiltinModule?: (id: string) => AsyncHooks | undefined };
};
const hooks = host.process?.getBuiltinModule?.("node:async_hooks");
const storage: Storage | undefined = hooks && new hooks.AsyncLocalStorage();

/** Runs `body` so that `currentTask()` gives `context` inside it, also after awaits. */
export function withinTask<Result>(context: TaskContext, body: () => Result): Result {
  return storage ? storage.run(context, body) : body();
}

/** The context of the task that is running here; `undefined` outside any, or without async hooks. */
export function currentTask(): TaskContext | undefined {
  return storage?.getStore();
}
