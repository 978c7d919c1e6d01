/*
 * The loop that runs a graph, from input to result.
 *
 * superstep   plan, run and merge one batch of tasks; all of them see the same state
 * task        one run of one node within a superstep
 * channel     the rule by which writes meet the value of a state key or control signal
 * write       a value that a task hands to a channel; applied when the superstep ends
 * send        one more task for the next superstep, with an input of its own
 * snapshot    the immutable state that tasks read
 * chunk       one item of a run's stream
 */
import { listNames } from "../errors/describe.ts";
import { GraphRecursionError } from "../errors/errors.ts";
import { tell } from "./emit.ts";
import { announce, newMessages } from "./announce.ts";
import { breathe, isOutOfBreath } from "./breathe.ts";
import { execute } from "./execute.ts";
import { isCancelled, throwFailure, throwIfCancelled } from "./failure.ts";
import { merge } from "./merge.ts";
import { type Chunk, closeRun, commit, fillManaged, type Run } from "./run.ts";
import type { State } from "./state-view.ts";
import type { Task } from "./task.ts";
import { loadDurability, type RunThread } from "./thread.ts";

/**
 * Runs `run` to its end, yields its chunks and returns the last state. A superstep begins when the
 * reader has taken every chunk of the one before, so a run is never ahead of its reader. Whoever
 * leaves early cancels the run first (`RunStream` does).
 */
export async function* supersteps(run: Run): AsyncGenerator<Chunk, State, void> {
  let end: RunEnd = { status: "cancelled", error: "the reader left" };
  try {
    throwIfCancelled(run);
    if (run.thread) await open(run, run.thread);
    if (run.isTraced) tellStart(run);
    while (run.due.length > 0) {
      yield* superstep(run);
      if (isOutOfBreath()) await breathe();
      if (run.due.length > 0) throwIfCancelled(run); // while the reader had the word
    }
    await run.thread?.durability?.closeThread(run, run.thread, { status: "done" });
    end = { status: "done" };
    return run.view.output();
  } catch (error) {
    end = { status: isCancelled(run) ? "cancelled" : "failed", error };
    throw error;
  } finally {
    await run.working; // nothing goes on behind the caller's back
    await run.thread?.durability?.closeThread(run, run.thread, end);
    if (run.isTraced) tell(run, undefined, { type: "run_end", ...end });
    closeRun(run);
  }
}

/** One superstep: what its tasks stream while they run, and what it did when it is committed. */
async function* superstep(run: Run): AsyncGenerator<Chunk, void, void> {
  const { thread, stream } = run;
  const queue = stream?.queue;
  const tasks = beginStep(run);
  run.working = execute(run, tasks);
  if (queue) {
    queue.openUntil(run.working);
    for (let chunk = await queue.take(); chunk; chunk = await queue.take()) yield chunk;
  }
  await run.working;
  throwFailure(run, tasks);
  const merged = merge(run.plan, run.values, { number: run.step, tasks });
  const messages = newMessages(run, tasks);
  if (thread) await thread.durability!.storeStep(run, thread, { tasks, merged });
  commit(run, merged);
  if (!stream) return;
  announce(run, stream, { tasks, merged, messages });
  for (let chunk = queue?.shift(); chunk; chunk = queue?.shift()) yield chunk;
}

async function open(run: Run, thread: RunThread): Promise<void> {
  thread.durability = await loadDurability();
  await thread.durability.openThread(run, thread, finish);
}

interface RunEnd {
  readonly status: "done" | "failed" | "cancelled";
  readonly error?: unknown;
}

/** Runs to the end and gives the last state. */
export async function finish(run: Run): Promise<State> {
  const chunks = supersteps(run);
  for (;;) {
    const { done, value } = await chunks.next();
    if (done) return value;
  }
}

function tellStart(run: Run): void {
  const { settings, thread } = run;
  for (const build of settings.build) tell(run, undefined, { type: "build", build });
  tell(run, undefined, {
    type: "run_start",
    runId: thread?.claim?.runId ?? settings.runId,
    threadId: thread?.threadId,
    resumed: run.isResumed,
  });
}

/** Takes the tasks that are due and counts the superstep, unless the limit is reached. */
function beginStep(run: Run): readonly Task[] {
  const tasks = run.due;
  run.step++;
  run.atWork = tasks;
  if (tasks.some((task) => task.node.counted)) {
    const { recursionLimit } = run.settings;
    if (run.counted >= recursionLimit) throw limitReached(recursionLimit, tasks);
    run.counted++;
  }
  fillManaged(run);
  if (run.isTraced) {
    tell(run, undefined, { type: "step", nodes: tasks.map(({ node }) => node.name) });
  }
  return tasks;
}

function limitReached(limit: number, tasks: readonly Task[]): Error {
  const due = listNames(new Set(tasks.map((task) => task.node.name)));
  return new GraphRecursionError(
    `Recursion limit of ${limit} reached without hitting a stop condition. Still due: ${due}.`,
    {
      fix: "Check that the loop can end (runtime.remainingSteps tells a node how many supersteps are left), or raise recursionLimit.",
    },
  );
}
