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
} from "./saver.ts";
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
} from "./saver-rules.ts";

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

interface Run extends Mutable<StoredRun> {
  /** Its place in the runs of its thread. */
  readonly ordinal: number;
}

interface Thread {
  readonly threadId: string;
  readonly runs: Run[];
  readonly checkpoints: StoredCheckpoint[];
  /** The place of each checkpoint, by id. */
  readonly ordinals: Map<string, number>;
  /** Of the superstep after the head. */
  readonly records: Map<string, string>;
  epoch: number;
  active: Run | undefined;
  head: StoredCheckpoint | undefined;
  /** Grows with each sign of life of any thread. */
  activity: number;
}

/**
 * Keeps runs and checkpoints in this process, for tests and for what may be lost with it. It takes
 * the same encoded texts and keeps the same rules as the savers that last. Its owners live in this
 * process, so only leases decide whether one is gone.
 */
export class MemorySaver implements RunSaver {
  readonly #threads = new Map<string, Thread>();
  readonly #runs = new Map<string, Run>();
  #activity = 0;
  /** The highest epoch of a deleted thread: a claim from then never fits a thread of the same name. */
  #epochFloor = 0;

  async admit(run: NewRun, by?: Claimant): Promise<Admission> {
    checkRun(run);
    if (by !== undefined) checkClaimant(by);
    const existing = this.#runs.get(run.runId);
    if (existing) throw runExists(run.runId, existing.threadId);
    const thread = this.#threads.get(run.threadId) ?? this.#newThread(run.threadId);
    if (thread.active) return { admitted: false, active: copyOf(thread.active) };
    const { runId, threadId, input, graph } = run;
    const now = Date.now();
    const admitted: Run = {
      ordinal: thread.runs.length,
      runId,
      threadId,
      input,
      graph,
      status: "running",
      error: undefined,
      owner: undefined,
      leaseUntil: undefined,
      createdAt: now,
      updatedAt: now,
    };
    thread.runs.push(admitted);
    thread.active = admitted;
    thread.activity = ++this.#activity;
    this.#threads.set(threadId, thread);
    this.#runs.set(runId, admitted);
    return {
      admitted: true,
      claimed: by === undefined ? undefined : this.#take(thread, admitted, by),
    };
  }

  async claim(runId: string, by: Claimant): Promise<ClaimedRun | undefined> {
    checkId("A run id", runId);
    checkClaimant(by);
    const run = this.#runs.get(runId);
    if (run?.status !== "running") return undefined;
    if (run.owner !== by.owner && isLeased(run, Date.now())) return undefined;
    const thread = this.#threads.get(run.threadId);
    return thread && this.#take(thread, run, by);
  }

  async renew(claim: Claim): Promise<void> {
    const thread = this.#fence(claim);
    this.#touch(thread, thread.active, claim.leaseMs);
  }

  async putWrites(claim: Claim, taskId: string, record: string): Promise<string> {
    checkId("A task id", taskId);
    checkText("The record of a task", record);
    const { records } = this.#fence(claim);
    const first = records.get(taskId);
    if (first !== undefined) return first;
    records.set(taskId, record);
    return record;
  }

  async commit(claim: Claim, checkpoint: StoredCheckpoint, outcome?: Outcome): Promise<void> {
    checkCommit(claim, checkpoint, outcome);
    const thread = this.#fence(claim);
    const { active, checkpoints, head, ordinals, records } = thread;
    if (checkpoint.parentId !== head?.id) throw headMoved(claim, checkpoint.parentId, head?.id);
    if (ordinals.has(checkpoint.id)) throw checkpointExists(checkpoint);
    ordinals.set(checkpoint.id, checkpoints.length);
    thread.head = checkpointOf(checkpoint);
    checkpoints.push(thread.head);
    if (records.size > 0) records.clear();
    this.#touch(thread, active, claim.leaseMs);
    if (outcome) endRun(thread, active, outcome);
  }

  async settle(claim: Claim, outcome: Outcome): Promise<void> {
    checkOutcome(outcome);
    const thread = this.#fence(claim);
    this.#touch(thread, thread.active, undefined);
    endRun(thread, thread.active, outcome);
  }

