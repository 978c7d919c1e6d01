import type { RunSaver, StoredCheckpoint } from "../checkpoint/saver.ts";
import { decodeError } from "../checkpoint/stored-state.ts";
import { describe } from "../errors/describe.ts";
import { SuperstepError } from "../errors/errors.ts";
import { hash128 } from "../ids/hash.ts";
import type { Plan, Write } from "./plan.ts";
import { updateOf } from "./emit.ts";
import { restore, resultsOf } from "./restore.ts";
import { createStateView } from "./state-view.ts";
import { type Task, taskKey, taskPath } from "./task.ts";
import { checkThreadId } from "./thread.ts";

/** Which thread, and which of its checkpoints. */
export interface ThreadConfig {
  readonly configurable?:
    | {
        readonly thread_id?: string | undefined;
        /** Default: the last one. */
        readonly checkpoint_id?: string | undefined;
        readonly [key: string]: unknown;
      }
    | undefined;
  /** Default: that of `compile`. */
  readonly checkpointer?: RunSaver | undefined;
}

/** Names a checkpoint. */
export interface CheckpointConfig {
  readonly configurable: {
    readonly thread_id: string;
    /** Of the graph itself: "". */
    readonly checkpoint_ns: string;
    readonly checkpoint_id?: string;
  };
}

/** A task that is due. */
export interface SnapshotTask {
  readonly id: string;
  readonly name: string;
  /** `["pull", node]` for a node that an edge made due, `["push", index]` for a Send. */
  readonly path: readonly (string | number)[];
  /** What it wrote, if it has ended. */
  readonly result?: unknown;
  /** What ended the last run, if it arose in this task. */
  readonly error?: { readonly name: string; readonly message: string };
}

/** A thread at one of its checkpoints. */
export interface StateSnapshot<State = Readonly<Record<string, unknown>>> {
  readonly values: State;
  /** The nodes of the tasks that are due and have no result yet; none when the last run has ended. */
  readonly next: readonly string[];
  readonly tasks: readonly SnapshotTask[];
  readonly config: CheckpointConfig;
  readonly metadata:
    | {
        /** What made the checkpoint: the input of a run, or a superstep of its loop. */
        readonly source: "input" | "loop";
        /** Counts the supersteps of the thread, from 0. */
        readonly step: number;
        readonly run_id: string;
      }
    | undefined;
  /** ISO 8601. */
  readonly createdAt: string | undefined;
  readonly parentConfig: CheckpointConfig | undefined;
}

/** Reads a thread. Without `checkpoint_id`, with the results of the superstep at work. */
export async function readSnapshot(
  plan: Plan,
  saver: RunSaver,
  configurable: Readonly<Record<string, unknown>>,
): Promise<StateSnapshot> {
  const threadId = checkThreadId(configurable["thread_id"]);
  const checkpointId = configurable["checkpoint_id"];
  if (checkpointId === undefined) {
    const head = await saver.latest(threadId);
    if (!head) return emptySnapshot(threadId);
    return toSnapshot(plan, head.checkpoint, {
      ...restore(plan, head, head.records),
      error: await lastError(saver, head.checkpoint),
    });
  }
  if (typeof checkpointId !== "string") {
    throw new SuperstepError(
      "INVALID_OPTION",
      `configurable.checkpoint_id cannot be ${describe(checkpointId)}.`,
      { fix: "Give the checkpoint_id of a snapshot's config, a string." },
    );
  }
  const stored = await saver.at(threadId, checkpointId);
  if (!stored) return emptySnapshot(threadId, checkpointId);
  const restored = restore(plan, stored, new Map());
  return toSnapshot(plan, stored.checkpoint, { ...restored, error: undefined });
}

type LastError = ReturnType<typeof decodeError> | undefined;

/** The error of the run that left the thread as it is. */
async function lastError(saver: RunSaver, { threadId }: StoredCheckpoint): Promise<LastError> {
  const [run] = await saver.runs(threadId, { limit: 1 });
  return run?.error === undefined ? undefined : decodeError(run.error);
}

function emptySnapshot(threadId: string, checkpointId?: string): StateSnapshot {
  return {
    values: Object.freeze({}),
    next: [],
    tasks: [],
    config: configOf(threadId, checkpointId),
    metadata: undefined,
    createdAt: undefined,
    parentConfig: undefined,
  };
}

function configOf(threadId: string, checkpointId: string | undefined): CheckpointConfig {
  const id = checkpointId === undefined ? {} : { checkpoint_id: checkpointId };
  return { configurable: { thread_id: threadId, checkpoint_ns: "", ...id } };
}

interface Found {
  readonly values: readonly Write[];
  readonly due: readonly Task[];
  readonly error: LastError;
}

function toSnapshot(plan: Plan, checkpoint: StoredCheckpoint, found: Found): StateSnapshot {
  const { id, threadId, parentId, source, step, runId, createdAt } = checkpoint;
  const values: unknown[] = Array.from(plan.channels, () => undefined);
  for (const { channel, value } of found.values) values[channel] = value;
  for (const { channel, value } of resultsOf(plan, values, found.due)) values[channel] = value;
  return {
    values: createStateView(plan, values).output(),
    next: found.due.flatMap(({ status, node }) => (status === "done" ? [] : [node.name])),
    tasks: found.due.map((task) => toTask(plan, id, task, found.error)),
    config: configOf(threadId, id),
    metadata: { source, step, run_id: runId },
    createdAt: new Date(createdAt).toISOString(),
    parentConfig: parentId === undefined ? undefined : configOf(threadId, parentId),
  };
}

function toTask(plan: Plan, checkpointId: string, task: Task, error: LastError): SnapshotTask {
  const path = taskPath(task);
  const failed = error?.path?.length === path.length && error.path.every((p, i) => p === path[i]);
  return {
    id: hash128(`${checkpointId}/${taskKey(task)}`),
    name: task.node.name,
    path,
    ...(task.status === "done" && { result: updateOf(plan, task) }),
    ...(failed && { error: { name: error.name, message: error.message } }),
  };
}
