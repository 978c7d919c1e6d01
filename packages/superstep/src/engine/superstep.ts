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
import { announce, newMessages } from "./announce.ts";
import { breathe, isOutOfBreath } from "./breathe.ts";
import { execute } from "./execute.ts";
import { throwFailure, throwIfCancelled } from "./failure.ts";
import { merge } from "./merge.ts";
import { type Chunk, closeRun, commit, fillManaged, type Run } from "./run.ts";
import type { State } from "./state-view.ts";
import type { Task } from "./task.ts";

/**
 * Runs `run` to its end, yields its chunks and returns the last state. A superstep begins when the
 * reader has taken every chunk of the one before, so a run is never ahead of its reader. Whoever
 * leaves early cancels the run first (`RunStream` does).
 */
export async function* supersteps(run: Run): AsyncGenerator<Chunk, State, void> {
  const queue = run.stream?.queue;
  let working: Promise<void> | undefined;
  try {
    throwIfCancelled(run);
    while (run.due.length > 0) {
      const tasks = beginStep(run);
      working = execute(run, tasks);
      if (queue) {
        queue.openUntil(working);
        for (let chunk = await queue.take(); chunk; chunk = await queue.take()) yield chunk;
      }
      await working;
      throwFailure(run, tasks);
      const merged = merge(run.plan, run.values, { number: run.step, tasks });
      const messages = newMessages(run, tasks);
      commit(run, merged);
      if (run.stream) {
        announce(run, run.stream, { tasks, merged, messages });
        for (let chunk = queue?.shift(); chunk; chunk = queue?.shift()) yield chunk;
      }
      if (isOutOfBreath()) await breathe();
      if (run.due.length > 0) throwIfCancelled(run); // while the reader had the word
    }
    return run.view.output();
  } finally {
    await working; // nothing goes on behind the caller's back
    closeRun(run);
  }
}

/** Takes the tasks that are due and counts the superstep, unless the limit is reached. */
function beginStep(run: Run): readonly Task[] {
  const tasks = run.due;
  run.step++;
  if (tasks.some((task) => task.node.counted)) {
    const { recursionLimit } = run.settings;
    if (run.counted >= recursionLimit) throw limitReached(recursionLimit, tasks);
    run.counted++;
  }
  fillManaged(run);
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
