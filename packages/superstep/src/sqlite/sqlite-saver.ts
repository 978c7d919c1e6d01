import { resolve } from "node:path";
import type {
  Admission,
  Claim,
  Claimant,
  ClaimedRun,
  NewRun,
  Outcome,
  Page,
  RunSaver,
  StoredCheckpoint,
  StoredHead,
  StoredRun,
  StoredState,
  StoredThread,
} from "../checkpoint/saver.ts";
import {
  checkAge,
  checkClaimant,
  checkCommit,
  checkId,
  checkLimit,
  checkOutcome,
  checkPage,
  checkpointExists,
  checkRun,
  checkText,
  fenced,
  headMoved,
  isLeased,
  leaseEnd,
  runExists,
  unknownAfter,
} from "../checkpoint/saver-rules.ts";
import { checkRequired } from "../errors/check-options.ts";
import { describe } from "../errors/describe.ts";
import { SuperstepError } from "../errors/errors.ts";
import { Database } from "./database.ts";
import { isDuplicate } from "./errors.ts";
import { isOwnerGone, newOwner } from "./owner.ts";
import {
  findRecords,
  findRun,
  findState,
  type FoundRun,
  type StandingRow,
  type ThreadRow,
  toCheckpoint,
  toRun,
} from "./rows.ts";
import { type Parameter, prepareStatements, type Statements } from "./statements.ts";

export interface SqliteSaverOptions {
  /** The file; it is made when it is not there. ":memory:" keeps everything in this process. */
  readonly path: string;
  /**
   * `FULL`, the default: what was stored survives a loss of power. `NORMAL`: the last few writes may
   * be missing after one, the file stays sound, and a write does not wait for the disk. A process
   * that is killed loses nothing with either.
   */
  readonly synchronous?: "FULL" | "NORMAL" | undefined;
  /** How long a call waits for other connections that write to the file. Default 5,000. */
  readonly busyTimeoutMs?: number | undefined;
}

/** A run with the numbers of its rows. */
interface Located extends FoundRun {
  readonly thread: number;
}

const optionNames: ReadonlySet<string> = new Set(["path", "synchronous", "busyTimeoutMs"]);
const beyond = Number.MAX_SAFE_INTEGER;

/**
 * Keeps runs and checkpoints in an SQLite file, for any number of processes of one machine: a run
 * whose process was killed can be taken over at once. Each call that changes something is one
 * transaction. The file is opened by the first call, which rejects with `SAVER_ERROR` when it cannot be
 * used and `MISSING_PACKAGE` when this Node has no `node:sqlite`.
 */
export class SqliteSaver implements RunSaver {
  readonly #db: Database<Statements>;
  #lastMoment = 0;

  constructor(pathOrOptions: string | SqliteSaverOptions) {
    const { path, synchronous, busyTimeoutMs } = checkedOptions(pathOrOptions);
    const prepare = prepareStatements;
    this.#db = new Database({ path, synchronous, busyTimeoutMs, prepare });
  }

  /** As LangGraph.js has it: `new SqliteSaver(path)`. */
  static fromConnString(path: string): SqliteSaver {
    return new SqliteSaver(path);
  }

  /** Closes the file. What is called after that, or still waits for the lock, rejects. */
  close(): void {
    this.#db.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  newOwner(): string {
    return newOwner();
  }

