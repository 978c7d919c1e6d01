import { hash128 } from "../ids/hash.ts";
import type { ToolCall } from "../message/types.ts";
import { currentTask } from "../stream/task-context.ts";

/** What surrounds a call of a tool. All of it is optional; a node's runtime fits. */
export interface ToolConfig {
  readonly signal?: AbortSignal | undefined;
  readonly state?: unknown;
  readonly context?: unknown;
  readonly store?: unknown;
  readonly writer?: ((chunk: unknown) => void) | undefined;
  readonly configurable?: Readonly<Record<string, unknown>> | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  readonly tags?: readonly string[] | undefined;
  /** Default: made of the place in the thread and the id of the call, where a saver keeps the run. */
  readonly idempotencyKey?: string | undefined;
  readonly executionInfo?:
    | { readonly threadId?: string | undefined; readonly checkpointId?: string | undefined }
    | undefined;
}

/** What a tool gets as its second argument. */
export interface ToolRuntime<State = unknown, Context = unknown> {
  /** Aborted when the run is cancelled or a call beside this one has failed. */
  readonly signal: AbortSignal;
  /** The call of the model; `undefined` when the tool was invoked with plain arguments. */
  readonly toolCall: ToolCall | undefined;
  readonly toolCallId: string | undefined;
  /** The state of the graph as the tools node reads it; not to be changed. */
  readonly state: State;
  /** What the run was given as `context`. */
  readonly context: Context;
  /** The long-term memory of the graph, if it has one. */
  readonly store: unknown;
  /** Writes to the `custom` stream; without a reader it does nothing. */
  readonly writer: (chunk: unknown) => void;
  /** The caller's values, as given in the run's options. */
  readonly configurable: Readonly<Record<string, unknown>>;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly tags: readonly string[];
  /**
   * The same for every attempt of one call, also after a crash: hand it to services that refuse to do
   * a thing twice. `undefined` when no saver keeps the run.
   */
  readonly idempotencyKey: string | undefined;
}

const nothing: Readonly<Record<string, never>> = Object.freeze({});
const noTags: readonly string[] = Object.freeze([]);
const ignore = (): void => {};

/** The runtime for one call: what `config` gives; else the signal of the task that runs here. */
export function toolRuntime(config: ToolConfig, toolCall: ToolCall | undefined): ToolRuntime {
  return {
    signal: config.signal ?? currentTask()?.signal ?? new AbortController().signal,
    toolCall,
    toolCallId: toolCall?.id,
    state: config.state,
    context: config.context,
    store: config.store,
    writer: config.writer ?? ignore,
    configurable: config.configurable ?? nothing,
    metadata: config.metadata ?? nothing,
    tags: config.tags ?? noTags,
    idempotencyKey: config.idempotencyKey ?? keyOf(config, toolCall),
  };
}

function keyOf({ executionInfo }: ToolConfig, toolCall: ToolCall | undefined): string | undefined {
  const { threadId, checkpointId = "" } = executionInfo ?? {};
  if (threadId === undefined || toolCall === undefined) return undefined;
  return hash128(JSON.stringify([threadId, checkpointId, toolCall.id]));
}
