import { deepFreeze } from "../channels/freeze.ts";
import { currentTask, type TaskContext } from "../stream/task-context.ts";
import type { ChunkQueue } from "../stream/queue.ts";
import type { Merged } from "./merge.ts";
import type { RunSettings, StreamMode } from "./options.ts";
import type { Plan, StepBudget, Write } from "./plan.ts";
import { createStateView, type StateView } from "./state-view.ts";
import { pullTask, type Task } from "./task.ts";
import { type RunThread, threadOf } from "./thread.ts";

/** What one execution of a graph holds while it lasts. Only the superstep loop changes it. */
export interface Run {
  readonly plan: Plan;
  readonly settings: RunSettings;
  /** What the first task takes; of a stored run that is gone on with, its own. */
  input: unknown;
  /** Where chunks go; without a reader nothing is made for one. */
  readonly stream: RunStreamSink | undefined;
  /** The value of each channel, by number; `undefined` when empty. */
  readonly values: unknown[];
  readonly view: StateView;
  /** Set when a saver keeps the run. */
  readonly thread: RunThread | undefined;
  /** Whether the trace is told of what happens: somebody follows it, or a saver keeps it. */
  readonly isTraced: boolean;
  /** The task that this run was started in, of another run. */
  readonly outer: TaskContext | undefined;
  /** The one source of `runtime.signal`. */
  readonly abort: AbortController;
  /** The tasks of the next superstep. */
  due: readonly Task[];
  /** The tasks of the superstep at work. */
  atWork: readonly Task[];
  /** The superstep at work; 0 is the hidden one that takes the input. */
  step: number;
  /** The tasks of the superstep at work, as a promise that they have ended. */
  working: Promise<void> | undefined;
  /** Supersteps so far that count against the recursion limit. */
  counted: number;
  /** Whether the run goes on where its thread was left, instead of beginning with its input. */
  isResumed: boolean;
  /** The task whose failure ended the run. */
  firstFailure: Task | undefined;
  /** Ends the wait for the tasks of the superstep at work. */
  stopWaiting: () => void;
  drainTimer: ReturnType<typeof setTimeout> | undefined;
  /** Takes the listener off the caller's signal. */
  release: () => void;
}

export interface Chunk {
  readonly mode: StreamMode;
  readonly payload: unknown;
}

export interface RunStreamSink {
  readonly modes: ReadonlySet<StreamMode>;
  readonly queue: ChunkQueue<Chunk>;
  /** Ids of messages that were streamed already. */
  readonly streamed: Set<string>;
}

/** Makes a run whose first task takes `input`. Every channel default is made anew. */
export function openRun(
  plan: Plan,
  input: unknown,
  settings: RunSettings,
  stream?: RunStreamSink,
): Run {
  const values = plan.channels.map(({ channel }) => {
    const value = channel.initial?.();
    if (!channel.freezesItself) deepFreeze(value);
    return value;
  });
  const thread = threadOf(plan, settings);
  const run: Run = {
    plan,
    settings,
    input,
    stream,
    values,
    view: createStateView(plan, values),
    thread,
    isTraced: thread !== undefined || settings.trace !== undefined,
    outer: currentTask(),
    abort: new AbortController(),
    due: [pullTask(plan.start)],
    atWork: [],
    working: undefined,
    step: -1,
    counted: 0,
    isResumed: false,
    firstFailure: undefined,
    stopWaiting: () => {},
    drainTimer: undefined,
    release: () => {},
  };
  follow(run, [settings.signal, run.outer?.signal]);
  return run;
}

/** Lets each signal cancel the run: the caller's, and that of the task that it was started in. */
function follow(run: Run, signals: readonly (AbortSignal | undefined)[]): void {
  const listeners: (() => void)[] = [];
  for (const signal of signals) {
    if (signal === undefined) continue;
    const listener = (): void => cancel(run, signal.reason);
    if (signal.aborted) listener();
    else signal.addEventListener("abort", listener, { once: true });
    listeners.push(() => signal.removeEventListener("abort", listener));
  }
  if (listeners.length > 0) run.release = () => listeners.forEach((release) => release());
}

/** Signals the tasks at work, and waits for them no longer than the grace. The first reason stays. */
export function cancel(run: Run, reason: unknown): void {
  if (run.abort.signal.aborted) return;
  run.abort.abort(reason);
  run.stream?.queue.release();
  run.drainTimer = setTimeout(() => run.stopWaiting(), run.settings.drainMs);
}

/** How far the run may still go. */
export function stepBudget(run: Run): StepBudget {
  return { remainingSteps: run.settings.recursionLimit - run.counted };
}

/** Writes the state keys that the engine fills in, for the superstep that begins. */
export function fillManaged(run: Run): void {
  const { managed } = run.plan;
  if (managed.length === 0) return;
  const budget = stepBudget(run);
  const changes = managed.map(({ channel, value }) => ({ channel, value: value(budget) }));
  applyChanges(run, changes);
}

/** Moves the run on to what a superstep made of it. */
export function commit(run: Run, merged: Merged): void {
  applyChanges(run, merged.changes);
  run.due = merged.due;
  run.atWork = [];
}

/** Stores values at once: `changes` are no writes, rules do not apply. */
export function applyChanges(run: Run, changes: readonly Write[]): void {
  run.view.commit(changes); // before the values: an old snapshot may have to keep them
  for (const { channel, value } of changes) run.values[channel] = value;
}

export function closeRun(run: Run): void {
  clearTimeout(run.drainTimer);
  run.release();
}