  async admit(run: NewRun, by?: Claimant): Promise<Admission> {
    checkRun(run);
    if (by !== undefined) checkClaimant(by);
    const { runId, threadId, input, graph } = run;
    return this.#db.run("write", (s): Admission => {
      const existing = findRun(s.runByName, runId);
      if (existing) throw runExists(runId, existing.run.threadId);
      const standing = s.standing.get(threadId);
      const moment = this.#now();
      if (standing && standing.active !== null) {
        return { admitted: false, active: theRun(s, standing.active).run };
      }
      const thread = standing?.thread ?? Number(s.addThread.run(threadId, moment).lastInsertRowid);
      const createdAt = toMs(moment);
      const key = Number(s.addRun.run(runId, thread, createdAt, graph, input).lastInsertRowid);
      s.activate.run(key, moment, thread);
      if (by === undefined) return { admitted: true, claimed: undefined };
      return { admitted: true, claimed: this.#take(s, { ...theRun(s, key), thread }, by) };
    });
  }

  async claim(runId: string, by: Claimant): Promise<ClaimedRun | undefined> {
    checkId("A run id", runId);
    checkClaimant(by);
    return this.#db.run("write", (s) => {
      const found = findRun(s.runByName, runId);
      if (found?.run.status !== "running") return undefined;
      if (found.run.owner !== by.owner && isHeld(found.run)) return undefined;
      const thread = s.thread.get(found.run.threadId);
      return thread && this.#take(s, { ...found, thread: thread.id }, by);
    });
  }

  #take(s: Statements, { key, run, thread }: Located, { owner, leaseMs }: Claimant): ClaimedRun {
    const moment = this.#now();
    const leaseUntil = leaseEnd(toMs(moment), leaseMs);
    const { epoch } = s.take.get(owner, leaseUntil, moment, thread)!;
    const { runId, threadId } = run;
    const head = s.thread.get(threadId)?.head ?? undefined;
    return {
      claim: { runId, threadId, owner, epoch, leaseMs },
      run: theRun(s, key).run,
      previous: findRun(s.runsBefore, thread, key, 1)?.run,
      head: head === undefined ? undefined : findState(s, s.checkpoint, head),
      records: findRecords(s, thread),
    };
  }

  async renew(claim: Claim): Promise<void> {
    return this.#db.run("write", (s) => {
      const { thread } = fence(s, claim);
      const moment = this.#now();
      s.renew.run(leaseEnd(toMs(moment), claim.leaseMs), moment, thread);
    });
  }

  async putWrites(claim: Claim, taskId: string, record: string): Promise<string> {
    checkId("A task id", taskId);
    checkText("The record of a task", record);
    const { epoch, runId, threadId } = claim;
    const added = await this.#db.run("statement", (s) =>
      s.addRecord.run(taskId, record, threadId, epoch, runId),
    );
    if (added.changes === 1) return record;
    return this.#db.run("read", (s) => {
      const { thread } = fence(s, claim);
      return s.record.get(thread, taskId)!.record;
    });
  }

  async commit(claim: Claim, checkpoint: StoredCheckpoint, outcome?: Outcome): Promise<void> {
    checkCommit(claim, checkpoint, outcome);
    const { id, parentId, step, source, counted, createdAt } = checkpoint;
    const { isSnapshot, channels, next, tasks } = checkpoint;
    return this.#db.run("write", (s) => {
      const { thread, active, head, headId, hasRecords } = fence(s, claim);
      if ((headId ?? undefined) !== parentId) throw headMoved(claim, parentId, headId ?? undefined);
      const row = [id, thread, active, head, step, source === "input" ? 1 : 0, counted, createdAt];
      const content = [isSnapshot ? 1 : 0, channels, next, tasks];
      const added = add(s, checkpoint, [...row, ...content]);
      const moment = this.#now();
      s.moveHead.run(added, leaseEnd(toMs(moment), claim.leaseMs), moment, thread);
      if (hasRecords === 1) s.clearRecords.run(thread);
      if (outcome) this.#end(s, { thread, run: active }, outcome);
    });
  }

  async settle(claim: Claim, outcome: Outcome): Promise<void> {
    checkOutcome(outcome);
    return this.#db.run("write", (s) => {
      const { thread, active } = fence(s, claim);
      this.#end(s, { thread, run: active }, outcome);
    });
  }

  #end(
    s: Statements,
    { thread, run }: { readonly thread: number; readonly run: number },
    { status, error }: Outcome,
  ): void {
    const moment = this.#now();
    s.endRun.run(status, error ?? null, moment, status, run);
    s.release.run(moment, thread);
  }

  async stale(olderThanMs: number, limit: number): Promise<readonly StoredRun[]> {
    checkAge(olderThanMs);
    checkLimit("stale", limit);
    return this.#db.run("read", (s) => {
      const before = Date.now() - olderThanMs;
      const found: StoredRun[] = [];
      for (const { active, owner, touched } of s.running.all()) {
        if (found.length >= limit) break;
        if (toMs(touched) > before && !(owner !== null && isOwnerGone(owner))) continue;
        found.push(theRun(s, active).run);
      }
      return found;
    });
  }

  async latest(threadId: string): Promise<StoredHead | undefined> {
    checkId("A thread id", threadId);
    return this.#db.run("read", (s) => {
      const thread = s.thread.get(threadId);
      const state = thread && thread.head !== null && findState(s, s.checkpoint, thread.head);
      return state ? { ...state, records: findRecords(s, thread.id) } : undefined;
    });
  }

  async at(threadId: string, checkpointId: string): Promise<StoredState | undefined> {
    checkId("A thread id", threadId);
    checkId("A checkpoint id", checkpointId);
    return this.#db.run("read", (s) => {
      const thread = s.thread.get(threadId);
      return thread && findState(s, s.checkpointByName, thread.id, checkpointId);
    });
  }

  async history(threadId: string, page?: Page): Promise<readonly StoredCheckpoint[]> {
    checkId("A thread id", threadId);
    const { limit, after } = checkPage("history", page);
    return this.#db.run("read", (s) => {
      const thread = s.thread.get(threadId)?.id;
      if (after === undefined) {
        return thread === undefined ? [] : s.newest.all(thread, limit).map(toCheckpoint);
      }
      if (thread === undefined || !s.hasCheckpoint.get(thread, after)) {
        throw unknownAfter("history", after);
      }
      return s.newestBefore.all(thread, after, limit).map(toCheckpoint);
    });
  }

  async runs(threadId: string, page?: Page): Promise<readonly StoredRun[]> {
    checkId("A thread id", threadId);
    const { limit, after } = checkPage("runs", page);
    return this.#db.run("read", (s) => {
      const last = after === undefined ? undefined : findRun(s.runByName, after);
      if (after !== undefined && last?.run.threadId !== threadId) throw unknownAfter("runs", after);
      const thread = s.thread.get(threadId);
      if (!thread) return [];
      return s.runsBefore.all(thread.id, last?.key ?? beyond, limit).map(toRun);
    });
  }

  async threads(page?: Page): Promise<readonly StoredThread[]> {
    const { limit, after } = checkPage("threads", page);
    return this.#db.run("read", (s) => {
      const last = after === undefined ? undefined : s.thread.get(after);
      if (after !== undefined && !last) throw unknownAfter("threads", after);
      const { touched, id } = last ?? { touched: beyond, id: beyond };
      const part = [touched, id, limit] as const;
      const rows = s.threadsBefore.all(...part, ...part, limit);
      return rows.map((row) => threadOf(s, row));
    });
  }

  async deleteThread(threadId: string): Promise<void> {
    checkId("A thread id", threadId);
    return this.#db.run("write", (s) => {
      const standing = s.standing.get(threadId);
      if (!standing) return;
      s.raiseFloor.run(standing.epoch);
      s.clearRecords.run(standing.thread);
      s.deleteCheckpoints.run(standing.thread);
      s.deleteRuns.run(standing.thread);
      s.deleteThread.run(standing.thread);
    });
  }

  /** The time in thousandths of a millisecond, above every earlier one of this saver. */
  #now(): number {
    this.#lastMoment = Math.max(this.#lastMoment + 1, Date.now() * 1_000);
    return this.#lastMoment;
  }
}

