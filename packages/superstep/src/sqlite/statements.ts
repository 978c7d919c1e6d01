import type { DatabaseSync } from "node:sqlite";
import type { CheckpointRow, RunningRow, RunRow, StandingRow, ThreadRow } from "./rows.ts";

export type Parameter = string | number | bigint | null;

/** A statement that finds rows. */
export interface Select<Row> {
  get(...values: Parameter[]): Row | undefined;
  all(...values: Parameter[]): Row[];
}

/** A statement that changes some. */
export interface Change {
  run(...values: Parameter[]): {
    readonly changes: number | bigint;
    readonly lastInsertRowid: number | bigint;
  };
}

export interface Statements {
  readonly standing: Select<StandingRow>;
  readonly addThread: Change;
  readonly addRun: Change;
  readonly activate: Change;
  readonly take: Select<{ readonly epoch: number }>;
  readonly renew: Change;
  readonly moveHead: Change;
  readonly addCheckpoint: Change;
  readonly addRecord: Change;
  readonly record: Select<{ readonly record: string }>;
  readonly records: Select<{ readonly task: string; readonly record: string }>;
  readonly clearRecords: Change;
  readonly endRun: Change;
  readonly release: Change;
  readonly run: Select<RunRow>;
  readonly runByName: Select<RunRow>;
  readonly runsBefore: Select<RunRow>;
  readonly running: Select<RunningRow>;
  readonly thread: Select<ThreadRow>;
  readonly lastRun: Select<RunRow>;
  readonly threadsBefore: Select<ThreadRow>;
  readonly checkpoint: Select<CheckpointRow>;
  readonly checkpointByName: Select<CheckpointRow>;
  readonly newest: Select<CheckpointRow>;
  readonly newestBefore: Select<CheckpointRow>;
  readonly hasCheckpoint: Select<object>;
  readonly chain: Select<{ readonly channels: string }>;
  readonly raiseFloor: Change;
  readonly deleteCheckpoints: Change;
  readonly deleteRuns: Change;
  readonly deleteThread: Change;
}

const runColumns = `
SELECT r.id AS key, r.name AS runId, t.name AS threadId, r.input, r.graph, r.status, r.error,
  CASE WHEN t.active = r.id THEN t.owner ELSE r.owner END AS owner,
  CASE WHEN t.active = r.id THEN t.lease_until ELSE r.lease_until END AS leaseUntil,
  r.created_at AS createdAt,
  CASE WHEN t.active = r.id THEN t.touched ELSE r.touched END AS touched
FROM superstep_run r JOIN superstep_thread t ON t.id = r.thread`;

const checkpointColumns = `
SELECT c.id AS key, c.name AS id, p.name AS parentId, t.name AS threadId, r.name AS runId, c.step,
  c.is_input AS isInput, c.counted, c.created_at AS createdAt, c.is_snapshot AS isSnapshot,
  c.channels, c.next, c.tasks
FROM superstep_checkpoint c
  JOIN superstep_thread t ON t.id = c.thread
  JOIN superstep_run r ON r.id = c.run
  LEFT JOIN superstep_checkpoint p ON p.id = c.parent`;

