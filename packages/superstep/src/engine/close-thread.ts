import type { Outcome } from "../checkpoint/saver.ts";
import { encodeError } from "../checkpoint/stored-state.ts";
import { errorMessage, SuperstepError } from "../errors/errors.ts";
import { warnOnce } from "../errors/warn.ts";
import type { Run } from "./run.ts";
import { recordFinished } from "./store.ts";
import type { RunThread } from "./thread.ts";

/** Whether another claim has taken the thread: nothing that is still done here can be kept. */
export function isFenced(error: unknown): boolean {
  return error instanceof SuperstepError && error.code === "RUN_FENCED";
}

/**
 * Ends the run on its thread, unless that was done with its last superstep. One that ends before its
 * time leaves what its tasks have done to the run that goes on from there.
 */
export async function closeThread(
  run: Run,
  thread: RunThread,
  end: { readonly status: Outcome["status"]; readonly error?: unknown },
): Promise<void> {
  clearInterval(thread.heartbeat);
  const { claim, saver } = thread;
  if (thread.isSettled || !claim || isFenced(end.error)) return;
  if (end.status === "done") {
    await saver.settle(claim, { status: "done" });
    thread.isSettled = true;
    return;
  }
  await recordFinished(run, thread);
  const isRefused = end.status === "failed" && !thread.isBegun;
  const open = isRefused ? thread.earlier : { asked: thread.asked, begun: thread.isBegun };
  try {
    await saver.settle(claim, { status: end.status, error: encodeError(end.error, open) });
    thread.isSettled = true;
  } catch (error) {
    // The run has failed for a reason of its own, which is what its caller is told.
    warnOnce(
      thread,
      `The end of run ${claim.runId} could not be stored, so it counts as crashed: ${errorMessage(error)}`,
    );
  }
}
