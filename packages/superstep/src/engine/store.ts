import type { StoredCheckpoint } from "../checkpoint/saver.ts";
import {
  type ChannelChange,
  encodeChannels,
  encodeNext,
  encodeRecord,
  encodeTasks,
  type StoredTask,
} from "../checkpoint/stored-state.ts";
import { errorMessage, SuperstepError } from "../errors/errors.ts";
import { attachLocation } from "../errors/location.ts";
import { warnOnce } from "../errors/warn.ts";
import { timeId } from "../ids/time-id.ts";
import type { Merged } from "./merge.ts";
import type { Plan } from "./plan.ts";
import type { Run } from "./run.ts";
import { locationOf, type Task, taskKey } from "./task.ts";
import type { Chain, RunThread } from "./thread.ts";

/** Stores what a finished task did, so that it never runs again. */
export async function recordTask(run: Run, thread: RunThread, task: Task): Promise<void> {
  const { channels } = run.plan;
  const record = encodeRecord({
    writes: task.writes.map(({ channel, value }) => [channels[channel]!.name, value]),
    sends: task.sends,
    events: task.events,
  });
  await thread.saver.putWrites(thread.claim!, taskKey(task), record);
  task.isRecorded = true;
}

/** When a run ends in the middle of a superstep: keeps the results that are not stored yet. */
export async function recordFinished(run: Run, thread: RunThread): Promise<void> {
  for (const task of run.atWork) {
    if (task.status !== "done" || task.isRecorded || task.node.hidden) continue;
    try {
      await recordTask(run, thread, task);
    } catch (error) {
      // A value that cannot be stored is what the run has failed for.
      if (error instanceof SuperstepError && error.code === "UNSTORABLE_VALUE") continue;
      const node = JSON.stringify(task.node.name);
      warnOnce(
        task,
        `The result of node ${node} could not be stored, so it will run again: ${errorMessage(error)}`,
      );
    }
  }
}

/** Stores a superstep: everything is encoded before the saver is called, once. */
export async function storeStep(
  run: Run,
  thread: RunThread,
  step: { readonly tasks: readonly Task[]; readonly merged: Merged },
): Promise<void> {
  const { plan } = run;
  const { merged, tasks } = step;
  const values = valuesAfter(run, merged);
  const { channels, chain } = encodeState(run, thread, { merged, values, tasks });
  const id = timeId(thread.head);
  const checkpoint: StoredCheckpoint = {
    id,
    parentId: thread.head,
    threadId: thread.threadId,
    runId: thread.claim!.runId,
    step: run.step,
    source: tasks[0]!.node === plan.start ? "input" : "loop",
    counted: run.counted,
    createdAt: Date.now(),
    isSnapshot: chain.length === 0,
    channels,
    next: encodeDue(plan, merged.due, values),
    tasks: encodeTasks(tasks.map(({ node, events }) => ({ node: node.name, events }))),
  };
  const isLast = merged.due.length === 0;
  await thread.saver.commit(thread.claim!, checkpoint, isLast ? { status: "done" } : undefined);
  thread.head = id;
  thread.chain = chain;
  thread.before.clear();
  thread.isSettled = isLast;
  thread.isBegun = true;
}

type Values = (channel: number) => unknown;

function valuesAfter(run: Run, merged: Merged): Values {
  const changed = new Map(merged.changes.map(({ channel, value }) => [channel, value]));
  return (channel) => (changed.has(channel) ? changed.get(channel) : run.values[channel]);
}

interface Step {
  readonly tasks: readonly Task[];
  readonly merged: Merged;
  readonly values: Values;
}

/** What has changed, or now and then the whole state: loading never reads much more than the state. */
function encodeState(
  run: Run,
  thread: RunThread,
  step: Step,
): { readonly channels: string; readonly chain: Chain } {
  const { plan } = run;
  const { chain } = thread;
  const numbers = new Set(thread.before.keys());
  for (const { channel } of step.merged.changes) numbers.add(channel);
  const changes: ChannelChange[] = [];
  for (const channel of numbers) {
    const before = thread.before.has(channel) ? thread.before.get(channel) : run.values[channel];
    changes.push({ name: plan.channels[channel]!.name, before, after: step.values(channel) });
  }
  if (thread.head !== undefined) {
    const channels = encodeLocated(run, step.tasks, changes);
    const grown = { ...chain, changes: chain.changes + channels.length, length: chain.length + 1 };
    if (!isSnapshotDue(grown)) return { channels, chain: grown };
  }
  const managed = new Set(plan.managed.map(({ channel }) => channel));
  const all = plan.channels.flatMap(({ name }, channel): ChannelChange[] => {
    const after = managed.has(channel) ? undefined : step.values(channel);
    return after === undefined ? [] : [{ name, before: undefined, after }];
  });
  const channels = encodeLocated(run, step.tasks, [...all, ...thread.foreign]);
  return { channels, chain: { snapshot: channels.length, changes: 0, length: 0 } };
}

/**
 * A snapshot comes when the changes since the last one are twice its size. So snapshots take half as
 * much again as the changes, at any length, and loading reads three times the state at the most.
 */
function isSnapshotDue({ snapshot, changes, length }: Chain): boolean {
  return length >= 4_096 || changes + length * 32 > 2 * snapshot + 8_192;
}

function encodeLocated(
  run: Run,
  tasks: readonly Task[],
  changes: readonly ChannelChange[],
): string {
  try {
    return encodeChannels(changes);
  } catch (error) {
    if (tasks.length === 1) attachLocation(error, locationOf(tasks[0]!, run.step));
    throw error;
  }
}

/** A Send often carries values of the state; those are named instead of stored again. */
function encodeDue(plan: Plan, due: readonly Task[], values: Values): string {
  const tasks = due.map(({ node, sendIndex, args }): StoredTask =>
    sendIndex < 0 ? [node.name] : [node.name, args],
  );
  if (due.every(({ sendIndex }) => sendIndex < 0)) return encodeNext(tasks, undefined);
  const refs = new Map<object, string>();
  for (const [name, channel] of plan.stateKeys) {
    const value = values(channel);
    if (typeof value === "object" && value !== null) refs.set(value, name);
  }
  return encodeNext(tasks, refs);
}
