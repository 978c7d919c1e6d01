import { type TaskContext, withinTask } from "../stream/task-context.ts";
import { attachLocation } from "../errors/location.ts";
import { collectInput } from "./input.ts";
import { collectReturn } from "./outcome.ts";
import { emitCustom, taskContext, tell, tellUpdate } from "./emit.ts";
import { followRouters, isThenable } from "./route.ts";
import { cancel, type Run, stepBudget } from "./run.ts";
import type { Runtime } from "./runtime.ts";
import { locationOf, type Task, taskPath } from "./task.ts";
import type { RunThread } from "./thread.ts";

/**
 * Runs the tasks of a superstep, `maxConcurrency` at a time, and resolves when each has ended. Never
 * rejects: what became of a task stands in it. After a failure or a cancellation no further task
 * begins; those at work are signalled and awaited for the grace, then marked `unknown`.
 */
export function execute(run: Run, tasks: readonly Task[]): Promise<void> {
  if (run.abort.signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    run.stopWaiting = () => {
      for (const task of tasks) if (task.status === "running") task.status = "unknown";
      resolve();
    };
    void runAll(run, tasks).then(() => resolve());
  });
}

function runAll(run: Run, all: readonly Task[]): Promise<unknown> {
  // Those with a stored result do not run again.
  const tasks = run.isResumed ? all.filter(({ status }) => status !== "done") : all;
  const { thread } = run;
  if (!thread) return runLanes(run, tasks, undefined);
  thread.isWorking = true;
  // A task that is alone in its superstep is stored with it.
  return runLanes(run, tasks, all.length > 1 ? thread : undefined).finally(() => {
    thread.isWorking = false;
  });
}

function runLanes(
  run: Run,
  tasks: readonly Task[],
  recordIn: RunThread | undefined,
): Promise<unknown> {
  if (tasks.length === 1) return runTask(run, tasks[0]!, recordIn);
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < tasks.length && !run.abort.signal.aborted)
      await runTask(run, tasks[next++]!, recordIn);
  };
  const lanes = Math.min(run.settings.maxConcurrency, tasks.length);
  return Promise.all(Array.from({ length: lanes }, lane));
}

// What is not a promise is not awaited: promises are what a superstep costs.
async function runTask(run: Run, task: Task, recordIn: RunThread | undefined): Promise<void> {
  task.status = "running";
  try {
    if (task.node === run.plan.start) {
      if (!collectInput(run, task)) return finish(task);
      followEdges(task);
      const asking = ask(run, task, createRuntime(run, task));
      if (asking) await asking;
      return finish(task);
    }
    const context = taskContext(run, task);
    const runtime = createRuntime(run, task);
    const input = task.sendIndex < 0 ? run.view.current() : task.args;
    const result = withinTask(context, () => task.node.run(input, runtime));
    const returned = isThenable(result) ? await result : result;
    if (task.status !== "running") return; // too late: the run has ended without it
    if (returned !== input || task.sendIndex >= 0) collectReturn(run, task, returned);
    if (run.isTraced) tellUpdate(run, task);
    followEdges(task);
    const asking = ask(run, task, runtime, context);
    if (asking) await asking;
    if (recordIn && task.status === "running") await record(run, recordIn, task);
    finish(task);
  } catch (error) {
    fail(run, task, error);
  }
}

function followEdges(task: Task): void {
  for (const write of task.node.edges) task.writes.push(write);
}

/** Asks the conditional edges; within the task, where they note for the trace what they decide. */
function ask(
  run: Run,
  task: Task,
  runtime: Runtime,
  context?: TaskContext,
): Promise<void> | undefined {
  if (task.node.routers.length === 0) return undefined;
  if (!run.isTraced || !context) return followRouters(run, task, runtime);
  return withinTask(context, () => followRouters(run, task, runtime));
}

/** A result that could not be stored ends the run, and is stored once more when that ends. */
async function record(run: Run, thread: RunThread, task: Task): Promise<void> {
  try {
    await thread.durability!.recordTask(run, thread, task);
  } catch (error) {
    task.error = error;
    finish(task);
    if (run.abort.signal.aborted) return;
    run.firstFailure = task;
    cancel(run, error);
  }
}

function finish(task: Task): void {
  if (task.status === "running") task.status = "done";
}

/** Notes the error in the task and signals the tasks beside it. */
function fail(run: Run, task: Task, error: unknown): void {
  if (task.status !== "running") return; // it came after the grace; the run has ended
  task.status = "failed";
  task.error = error;
  attachLocation(error, locationOf(task, run.step));
  if (run.isTraced) tell(run, task, { type: "task_error", error });
  if (run.abort.signal.aborted) return;
  run.firstFailure = task;
  cancel(run, error);
}

function createRuntime(run: Run, task: Task): Runtime {
  const { settings } = run;
  const { remainingSteps } = stepBudget(run);
  return {
    signal: run.abort.signal,
    writer: (chunk) => emitCustom(run, task, chunk),
    remainingSteps,
    isLastStep: remainingSteps <= 0,
    recursionLimit: settings.recursionLimit,
    executionInfo: {
      node: task.node.name,
      step: run.step,
      path: taskPath(task),
      nodeAttempt: 1,
      ...(run.thread && { threadId: run.thread.threadId, checkpointId: run.thread.head }),
    },
    configurable: settings.configurable,
    context: settings.context,
    metadata: settings.metadata,
    tags: settings.tags,
    runName: settings.runName,
    runId: settings.runId,
  };
}
