import type { DatabaseSync } from "node:sqlite";
import { newerSchema } from "./errors.ts";

/** Grows when older releases could not read or write the tables any more. */
const version = 1;

/*
 * Rows are joined by small numbers; the ids of users are stored once each. While a run is running its
 * owner, lease and last sign of life are those of its thread, so that a commit updates one row.
 *
 *   saver       one row: the version of the tables, and the highest epoch of a deleted thread
 *   thread      head, epoch, active run, owner, lease
 *   run         `owner` and after: set when it is settled
 *   checkpoint  the long texts come last, where reading the rest does not touch them
 *   record      of the superstep after the head of its thread
 *
 * `touched` is in thousandths of a millisecond, so that a saver never gives one moment twice.
 * It has an index for idle threads only: those of the active ones change with each commit.
 */
const tables = `
CREATE TABLE IF NOT EXISTS superstep_saver (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  version INTEGER NOT NULL,
  epoch_floor INTEGER NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS superstep_thread (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  epoch INTEGER NOT NULL,
  head INTEGER,
  active INTEGER,
  owner TEXT,
  lease_until INTEGER,
  touched INTEGER NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS superstep_thread_active ON superstep_thread (active) WHERE active IS NOT NULL;
CREATE INDEX IF NOT EXISTS superstep_thread_idle ON superstep_thread (touched) WHERE active IS NULL;
CREATE TABLE IF NOT EXISTS superstep_run (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  thread INTEGER NOT NULL,
  status TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  owner TEXT,
  lease_until INTEGER,
  touched INTEGER,
  error TEXT,
  graph TEXT NOT NULL,
  input TEXT NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS superstep_run_thread ON superstep_run (thread);
CREATE TABLE IF NOT EXISTS superstep_checkpoint (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  thread INTEGER NOT NULL,
  run INTEGER NOT NULL,
  parent INTEGER,
  step INTEGER NOT NULL,
  is_input INTEGER NOT NULL,
  counted INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  is_snapshot INTEGER NOT NULL,
  channels TEXT NOT NULL,
  next TEXT NOT NULL,
  tasks TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX IF NOT EXISTS superstep_checkpoint_name ON superstep_checkpoint (thread, name);
CREATE TABLE IF NOT EXISTS superstep_record (
  thread INTEGER NOT NULL,
  task TEXT NOT NULL,
  record TEXT NOT NULL,
  PRIMARY KEY (thread, task)
) STRICT, WITHOUT ROWID;
INSERT OR IGNORE INTO superstep_saver (id, version, epoch_floor) VALUES (1, ${version}, 0);
`;

/** Makes the tables when they are not there; several processes may do so at once. */
export function ensureSchema(db: DatabaseSync, path: string): void {
  if (!hasTables(db)) {
    db.exec("BEGIN IMMEDIATE");
    if (!hasTables(db)) db.exec(tables);
    db.exec("COMMIT");
  }
  const found = db.prepare("SELECT version FROM superstep_saver").get()?.version;
  if (found !== version) throw newerSchema(path, found, version);
}

function hasTables(db: DatabaseSync): boolean {
  const name = "superstep_saver";
  return db.prepare("SELECT 1 FROM sqlite_schema WHERE name = ?").get(name) !== undefined;
}
