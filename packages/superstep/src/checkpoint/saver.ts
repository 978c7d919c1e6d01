/*
 * thread      the checkpoints that share a thread id, oldest first
 * run         from an input to its end; at most one of a thread is active
 * checkpoint  the state of a thread after a superstep
 * record      what a finished task of the superstep at work wrote and sent
 * claim       the right to write to a thread: a lease that ends, with an epoch that only grows
 *
 * A saver keeps texts. What is in them is made by `codec.ts` and `stored-state.ts`, before a saver is called, so a
 * transaction never waits for encoding and every saver keeps values alike.
 */

/** How a run stands. `running` is also that of a run whose process died. */
export type RunStatus = "running" | "done" | "failed" | "cancelled";

/** A run to admit. */
export interface NewRun {
  readonly runId: string;
  readonly threadId: string;
  /** Encoded. Empty once the run is done: its checkpoints hold what came of it. */
  readonly input: string;
  /** Encoded: the graph's name and how it was built. */
  readonly graph: string;
}

/** A run as it is stored. Times are milliseconds since 1970. */
export interface StoredRun extends NewRun {
  readonly status: RunStatus;
  /** Encoded `{ name, message, code }` of the error that ended a run that failed or was cancelled. */
  readonly error: string | undefined;
  /** Who claimed the run last, and until when unless it renews; `undefined` before the first claim. */
  readonly owner: string | undefined;
  readonly leaseUntil: number | undefined;
  readonly createdAt: number;
  /** The last sign of life: an admission, a claim, a renewal, a commit, the end. */
  readonly updatedAt: number;
}

/** Who claims, and for how long unless it renews. */
export interface Claimant {
  readonly owner: string;
  readonly leaseMs: number;
}

/** Whether a run was let in, or which one is active on its thread. */
export type Admission =
  /** `claimed`: when it was claimed with the admission. */
  | { readonly admitted: true; readonly claimed: ClaimedRun | undefined }
  | { readonly admitted: false; readonly active: StoredRun };

/** The right to write to a thread. Every write compares the epoch: an older claim is refused. */
export interface Claim {
  readonly runId: string;
  readonly threadId: string;
  readonly owner: string;
  readonly epoch: number;
  readonly leaseMs: number;
}

/** What a claim finds. */
export interface ClaimedRun {
  readonly claim: Claim;
  readonly run: StoredRun;
  /** The run of the thread that was admitted before this one. */
  readonly previous: StoredRun | undefined;
  /** Where the thread stands; `undefined` for a new one. */
  readonly head: StoredState | undefined;
  /** Records of tasks of the superstep after the head, by task id. */
  readonly records: ReadonlyMap<string, string>;
}

export interface StoredCheckpoint {
  /** ASCII. Sorts by time, as text, and always after its parent. */
  readonly id: string;
  readonly parentId: string | undefined;
  readonly threadId: string;
  readonly runId: string;
  /** Counts the supersteps of the thread, from 0. */
  readonly step: number;
  /** What made it: the input of a run, or a superstep of its loop. */
  readonly source: "input" | "loop";
  /** Supersteps of the run so far that count against its recursion limit. */
  readonly counted: number;
  readonly createdAt: number;
  /** Whether `channels` holds the whole state; else what has changed since the parent. */
  readonly isSnapshot: boolean;
  /** Encoded. */
  readonly channels: string;
  /** Encoded: the tasks that are due next. */
  readonly next: string;
  /** Encoded: the tasks that ran, and what they noted for the trace. */
  readonly tasks: string;
}

/** A checkpoint with what it takes to load it. */
export interface StoredState {
  readonly checkpoint: StoredCheckpoint;
  /** `channels` of the checkpoints from the last snapshot to this one, oldest first. */
  readonly chain: readonly string[];
}

/** How a run ended. */
export interface Outcome {
  readonly status: "done" | "failed" | "cancelled";
  /** Encoded `{ name, message, code }`. */
  readonly error?: string | undefined;
}

