import type { ClaimedRun, StoredRun, StoredState } from "../checkpoint/saver.ts";
import {
  type ChannelChange,
  decodeChannels,
  decodeError,
  decodeNext,
  decodeRecord,
  type OpenQuestion,
} from "../checkpoint/stored-state.ts";
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
  /** Values of keys that the graph does not have. */
  readonly foreign: readonly ChannelChange[];
  /** The channels that are not empty. */
  readonly values: readonly Write[];
  /** The tasks that are due; those with a record have ended. */
  readonly due: readonly Task[];
}

/**
 * Puts a run where its thread stands. It goes on with what is due there when it has no input of its
 * own, or was itself at work there, or asks what is still open. Otherwise it begins with its input;
 * results of tasks that had ended are kept.
 */
export function takeOver(run: Run, thread: RunThread, claimed: ClaimedRun): void {
  const { claim, head, records, previous } = claimed;
  thread.claim = claim;
  const own = claimed.run.input;
  const open = openQuestion(previous);
  const isOwn = head?.checkpoint.runId === claim.runId;
  thread.earlier = open;
  run.input = decode(own);
  const asksAgain = open !== undefined && (isNothing(run.input) || open.asked === own);
  thread.asked = asksAgain ? open.asked : own;
  thread.isBegun = isOwn || (asksAgain && open.begun);
  if (asksAgain && !open.begun) run.input = decode(open.asked);
  if (!head) return;
  const { checkpoint } = head;
  const { values, due, foreign } = restore(run.plan, head, records);
  thread.foreign = foreign;
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
  if (isOwn) run.counted = checkpoint.counted;
  if (thread.isBegun ? isOwn || due.length > 0 : isNothing(run.input)) {
    checkNodes(run.plan, checkpoint.threadId, due);
    run.isResumed = true;
    run.due = due;
  } else {
    begin(run, thread, due);
  }
}

/** What the run before was asked and did not come to the end of. */
function openQuestion(previous: StoredRun | undefined): OpenQuestion | undefined {
  if (!previous || previous.status === "done" || previous.error === undefined) return undefined;
  return decodeError(previous.error).open;
}

/** A new run: signals of the one before it end with it, results of its tasks are kept. */
function begin(run: Run, thread: RunThread, due: readonly Task[]): void {
  keepResults(run, thread, due);
  for (const [channel, { isState }] of run.plan.channels.entries()) {
    const value = run.values[channel];
    if (isState || value === undefined) continue;
    thread.before.set(channel, value); // a join that waits for the rest
    applyChanges(run, [{ channel, value: undefined }]);
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
  const foreign = new Map(stored);
  const values: Write[] = [];
  for (const [channel, { name }] of plan.channels.entries()) {
    const value = stored.get(name);
    if (value === undefined) continue;
    foreign.delete(name);
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
  const kept = Array.from(foreign, ([name, after]) => ({ name, before: undefined, after }));
  return { values, due, foreign: kept };
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
