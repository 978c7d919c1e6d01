import type { Claimant, ClaimedRun, NewRun } from "../checkpoint/saver.ts";
import { encodeError } from "../checkpoint/stored-state.ts";
import { ThreadBusyError } from "../errors/errors.ts";
import { timeId } from "../ids/time-id.ts";
import { decode, encode } from "../json/codec.ts";
import { isFenced } from "./close-thread.ts";
import { isNothing, takeOver } from "./restore.ts";
import { cancel, openRun, type Run } from "./run.ts";
import type { RunThread } from "./thread.ts";

/** How long a claim holds when its owner is not heard of. */
const leaseMs = 30_000;

/**
 * Lets the run in on its thread and puts it where the thread stands. A run that a crash has left
 * there is finished first, by `finish`; when it is the same question, this run goes on in its place.
 */
export async function openThread(
  run: Run,
  thread: RunThread,
  finish: (run: Run) => Promise<unknown>,
): Promise<void> {
  if (thread.claim) return; // taken over from a crash
  const by: Claimant = { owner: thread.saver.newOwner?.() ?? timeId(), leaseMs };
  const input = encode(run.input ?? null, { root: "input" });
  const graph = encode({ name: run.plan.name, build: run.settings.build });
  const asked: NewRun = {
    runId: run.settings.runId ?? timeId(),
    threadId: thread.threadId,
    input,
    graph,
  };
  takeOver(run, thread, await letIn(run, thread, { asked, by, finish }));
  keepAlive(run, thread);
}

interface Request {
  readonly asked: NewRun;
  readonly by: Claimant;
  readonly finish: (run: Run) => Promise<unknown>;
}

async function letIn(run: Run, thread: RunThread, request: Request): Promise<ClaimedRun> {
  const { asked, by, finish } = request;
  const { saver } = thread;
  /** Runs that were in the way. The second time they still are, there is no use in waiting. */
  const seen = new Set<string>();
  for (;;) {
    const admission = await saver.admit(asked, by);
    if (admission.admitted) {
      const claimed = admission.claimed ?? (await saver.claim(asked.runId, by));
      if (claimed) return claimed;
      throw new ThreadBusyError(asked);
    }
    const { active } = admission;
    const claimed = await saver.claim(active.runId, by);
    if (claimed && (isNothing(run.input) || active.input === asked.input)) return claimed;
    if (seen.has(active.runId)) throw new ThreadBusyError(active);
    seen.add(active.runId);
    if (claimed) await finishCrashed(run, claimed, finish);
  }
}

/**
 * What a crashed run comes to is stored with it. One that cannot go on any more, since its node is
 * gone or its texts are damaged, is settled as failed; only what ends this run as well is thrown.
 */
async function finishCrashed(
  run: Run,
  claimed: ClaimedRun,
  finish: Request["finish"],
): Promise<void> {
  let crashed: Run | undefined;
  try {
    const input = decode(claimed.run.input);
    crashed = openRun(run.plan, input, { ...run.settings, runId: undefined });
    takeOver(crashed, crashed.thread!, claimed);
    keepAlive(crashed, crashed.thread!);
    await finish(crashed);
  } catch (error) {
    if (run.abort.signal.aborted || isFenced(error)) throw error;
    if (crashed?.thread?.isSettled) return;
    const open = { asked: claimed.run.input, begun: true };
    await run.thread!.saver.settle(claimed.claim, {
      status: "failed",
      error: encodeError(error, open),
    });
  }
}

/** Keeps the claim while tasks are at work; each commit keeps it too. */
function keepAlive(run: Run, thread: RunThread): void {
  const beat = async (): Promise<void> => {
    if (!thread.isWorking || !thread.claim) return;
    try {
      await thread.saver.renew(thread.claim);
    } catch (error) {
      // Another owner has taken over: nothing that is still done here can be kept.
      if (isFenced(error)) cancel(run, error);
    }
  };
  thread.heartbeat = setInterval(() => void beat(), leaseMs / 3);
  (thread.heartbeat as { unref?: () => void }).unref?.();
}
