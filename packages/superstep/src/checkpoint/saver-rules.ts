/* What every saver of this package refuses, in the same words. */
import { checkOptions } from "../errors/check-options.ts";
import { describe } from "../errors/describe.ts";
import { SuperstepError } from "../errors/errors.ts";
import type {
  Claim,
  Claimant,
  NewRun,
  Outcome,
  Page,
  RunStatus,
  StoredCheckpoint,
} from "./saver.ts";

/**
 * Half a surrogate pair has no UTF-8, and some databases end a text at NUL: what they gave back would be
 * another text, and two ids could become one. JSON escapes both.
 */
function isStorable(text: unknown): boolean {
  return typeof text === "string" && text.isWellFormed() && !text.includes("\0");
}

export function checkId(what: string, id: string): void {
  if (id !== "" && isStorable(id)) return;
  throw new SuperstepError("INVALID_OPTION", `${what} cannot be ${describe(id)}.`, {
    fix: "Give a text that is not empty, without NUL characters and halves of surrogate pairs.",
  });
}

export function checkText(what: string, text: string): void {
  if (isStorable(text)) return;
  throw new SuperstepError("INVALID_OPTION", `${what} cannot be ${describe(text)}.`, {
    fix: "Give an encoded text without NUL characters and halves of surrogate pairs, as JSON is.",
  });
}

export function checkRun(run: NewRun): void {
  checkId("A run id", run.runId);
  checkId("A thread id", run.threadId);
  checkText("The input of a run", run.input);
  checkText("The graph of a run", run.graph);
}

export function checkClaimant({ owner, leaseMs }: Claimant): void {
  checkId("The owner of a claim", owner);
  if (Number.isSafeInteger(leaseMs) && leaseMs > 0) return;
  throw new SuperstepError("INVALID_OPTION", `leaseMs cannot be ${describe(leaseMs)}.`, {
    fix: "Give a whole number of milliseconds above 0.",
  });
}

export function checkOutcome({ status, error }: Outcome): void {
  if (error !== undefined) checkText("The error of an outcome", error);
  if (status === "done" || status === "failed" || status === "cancelled") return;
  throw new SuperstepError("INVALID_OPTION", `A run cannot be settled as ${describe(status)}.`, {
    fix: 'Use "done", "failed" or "cancelled".',
  });
}

export function checkCommit(claim: Claim, checkpoint: StoredCheckpoint, outcome?: Outcome): void {
  checkNewId(checkpoint);
  checkText("The channels of a checkpoint", checkpoint.channels);
  checkText("The next tasks of a checkpoint", checkpoint.next);
  checkText("The tasks of a checkpoint", checkpoint.tasks);
  if (outcome !== undefined) checkOutcome(outcome);
  if (checkpoint.threadId === claim.threadId && checkpoint.runId === claim.runId) return;
  throw new SuperstepError(
    "INVALID_OPTION",
    `A checkpoint of ${runOf(checkpoint)} cannot be committed under a claim of ${runOf(claim)}.`,
    { fix: "Commit a checkpoint under the claim of its own run." },
  );
}

/** History is in the order of the ids, so that one index serves it. */
function checkNewId({ id, parentId }: StoredCheckpoint): void {
  if (typeof id !== "string" || !/^[!-~]+$/.test(id)) {
    throw new SuperstepError("INVALID_OPTION", `A checkpoint id cannot be ${describe(id)}.`, {
      fix: "Give visible ASCII characters that sort by time.",
    });
  }
  if (parentId === undefined || id > parentId) return;
  throw new SuperstepError(
    "INVALID_OPTION",
    `Checkpoint ${JSON.stringify(id)} does not sort after its parent ${JSON.stringify(parentId)}.`,
    { fix: "Give each checkpoint an id that sorts after that of its parent." },
  );
}

export interface CheckedPage {
  readonly limit: number;
  readonly after: string | undefined;
}

const pageOptions: ReadonlySet<string> = new Set(["limit", "after"]);

export function checkPage(where: string, page: Page | undefined): CheckedPage {
  const { limit = 100, after } = checkOptions(where, page, pageOptions);
  checkLimit(where, limit);
  if (after !== undefined) checkId(`after of ${where}`, after);
  return { limit, after };
}

