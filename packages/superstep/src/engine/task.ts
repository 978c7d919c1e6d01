import type { ErrorLocation } from "../errors/location.ts";
import type { Send } from "./command.ts";
import type { NodePlan, Write } from "./plan.ts";

/**
 * `unknown`: the run ended before the task did. `idle`: queued by `maxConcurrency` and never begun.
 */
export type TaskStatus = "idle" | "running" | "done" | "failed" | "unknown";

/** One run of one node within a superstep, with what came of it. */
export interface Task {
  readonly node: NodePlan;
  /** The position among the Sends of the step before, or -1 for a node that an edge made due. */
  readonly sendIndex: number;
  /** The input of a Send; other tasks read the state. */
  readonly args: unknown;
  readonly writes: Write[];
  readonly sends: Send[];
  /** The state keys written, merged with the state as if this task were alone; when asked for. */
  own: readonly Write[] | undefined;
  status: TaskStatus;
  error: unknown;
  /** What a saver keeps for the trace, packed. */
  readonly events: (readonly unknown[])[];
  /** Whether its result is stored. */
  isRecorded: boolean;
}

/** A task for a node that an edge or a goto made due. */
export function pullTask(node: NodePlan): Task {
  return newTask(node, -1, undefined);
}

/** A task for the Send at `index` among those of the step before. */
export function pushTask(node: NodePlan, index: number, args: unknown): Task {
  return newTask(node, index, args);
}

function newTask(node: NodePlan, sendIndex: number, args: unknown): Task {
  return {
    node,
    sendIndex,
    args,
    writes: [],
    sends: [],
    own: undefined,
    status: "idle",
    error: undefined,
    events: [],
    isRecorded: false,
  };
}

/** The task's place within its superstep; with the step's number it identifies the task. */
export function taskPath(task: Task): readonly [string, string | number] {
  return task.sendIndex < 0 ? ["pull", task.node.name] : ["push", task.sendIndex];
}

/** The same as one text: what a record of the task is stored under. */
export function taskKey(task: Task): string {
  return task.sendIndex < 0 ? `pull:${task.node.name}` : `push:${task.sendIndex}`;
}

export function locationOf(task: Task, step: number): ErrorLocation {
  return { node: task.node.name, path: taskPath(task), step, attempt: 1 };
}
