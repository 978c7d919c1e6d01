import type { StepBudget } from "./plan.ts";

/** Writes a chunk to the `custom` stream; without a reader it does nothing. */
export type StreamWriter = (chunk: unknown) => void;

/** Which task is running. */
export interface ExecutionInfo {
  readonly node: string;
  /** The superstep, counted from 1; 0 is the hidden step that takes the input. */
  readonly step: number;
  /** `["pull", node]` for a node that an edge made due, `["push", index]` for a Send. */
  readonly path: readonly (string | number)[];
  readonly nodeAttempt: number;
  /** Where a saver keeps the run: its thread, and the checkpoint that this superstep began with. */
  readonly threadId?: string | undefined;
  readonly checkpointId?: string | undefined;
}

/** What a node, and a conditional edge, gets as its second argument. */
export interface Runtime extends StepBudget {
  /** Aborted when the run is cancelled or a task beside this one has failed. */
  readonly signal: AbortSignal;
  /** Writes to the `custom` stream. */
  readonly writer: StreamWriter;
  /** Whether this superstep is the last that the recursion limit allows. */
  readonly isLastStep: boolean;
  readonly recursionLimit: number;
  readonly executionInfo: ExecutionInfo;
  /** The caller's values, as given in the run's options. */
  readonly configurable: Readonly<Record<string, unknown>>;
  readonly context: unknown;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly tags: readonly string[];
  readonly runName: string | undefined;
  readonly runId: string | undefined;
}
