import type { StoredCheckpoint, StoredRun, StoredState } from "../checkpoint/saver.ts";
import type { Parameter, Select, Statements } from "./statements.ts";

// What `statements.ts` selects, and what becomes of it.

export interface StandingRow {
  readonly thread: number;
  readonly epoch: number;
  readonly owner: string | null;
  readonly head: number | null;
  readonly headId: string | null;
  readonly active: number | null;
  readonly activeRun: string | null;
  readonly hasRecords: number;
}

export interface ThreadRow {
  readonly id: number;
  readonly head: number | null;
  readonly touched: number;
}

export interface RunRow {
  readonly key: number;
  readonly runId: string;
  readonly threadId: string;
  readonly input: string;
  readonly graph: string;
  readonly status: StoredRun["status"];
  readonly error: string | null;
  readonly owner: string | null;
  readonly leaseUntil: number | null;
  readonly createdAt: number;
  readonly touched: number;
}

export interface CheckpointRow {
  readonly key: number;
  readonly id: string;
  readonly parentId: string | null;
  readonly threadId: string;
  readonly runId: string;
  readonly step: number;
  readonly isInput: number;
  readonly counted: number;
  readonly createdAt: number;
  readonly isSnapshot: number;
  readonly channels: string;
  readonly next: string;
  readonly tasks: string;
}

export interface RunningRow {
  readonly active: number;
  readonly owner: string | null;
  readonly touched: number;
}

/** A run, with its number. */
export interface FoundRun {
  readonly key: number;
  readonly run: StoredRun;
}

export function findRun(select: Select<RunRow>, ...by: Parameter[]): FoundRun | undefined {
  const row = select.get(...by);
  return row && { key: row.key, run: toRun(row) };
}

export function findState(
  s: Statements,
  select: Select<CheckpointRow>,
  ...by: Parameter[]
): StoredState | undefined {
  const row = select.get(...by);
  if (!row) return undefined;
  const chain = s.chain.all(row.key).map(({ channels }) => channels);
  return { checkpoint: toCheckpoint(row), chain };
}

export function findRecords(s: Statements, thread: number): ReadonlyMap<string, string> {
  return new Map(s.records.all(thread).map(({ task, record }) => [task, record]));
}

export function toRun(row: RunRow): StoredRun {
  return {
    runId: row.runId,
    threadId: row.threadId,
    input: row.input,
    graph: row.graph,
    status: row.status,
    error: row.error ?? undefined,
    owner: row.owner ?? undefined,
    leaseUntil: row.leaseUntil ?? undefined,
    createdAt: row.createdAt,
    updatedAt: Math.floor(row.touched / 1_000),
  };
}

export function toCheckpoint(row: CheckpointRow): StoredCheckpoint {
  return {
    id: row.id,
    parentId: row.parentId ?? undefined,
    threadId: row.threadId,
    runId: row.runId,
    step: row.step,
    source: row.isInput === 1 ? "input" : "loop",
    counted: row.counted,
    createdAt: row.createdAt,
    isSnapshot: row.isSnapshot === 1,
    channels: row.channels,
    next: row.next,
    tasks: row.tasks,
  };
}