  async stale(olderThanMs: number, limit: number): Promise<readonly StoredRun[]> {
    checkAge(olderThanMs);
    checkLimit("stale", limit);
    const before = Date.now() - olderThanMs;
    return [...this.#threads.values()]
      .flatMap(({ active, activity }) => (active ? [{ active, activity }] : []))
      .filter(({ active }) => active.updatedAt <= before)
      .toSorted((a, b) => a.activity - b.activity)
      .slice(0, limit)
      .map(({ active }) => copyOf(active));
  }

  async latest(threadId: string): Promise<StoredHead | undefined> {
    checkId("A thread id", threadId);
    const thread = this.#threads.get(threadId);
    const state = thread?.head && stateAt(thread, thread.head);
    return state && { ...state, records: new Map(thread?.records) };
  }

  async at(threadId: string, checkpointId: string): Promise<StoredState | undefined> {
    checkId("A thread id", threadId);
    checkId("A checkpoint id", checkpointId);
    const thread = this.#threads.get(threadId);
    const checkpoint = thread && find(thread, checkpointId);
    return checkpoint && stateAt(thread, checkpoint);
  }

  async history(threadId: string, page?: Page): Promise<readonly StoredCheckpoint[]> {
    checkId("A thread id", threadId);
    const { limit, after } = checkPage("history", page);
    const thread = this.#threads.get(threadId);
    const before = after === undefined ? undefined : thread?.ordinals.get(after);
    if (after !== undefined && before === undefined) throw unknownAfter("history", after);
    return thread ? newest(thread.checkpoints, limit, before) : [];
  }

  async runs(threadId: string, page?: Page): Promise<readonly StoredRun[]> {
    checkId("A thread id", threadId);
    const { limit, after } = checkPage("runs", page);
    const thread = this.#threads.get(threadId);
    const last = after === undefined ? undefined : this.#runs.get(after);
    if (after !== undefined && last?.threadId !== threadId) throw unknownAfter("runs", after);
    return thread ? newest(thread.runs, limit, last?.ordinal).map(copyOf) : [];
  }

  async threads(page?: Page): Promise<readonly StoredThread[]> {
    const { limit, after } = checkPage("threads", page);
    const last = after === undefined ? undefined : this.#threads.get(after);
    if (after !== undefined && !last) throw unknownAfter("threads", after);
    const now = Date.now();
    return [...this.#threads.values()]
      .filter(({ activity }) => !last || activity < last.activity)
      .toSorted((a, b) => b.activity - a.activity)
      .slice(0, limit)
      .flatMap(({ threadId, runs, active, head }) => {
        const run = runs.at(-1);
        const isOrphaned = active !== undefined && !isLeased(active, now);
        return run ? [{ threadId, run: copyOf(run), isOrphaned, head }] : [];
      });
  }

  async deleteThread(threadId: string): Promise<void> {
    checkId("A thread id", threadId);
    const thread = this.#threads.get(threadId);
    if (!thread) return;
    this.#epochFloor = Math.max(this.#epochFloor, thread.epoch);
    for (const { runId } of thread.runs) this.#runs.delete(runId);
    this.#threads.delete(threadId);
  }

  #newThread(threadId: string): Thread {
    return {
      threadId,
      runs: [],
      checkpoints: [],
      ordinals: new Map(),
      records: new Map(),
      epoch: this.#epochFloor,
      active: undefined,
      head: undefined,
      activity: 0,
    };
  }

  #take(thread: Thread, run: Run, { owner, leaseMs }: Claimant): ClaimedRun {
    thread.epoch++;
    run.owner = owner;
    this.#touch(thread, run, leaseMs);
    const { runId, threadId } = run;
    const previous = thread.runs[run.ordinal - 1];
    return {
      claim: { runId, threadId, owner, epoch: thread.epoch, leaseMs },
      run: copyOf(run),
      previous: previous && copyOf(previous),
      head: thread.head && stateAt(thread, thread.head),
      records: new Map(thread.records),
    };
  }

  /** The thread, when the claim still holds. */
  #fence(claim: Claim): Thread & { readonly active: Run } {
    const thread = this.#threads.get(claim.threadId);
    if (thread?.epoch === claim.epoch && thread.active?.runId === claim.runId) {
      return thread as Thread & { readonly active: Run };
    }
    throw fenced(
      claim,
      thread && {
        epoch: thread.epoch,
        activeRun: thread.active?.runId,
        owner: thread.active?.owner,
      },
      this.#runs.get(claim.runId)?.status,
    );
  }

  #touch(thread: Thread, run: Run, leaseMs: number | undefined): void {
    const now = Date.now();
    thread.activity = ++this.#activity;
    run.updatedAt = now;
    if (leaseMs !== undefined) run.leaseUntil = leaseEnd(now, leaseMs);
  }
}

function endRun(thread: Thread, run: Run, { status, error }: Outcome): void {
  run.status = status;
  run.error = error;
  if (status === "done") run.input = ""; // the checkpoints have it
  thread.active = undefined;
}

function find(thread: Thread, id: string): StoredCheckpoint | undefined {
  const ordinal = thread.ordinals.get(id);
  return ordinal === undefined ? undefined : thread.checkpoints[ordinal];
}

function stateAt(thread: Thread, checkpoint: StoredCheckpoint): StoredState {
  const chain: string[] = [];
  for (let link: StoredCheckpoint | undefined = checkpoint; link;) {
    chain.push(link.channels);
    link = link.isSnapshot || link.parentId === undefined ? undefined : find(thread, link.parentId);
  }
  return { checkpoint, chain: chain.toReversed() };
}

/** The last items, or the last ones before a place, in reverse. */
function newest<Item>(items: readonly Item[], limit: number, before = items.length): Item[] {
  return items.slice(Math.max(0, before - limit), before).toReversed();
}

function copyOf(run: Run): StoredRun {
  const { ordinal: _ordinal, ...stored } = run;
  return stored;
}

/** What the caller holds may change later. */
function checkpointOf(given: StoredCheckpoint): StoredCheckpoint {
  const { id, parentId, threadId, runId, step, source, counted } = given;
  const { createdAt, isSnapshot, channels, next, tasks } = given;
  return Object.freeze({
    id,
    parentId,
    threadId,
    runId,
    step,
    source,
    counted,
    createdAt,
    isSnapshot,
    channels,
    next,
    tasks,
  });
}
