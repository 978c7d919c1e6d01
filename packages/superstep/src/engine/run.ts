import { deepFreeze } from "../channels/freeze.ts";
import { currentTask, type TaskContext } from "../stream/task-context.ts";
import { warnOnce } from "../errors/warn.ts";
import type { ChunkQueue } from "../stream/queue.ts";
import type { Merged } from "./merge.ts";
import type { RunSettings, StreamMode } from "./options.ts";
import type { Plan, StepBudget, Write } from "./plan.ts";
import { createStateView, type StateView } from "./state-view.ts";
import { pullTask, type Task } from "./task.ts";

/** What one execution of a graph holds while it lasts. Only the superstep loop changes it. */
export interface Run {
  readonly plan: Plan;
  readonly settings: RunSettings;
  readonly input: unknown;
  /** Where chunks go; without a reader nothing is made for one. */
  readonly stream: RunStreamSink | undefined;
  /** The value of each channel, by number; `undefined` when empty. */
  readonly values: unknown[];
  readonly view: StateView;
  /** The task that this run was started in, of another run. */
  readonly outer: TaskContext | undefined;
  /** The one source of `runtime.signal`. */
  readonly abort: AbortController;
  /** The tasks of the next superstep. */
  due: readonly Task[];
  /** The superstep at work; 0 is the hidden one that takes the input. */
  step: number;
  /** Supersteps so far that count against the recursion limit. */
  counted: number;
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
  if ("thread_id" in settings.configurable) {
    warnOnce(
      plan,
      `Graph ${JSON.stringify(plan.name)} was given a thread_id and has no saver: nothing of the run is kept.`,
    );
  }
  const values = plan.channels.map(({ channel }) => {
    const value = channel.initial?.();
    if (!channel.freezesItself) deepFreeze(value);
    return value;
  });
  const run: Run = {
    plan,
    settings,
    input,
    stream,
    values,
    view: createStateView(plan, values),
    outer: currentTask(),
    abort: new AbortController(),
    due: [pullTask(plan.start)],
    step: -1,
    counted: 0,
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
}

function applyChanges(run: Run, changes: readonly Write[]): void {
  run.view.commit(changes); // before the values: an old snapshot may have to keep them
  for (const { channel, value } of changes) run.values[channel] = value;
}

export function closeRun(run: Run): void {
  clearTimeout(run.drainTimer);
  run.release();
}