// Parameters are `?` only: the node:sqlite of early Node 22 cannot bind `?1`.
const texts: Readonly<Record<keyof Statements, string>> = {
  /** Who may write to a thread, and what there is to clear. */
  standing: `
SELECT t.id AS thread, t.epoch, t.owner, t.head, h.name AS headId, t.active, r.name AS activeRun,
  EXISTS (SELECT 1 FROM superstep_record WHERE thread = t.id) AS hasRecords
FROM superstep_thread t
  LEFT JOIN superstep_run r ON r.id = t.active
  LEFT JOIN superstep_checkpoint h ON h.id = t.head
WHERE t.name = ?`,
  addThread: `
INSERT INTO superstep_thread (name, epoch, touched)
SELECT ?, epoch_floor, ? FROM superstep_saver`,
  addRun: `
INSERT INTO superstep_run (name, thread, status, created_at, graph, input)
VALUES (?, ?, 'running', ?, ?, ?)`,
  activate: `UPDATE superstep_thread SET active = ?, touched = ? WHERE id = ?`,
  take: `
UPDATE superstep_thread SET epoch = epoch + 1, owner = ?, lease_until = ?, touched = ?
WHERE id = ? RETURNING epoch`,
  renew: `UPDATE superstep_thread SET lease_until = ?, touched = ? WHERE id = ?`,
  moveHead: `
UPDATE superstep_thread SET head = ?, lease_until = ?, touched = ? WHERE id = ?`,
  addCheckpoint: `
INSERT INTO superstep_checkpoint (name, thread, run, parent, step, is_input, counted, created_at,
  is_snapshot, channels, next, tasks)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  addRecord: `
INSERT INTO superstep_record (thread, task, record)
SELECT t.id, ?, ?
FROM superstep_thread t JOIN superstep_run r ON r.id = t.active
WHERE t.name = ? AND t.epoch = ? AND r.name = ?
ON CONFLICT DO NOTHING`,
  record: `SELECT record FROM superstep_record WHERE thread = ? AND task = ?`,
  records: `SELECT task, record FROM superstep_record WHERE thread = ? ORDER BY task`,
  clearRecords: `DELETE FROM superstep_record WHERE thread = ?`,
  endRun: `
UPDATE superstep_run SET status = ?, error = ?, touched = ?,
  input = CASE WHEN ? = 'done' THEN '' ELSE input END,
  (owner, lease_until) = (SELECT owner, lease_until FROM superstep_thread WHERE id = thread)
WHERE id = ?`,
  release: `
UPDATE superstep_thread SET active = NULL, owner = NULL, lease_until = NULL, touched = ?
WHERE id = ?`,

  run: `${runColumns} WHERE r.id = ?`,
  runByName: `${runColumns} WHERE r.name = ?`,
  runsBefore: `${runColumns} WHERE r.thread = ? AND r.id < ? ORDER BY r.id DESC LIMIT ?`,
  running: `
SELECT active, owner, touched FROM superstep_thread WHERE active IS NOT NULL
ORDER BY touched, id`,
  thread: `SELECT id, head, touched FROM superstep_thread WHERE name = ?`,
  lastRun: `${runColumns} WHERE r.thread = ? ORDER BY r.id DESC LIMIT 1`,
  threadsBefore: `
SELECT * FROM (
  SELECT id, head, touched FROM superstep_thread
  WHERE active IS NULL AND (touched, id) < (?, ?) ORDER BY touched DESC, id DESC LIMIT ?
) UNION ALL SELECT * FROM (
  SELECT id, head, touched FROM superstep_thread
  WHERE active IS NOT NULL AND (touched, id) < (?, ?) ORDER BY touched DESC, id DESC LIMIT ?
) ORDER BY touched DESC, id DESC LIMIT ?`,

  checkpoint: `${checkpointColumns} WHERE c.id = ?`,
  checkpointByName: `${checkpointColumns} WHERE c.thread = ? AND c.name = ?`,
  newest: `${checkpointColumns} WHERE c.thread = ? ORDER BY c.name DESC LIMIT ?`,
  newestBefore: `
${checkpointColumns} WHERE c.thread = ? AND c.name < ? ORDER BY c.name DESC LIMIT ?`,
  hasCheckpoint: `SELECT 1 FROM superstep_checkpoint WHERE thread = ? AND name = ?`,
  /** From a checkpoint back to the last snapshot, by parents: later rows may belong to a fork. */
  chain: `
WITH RECURSIVE link (parent, is_snapshot, channels, depth) AS (
  SELECT parent, is_snapshot, channels, 0 FROM superstep_checkpoint WHERE id = ?
  UNION ALL
  SELECT c.parent, c.is_snapshot, c.channels, link.depth + 1
  FROM link JOIN superstep_checkpoint c ON c.id = link.parent
  WHERE NOT link.is_snapshot
)
SELECT channels FROM link ORDER BY depth DESC`,

  raiseFloor: `UPDATE superstep_saver SET epoch_floor = max(epoch_floor, ?)`,
  deleteCheckpoints: `DELETE FROM superstep_checkpoint WHERE thread = ?`,
  deleteRuns: `DELETE FROM superstep_run WHERE thread = ?`,
  deleteThread: `DELETE FROM superstep_thread WHERE id = ?`,
};

export function prepareStatements(db: DatabaseSync): Statements {
  const entries = Object.entries(texts).map(([name, text]) => [name, db.prepare(text)] as const);
  return Object.fromEntries(entries) as unknown as Statements;
}
