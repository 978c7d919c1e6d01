import { describe } from "../errors/describe.ts";
import { AggregateTaskError, errorMessage, RunCancelledError } from "../errors/errors.ts";
import { isAbortError, isError } from "../errors/is-error.ts";
import type { Run } from "./run.ts";
import type { Task } from "./task.ts";

/**
 * Ends the run when a task has failed or the run was cancelled. The error of a single task is
 * thrown as the same object; those of several as one `AggregateTaskError`, in task order.
 */
export function throwFailure(run: Run, tasks: readonly Task[]): void {
  const { signal } = run.abort;
  if (!signal.aborted) return;
  const first = run.firstFailure;
  if (!first) throw cancelled(signal.reason);
  const failed = tasks.filter((task) => task === first || failedByItself(task, first));
  if (failed.length === 1) throw first.error;
  const list = failed.slice(0, 10).map((task) => `${task.node.name}: ${errorMessage(task.error)}`);
  if (failed.length > 10) list.push(`and ${failed.length - 10} more`);
  throw new AggregateTaskError(
    `${failed.length} tasks of superstep ${run.step} failed. ${list.join("; ")}`,
    failed.map((task) => task.error),
    { fix: "See `errors` for what each task threw, in task order.", cause: first.error },
  );
}

/** Whether the run was cancelled from outside, rather than by a task that failed. */
export function isCancelled(run: Run): boolean {
  return run.abort.signal.aborted && !run.firstFailure;
}

/** Ends the run when it was cancelled while no task was at work. */
export function throwIfCancelled(run: Run): void {
  throwFailure(run, []);
}

/** A task that stopped because the one beside it had failed has not failed on its own account. */
function failedByItself(task: Task, first: Task): boolean {
  if (task.status !== "failed" || task.error === first.error) return false;
  return !isAbortError(task.error);
}

/** An error given as the reason is thrown itself, as `fetch` does it. */
function cancelled(reason: unknown): unknown {
  if (isError(reason)) return reason;
  return new RunCancelledError(`The run was cancelled: ${describe(reason)}.`, {
    fix: "Start the run again if it should go on.",
    cause: reason,
  });
}