export function checkLimit(where: string, limit: number): void {
  if (Number.isSafeInteger(limit) && limit >= 0) return;
  throw new SuperstepError("INVALID_OPTION", `limit of ${where} cannot be ${describe(limit)}.`, {
    fix: "Give a whole number from 0 on.",
  });
}

export function checkAge(olderThanMs: number): void {
  if (Number.isFinite(olderThanMs) && olderThanMs >= 0) return;
  throw new SuperstepError(
    "INVALID_OPTION",
    `olderThanMs of stale cannot be ${describe(olderThanMs)}.`,
    { fix: "Give a number of milliseconds from 0 on." },
  );
}

/** An empty page would look like the end of the list. */
export function unknownAfter(where: string, after: string): SuperstepError {
  return new SuperstepError(
    "INVALID_OPTION",
    `${where} cannot go on after ${JSON.stringify(after)}: there is no such item any more.`,
    { fix: "List from the start again." },
  );
}

export function runExists(runId: string, threadId: string): SuperstepError {
  return new SuperstepError(
    "INVALID_OPTION",
    `Run ${JSON.stringify(runId)} exists already, on thread ${JSON.stringify(threadId)}.`,
    { fix: "Give each run an id of its own; to go on with a run that exists, claim it." },
  );
}

export function checkpointExists({ id, threadId }: StoredCheckpoint): SuperstepError {
  return new SuperstepError(
    "INVALID_OPTION",
    `Checkpoint ${JSON.stringify(id)} of thread ${JSON.stringify(threadId)} exists already.`,
    { fix: "Give each checkpoint of a thread an id of its own." },
  );
}

/** How a thread stands for somebody who wants to write to it. */
export interface Standing {
  readonly epoch: number;
  readonly activeRun: string | undefined;
  readonly owner: string | undefined;
}

/** The refusal of a write, when the thread is no longer what the claim was for. */
export function fenced(
  claim: Claim,
  now: Standing | undefined,
  settledAs: RunStatus | undefined,
): SuperstepError | undefined {
  if (now === undefined) return fencedBecause(claim, "the thread was deleted");
  const { activeRun, epoch, owner } = now;
  if (activeRun === claim.runId) {
    if (epoch === claim.epoch) return undefined;
    const holder = owner === undefined ? "somebody" : JSON.stringify(owner);
    return fencedBecause(
      claim,
      `${holder} claimed it since (epoch ${epoch}, this claim has ${claim.epoch})`,
    );
  }
  if (activeRun !== undefined) {
    const holder = owner === undefined ? "not claimed yet" : `claimed by ${JSON.stringify(owner)}`;
    return fencedBecause(claim, `run ${JSON.stringify(activeRun)} is active there now, ${holder}`);
  }
  return fencedBecause(
    claim,
    settledAs === undefined
      ? "the run was deleted with its thread"
      : `the run is settled as ${JSON.stringify(settledAs)}`,
  );
}

/** The refusal of a commit that does not go on from the head. */
export function headMoved(claim: Claim, parentId?: string, head?: string): SuperstepError {
  return fencedBecause(
    claim,
    `the head of the thread is ${idOrNone(head)}, and the checkpoint goes on from ${idOrNone(parentId)}`,
  );
}

function idOrNone(id: string | undefined): string {
  return id === undefined ? "none" : JSON.stringify(id);
}

function fencedBecause(claim: Claim, why: string): SuperstepError {
  return new SuperstepError("RUN_FENCED", `The claim of ${runOf(claim)} is over: ${why}.`, {
    fix: "Stop working on the run here: nothing was written, and the other one goes on with it.",
  });
}

function runOf({ runId, threadId }: Pick<Claim, "runId" | "threadId">): string {
  return `run ${JSON.stringify(runId)} on thread ${JSON.stringify(threadId)}`;
}

/** Whether somebody holds the lease. An owner that is known to be gone holds none. */
export function isLeased(
  run: { readonly owner: string | undefined; readonly leaseUntil: number | undefined },
  now: number,
): boolean {
  return run.owner !== undefined && run.leaseUntil !== undefined && run.leaseUntil > now;
}

export function leaseEnd(now: number, leaseMs: number): number {
  return Math.min(now + leaseMs, Number.MAX_SAFE_INTEGER);
}
