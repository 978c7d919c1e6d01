import type { DatabaseSync, StatementSync } from "node:sqlite";
import { isBusy, isClosed, saverError, stayedLocked } from "./errors.ts";
import { loadSqlite } from "./load.ts";
import { ensureSchema } from "./schema.ts";

/** How long SQLite itself waits for a lock, and so blocks the process. */
const blockMs = 5;
/** How long to wait between attempts, give or take a half. */
const pauseMs = 10;

/** The parts of a transaction. */
interface Bounds {
  readonly read: StatementSync;
  readonly write: StatementSync;
  readonly commit: StatementSync;
  readonly rollback: StatementSync;
}

interface Connection<Statements> {
  readonly db: DatabaseSync;
  readonly bounds: Bounds;
  readonly statements: Statements;
}

export interface DatabaseOptions<Statements> {
  readonly path: string;
  readonly synchronous: "FULL" | "NORMAL";
  readonly busyTimeoutMs: number;
  readonly prepare: (db: DatabaseSync) => Statements;
}

/** `statement`: the work is one statement, which is a transaction by itself. */
type Mode = "read" | "write" | "statement";

/**
 * One connection to a file. Work is done in one go, in one transaction, when it is its turn; while
 * another connection holds the lock, it is tried again with pauses in which the process is free. So
 * work may be called several times, and only what its last call stored is kept.
 */
export class Database<Statements> {
  readonly #options: DatabaseOptions<Statements>;
  #connection: Connection<Statements> | undefined;
  #isClosed = false;
  /** The last of those that wait to write: the first to come is the first to go. */
  #queue: Promise<unknown> | undefined;
  /** Since when no attempt to write has got the lock. */
  #lockedSince: number | undefined;

  constructor(options: DatabaseOptions<Statements>) {
    this.#options = options;
  }

  async run<T>(mode: Mode, work: (statements: Statements) => T): Promise<T> {
    if (mode === "read" || this.#queue === undefined) {
      try {
        return this.#attempt(mode, work);
      } catch (error) {
        if (!isBusy(error)) throw saverError(this.#options.path, error);
      }
      if (mode === "read") return this.#repeat(mode, work);
    }
    const { promise: turn, resolve: done } = Promise.withResolvers<void>();
    const before = this.#queue;
    this.#queue = turn;
    const called = performance.now();
    try {
      await before;
      return await this.#repeat(mode, work, called);
    } finally {
      if (this.#queue === turn) this.#queue = undefined;
      done();
    }
  }

  async #repeat<T>(
    mode: Mode,
    work: (statements: Statements) => T,
    called: number = performance.now(),
  ): Promise<T> {
    const { busyTimeoutMs, path } = this.#options;
    for (;;) {
      try {
        return this.#attempt(mode, work);
      } catch (error) {
        if (!isBusy(error)) throw saverError(path, error);
        const now = performance.now();
        this.#lockedSince ??= now;
        const left = Math.max(called, this.#lockedSince) + busyTimeoutMs - now;
        if (left <= 0) throw stayedLocked(path, busyTimeoutMs, error);
        await sleep(Math.min(left, pauseMs * (0.5 + Math.random())));
      }
    }
  }

  #attempt<T>(mode: Mode, work: (statements: Statements) => T): T {
    const { db, bounds, statements } = this.#open();
    if (mode === "statement") return work(statements);
    bounds[mode].run();
    try {
      const result = work(statements);
      bounds.commit.run();
      if (mode === "write") this.#lockedSince = undefined;
      return result;
    } catch (error) {
      if (db.isTransaction) bounds.rollback.run();
      throw error;
    }
  }

  #open(): Connection<Statements> {
    if (this.#connection) return this.#connection;
    const { path, prepare, synchronous } = this.#options;
    if (this.#isClosed) throw isClosed(path);
    const { DatabaseSync } = loadSqlite();
    const db = new DatabaseSync(path, { timeout: blockMs, enableForeignKeyConstraints: false });
    try {
      db.exec("PRAGMA journal_mode = WAL");
      db.exec(synchronous === "FULL" ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL");
      db.exec("PRAGMA trusted_schema = OFF; PRAGMA journal_size_limit = 67108864");
      ensureSchema(db, path);
      const bounds: Bounds = {
        read: db.prepare("BEGIN"),
        write: db.prepare("BEGIN IMMEDIATE"),
        commit: db.prepare("COMMIT"),
        rollback: db.prepare("ROLLBACK"),
      };
      this.#connection = { db, bounds, statements: prepare(db) };
      return this.#connection;
    } catch (error) {
      db.close();
      throw error;
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#connection?.db.close();
    this.#connection = undefined;
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
