import type { ClaimedRun, StoredState } from "../checkpoint/saver.ts";
import { decodeChannels, decodeNext, decodeRecord } from "../checkpoint/stored-state.ts";
import { deepFreeze } from "../channels/freeze.ts";
import { listNames } from "../errors/describe.ts";
import { errorMessage, InvalidUpdateError } from "../errors/errors.ts";
import { warnOnce } from "../errors/warn.ts";
import { decode } from "../json/codec.ts";
import type { Send } from "./command.ts";
import { mergeOwn } from "./merge.ts";
import type { NodePlan, Plan, Write } from "./plan.ts";
import { applyChanges, type Run } from "./run.ts";
import { pullTask, pushTask, type Task, taskKey } from "./task.ts";
import type { RunThread } from "./thread.ts";

/** A thread as it was stored, in the terms of a plan. */
export interface Restored {
  /** The channels that are not empty. */
  readonly values: readonly Write[];
  /** The tasks that are due; those with a record have ended. */
  readonly due: readonly Task[];
}

/**
 * Puts a run where its thread stands. It goes on with what is due there when it has no input of its
 * own, or was itself at work there, or asks again what the run before it was asked and did not
 * finish. Otherwise it begins with its input; results of tasks that had ended are kept.
 */
export function takeOver(run: Run, thread: RunThread, claimed: ClaimedRun): void {
  const { claim, head, records, previous } = claimed;
  thread.claim = claim;
  run.input = decode(claimed.run.input);
  if (!head) return;
  const { checkpoint } = head;
  const { values, due } = restore(run.plan, head, records);
  applyChanges(run, values);
  keepDefaults(run, thread, values);
  run.step = checkpoint.step;
  thread.head = checkpoint.id;
  const [snapshot = "", ...changes] = head.chain;
  thread.chain = {
    snapshot: snapshot.length,
    changes: changes.reduce((sum, text) => sum + text.length, 0),
    length: changes.length,
  };
  const isOwn = checkpoint.runId === claim.runId;
  if (isOwn) run.counted = checkpoint.counted;
  const isAskedAgain =
    due.length > 0 &&
    previous?.runId === checkpoint.runId &&
    previous.status !== "done" &&
    previous.input === claimed.run.input;
  if (isOwn || isAskedAgain || isNothing(run.input)) {
    checkNodes(run.plan, checkpoint.threadId, due);
    run.isResumed = true;
    run.due = due;
  } else {
    keepResults(run, thread, due);
  }
}

/** The thread is older than some keys of the graph: their defaults are stored with the next superstep. */
function keepDefaults(run: Run, thread: RunThread, restored: readonly Write[]): void {
  const stored = new Set(restored.map(({ channel }) => channel));
  const managed = new Set(run.plan.managed.map(({ channel }) => channel));
  for (const [channel, value] of run.values.entries()) {
    if (value === undefined || stored.has(channel) || managed.has(channel)) continue;
    thread.before.set(channel, undefined);
  }
}

/** Whether a run was given no input: it goes on with what is there. */
export function isNothing(input: unknown): boolean {
  return input === undefined || input === null;
}

/** Throws `CORRUPT_CHECKPOINT`. A task that is due may be of a node that the graph no longer has. */
export function restore(
  plan: Plan,
  { checkpoint, chain }: StoredState,
  records: ReadonlyMap<string, string>,
): Restored {
  const stored = decodeChannels(chain);
  const values: Write[] = [];
  for (const [channel, { name }] of plan.channels.entries()) {
    const value = stored.get(name);
    if (value === undefined) continue;
    deepFreeze(value);
    values.push({ channel, value });
  }
  const due: Task[] = [];
  let sent = 0;
  for (const [name, ...input] of decodeNext(checkpoint.next, stored)) {
    const node = plan.nodesByName.get(name) ?? lostNode(plan, name);
    deepFreeze(input);
    const task = input.length === 0 ? pullTask(node) : pushTask(node, sent++, input[0]);
    const record = records.get(taskKey(task));
    if (record !== undefined) adopt(plan, task, record);
    due.push(task);
  }
  return { values, due };
}

/** Stands for a node that the graph no longer has; it never runs. */
function lostNode(plan: Plan, name: string): NodePlan {
  return { ...plan.start, name, hidden: false };
}

function checkNodes(plan: Plan, threadId: string, due: readonly Task[]): void {
  const names = new Set(due.map(({ node }) => node.name));
  const lost = [...names].filter((name) => !plan.nodesByName.has(name));
  if (lost.length === 0) return;
  throw new InvalidUpdateError(
    "UNKNOWN_NODE",
    `Thread ${JSON.stringify(threadId)} goes on with ${listNames(lost)}, and graph ${JSON.stringify(plan.name)} has no such node.`,
    {
      fix: `Continue it with the graph that it was made with, bring the node back, or give a new input, which gives up what is due. There are ${listNames(plan.nodesByName.keys())}.`,
    },
  );
}

/** Gives a task the result that it had before: it does not run again. */
function adopt(plan: Plan, task: Task, record: string): void {
  const { writes, sends, events } = decodeRecord(record);
  const numbers = channelNumbers(plan);
  for (const [name, value] of writes) {
    const channel = numbers.get(name);
    if (channel === undefined) continue; // a state key, or a node, that the graph no longer has
    deepFreeze(value);
    task.writes.push({ channel, value });
  }
  for (const send of sends as readonly Send[]) {
    deepFreeze(send.args);
    task.sends.push(send);
  }
  task.events.push(...events);
  task.status = "done";
  task.isRecorded = true;
}

const numbersOf = new WeakMap<Plan, ReadonlyMap<string, number>>();

function channelNumbers(plan: Plan): ReadonlyMap<string, number> {
  let numbers = numbersOf.get(plan);
  if (!numbers) {
    numbers = new Map(plan.channels.map(({ name }, number) => [name, number]));
    numbersOf.set(plan, numbers);
  }
  return numbers;
}

/** The results of tasks that had ended, kept; the tasks beside them that had not are given up. */
function keepResults(run: Run, thread: RunThread, due: readonly Task[]): void {
  for (const { channel, value } of resultsOf(run.plan, run.values, due)) {
    if (!thread.before.has(channel)) thread.before.set(channel, run.values[channel]);
    applyChanges(run, [{ channel, value }]);
  }
}

/** What the results of tasks that have ended make of `values`, applied one after the other. */
export function resultsOf(
  plan: Plan,
  values: readonly unknown[],
  due: readonly Task[],
): readonly Write[] {
  const after = [...values];
  const changed = new Set<number>();
  for (const task of due) {
    if (task.status !== "done") continue;
    try {
      for (const { channel, value } of mergeOwn(plan, after, { number: 0, tasks: [task] })) {
        after[channel] = value;
        changed.add(channel);
      }
    } catch (error) {
      // What could not be applied when the task had ended cannot be applied now either.
      const node = JSON.stringify(task.node.name);
      warnOnce(
        task,
        `A stored result of node ${node} does not fit the state and is left out: ${errorMessage(error)}`,
      );
    }
  }
  return Array.from(changed, (channel) => ({ channel, value: after[channel] }));
}