/** A thread in a list of threads. */
export interface StoredThread {
  readonly threadId: string;
  /** Its last run. */
  readonly run: StoredRun;
  /** Whether the run is marked as running and nobody holds it: never claimed, owner gone or lease over. */
  readonly isOrphaned: boolean;
  /** `undefined` before the first superstep of the first run. */
  readonly head: StoredCheckpoint | undefined;
}

export interface Page {
  /** Default 100. */
  readonly limit?: number | undefined;
  /**
   * Only what comes after this item in the order of the list: the id of the last one of a page.
   * `INVALID_OPTION` when there is no such item (any more).
   */
  readonly after?: string | undefined;
}

/**
 * Keeps runs and checkpoints: the truth about each run; whoever executes it is replaceable.
 *
 * Every promise resolves when what was asked is durable, and every method that changes something
 * does so in one transaction. Writes under a claim reject with `RUN_FENCED` when the thread was
 * claimed by somebody else since, or the run has been settled. What the storage itself
 * throws is wrapped as `SAVER_ERROR` with that as its cause. A method never throws at once: it rejects.
 *
 * Thread, run, task and owner ids are any texts that are not empty. A NUL character or half a surrogate
 * pair, in an id or in an encoded text, is `INVALID_OPTION`: not every database gives them back.
 */
export interface RunSaver {
  /**
   * A new owner for claims, from which other processes can tell whether it is gone. Without
   * this any text that nobody else uses does, and only leases decide.
   */
  readonly newOwner?: () => string;

  /**
   * Stores the run and makes it the active one of its thread, unless another is. With `by` it is
   * claimed in the same transaction, so that nobody can take it between the two. A run id that
   * exists already, on any thread, is `INVALID_OPTION`.
   */
  admit(run: NewRun, by?: Claimant): Promise<Admission>;
  /**
   * Takes the run over, with an epoch above every earlier one of the thread. `undefined` when it is
   * settled or unknown, or another owner holds a lease that is not over (and is not known to be gone).
   */
  claim(runId: string, by: Claimant): Promise<ClaimedRun | undefined>;
  /** Lets the lease begin anew; `commit` does it too. */
  renew(claim: Claim): Promise<void>;
  /**
   * Stores what a finished task of the superstep at work wrote. The first record of a task wins:
   * resolves with the one that is stored.
   */
  putWrites(claim: Claim, taskId: string, record: string): Promise<string>;
  /**
   * Stores a checkpoint and makes it the head, when its parent is the head; the records of the
   * superstep that led to it go. With `outcome` the run is settled in the same transaction.
   */
  commit(claim: Claim, checkpoint: StoredCheckpoint, outcome?: Outcome): Promise<void>;
  /** Ends the run; the thread is free for the next one. */
  settle(claim: Claim, outcome: Outcome): Promise<void>;
  /**
   * Runs that are marked as running and gave no sign of life for so long, or whose owner is known to
   * be gone; the one that has been silent longest first.
   */
  stale(olderThanMs: number, limit: number): Promise<readonly StoredRun[]>;

  /** The head of a thread, with the records of the superstep at work. `undefined` before the first checkpoint. */
  latest(threadId: string): Promise<StoredHead | undefined>;
  /** One checkpoint of a thread. */
  at(threadId: string, checkpointId: string): Promise<StoredState | undefined>;
  /** The checkpoints of a thread, newest first. `after`: a checkpoint id. */
  history(threadId: string, page?: Page): Promise<readonly StoredCheckpoint[]>;
  /** The runs of a thread, newest first. `after`: a run id. */
  runs(threadId: string, page?: Page): Promise<readonly StoredRun[]>;
  /** Threads, the one with the last activity first. `after`: a thread id. */
  threads(page?: Page): Promise<readonly StoredThread[]>;
  /** Removes a thread with its runs and checkpoints. A run that is at work is fenced. */
  deleteThread(threadId: string): Promise<void>;
}

/** Where a thread stands. */
export interface StoredHead extends StoredState {
  readonly records: ReadonlyMap<string, string>;
}