function threadOf(s: Statements, { id, head }: ThreadRow): StoredThread {
  const run = toRun(s.lastRun.get(id)!);
  const row = head === null ? undefined : s.checkpoint.get(head);
  return {
    threadId: run.threadId,
    run,
    isOrphaned: run.status === "running" && !isHeld(run),
    head: row && toCheckpoint(row),
  };
}

function add(s: Statements, checkpoint: StoredCheckpoint, row: Parameter[]): number | bigint {
  try {
    return s.addCheckpoint.run(...row).lastInsertRowid;
  } catch (error) {
    throw isDuplicate(error) ? checkpointExists(checkpoint) : error;
  }
}

/** What the row of a thread says, when the claim still holds. */
function fence(s: Statements, claim: Claim): StandingRow & { readonly active: number } {
  const row = s.standing.get(claim.threadId);
  if (row?.epoch === claim.epoch && row.activeRun === claim.runId) {
    return row as StandingRow & { readonly active: number };
  }
  const { epoch = 0, activeRun, owner } = row ?? {};
  throw fenced(
    claim,
    row && { epoch, activeRun: activeRun ?? undefined, owner: owner ?? undefined },
    findRun(s.runByName, claim.runId)?.run.status,
  );
}

function theRun(s: Statements, key: number): FoundRun {
  return findRun(s.run, key)!;
}

function isHeld(run: StoredRun): boolean {
  return isLeased(run, Date.now()) && run.owner !== undefined && !isOwnerGone(run.owner);
}

function toMs(moment: number): number {
  return Math.floor(moment / 1_000);
}

function checkedOptions(given: string | SqliteSaverOptions): {
  readonly path: string;
  readonly synchronous: "FULL" | "NORMAL";
  readonly busyTimeoutMs: number;
} {
  const options = typeof given === "string" ? { path: given } : given;
  const {
    path,
    synchronous = "FULL",
    busyTimeoutMs = 5_000,
  } = checkRequired("SqliteSaver", options, optionNames);
  if (typeof path !== "string" || path === "") {
    throw refused("path", path, 'Give the path of a file, or ":memory:".');
  }
  if (synchronous !== "FULL" && synchronous !== "NORMAL") {
    throw refused("synchronous", synchronous, 'Use "FULL" or "NORMAL".');
  }
  if (!Number.isFinite(busyTimeoutMs) || busyTimeoutMs < 0) {
    throw refused("busyTimeoutMs", busyTimeoutMs, "Give a number of milliseconds from 0 on.");
  }
  // The folder of the process may change before the file is opened.
  const isFile = path !== ":memory:" && !path.startsWith("file:");
  return { path: isFile ? resolve(path) : path, synchronous, busyTimeoutMs };
}

function refused(name: string, value: unknown, fix: string): SuperstepError {
  return new SuperstepError(
    "INVALID_OPTION",
    `${name} of SqliteSaver cannot be ${describe(value)}.`,
    { fix },
  );
}
