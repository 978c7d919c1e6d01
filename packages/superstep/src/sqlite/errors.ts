import { SuperstepError } from "../errors/errors.ts";

// Primary result codes of SQLite; extended ones have them in their low byte.
const BUSY = 5;
const LOCKED = 6;
const PROTOCOL = 15;

interface SqliteError {
  readonly errcode: number;
}

function codeOf(error: unknown): number | undefined {
  if (typeof error !== "object" || error === null || !("errcode" in error)) return undefined;
  return (error as SqliteError).errcode & 0xff;
}

/** Whether another connection holds a lock: the same call may work a moment later. */
export function isBusy(error: unknown): boolean {
  const code = codeOf(error);
  return code === BUSY || code === LOCKED || code === PROTOCOL;
}

/** Whether a row with the same key exists already. */
export function isDuplicate(error: unknown): boolean {
  return codeOf(error) === 19;
}

const known: ReadonlyMap<number, readonly [what: string, fix: string]> = new Map([
  [
    8,
    [
      "is read-only",
      "Let this process write to the file and to its folder, where SQLite keeps two more files.",
    ],
  ],
  [10, ["cannot be read or written", "Look after the disk; `cause` says what it refused."]],
  [
    11,
    [
      "is damaged",
      "Take a copy from before, or save what can be read with `sqlite3 <file> .recover`.",
    ],
  ],
  [
    13,
    ["cannot grow: the disk is full", "Free some space, then try again: this call stored nothing."],
  ],
  [
    14,
    [
      "cannot be opened",
      "Create its folder, and let this process write to the folder and the file.",
    ],
  ],
  [
    18,
    ["cannot hold a text that long", "Keep large values elsewhere and their address in the state."],
  ],
  [26, ["is no SQLite database", "Give the path of a new file, or of one that SqliteSaver made."]],
]);

/** Wraps what SQLite threw; errors of this package pass. */
export function saverError(path: string, error: unknown): unknown {
  if (error instanceof SuperstepError) return error;
  const [what, fix] = known.get(codeOf(error) ?? 0) ?? [
    "cannot do this",
    "See `cause` for what SQLite said.",
  ];
  const said = error instanceof Error ? ` (${error.message})` : "";
  return new SuperstepError("SAVER_ERROR", `${databaseAt(path)} ${what}${said}.`, {
    fix,
    cause: error,
  });
}

export function stayedLocked(path: string, ms: number, cause: unknown): SuperstepError {
  return new SuperstepError(
    "SAVER_ERROR",
    `${databaseAt(path)} stayed locked by another connection for ${ms} ms.`,
    { fix: "Find who keeps a transaction open on the file, or raise busyTimeoutMs.", cause },
  );
}

export function isClosed(path: string): SuperstepError {
  return new SuperstepError("SAVER_ERROR", `${databaseAt(path)} was closed by close().`, {
    fix: "Close the saver after its last run has ended, or make a new one.",
  });
}

export function newerSchema(path: string, found: unknown, own: number): SuperstepError {
  return new SuperstepError(
    "SAVER_ERROR",
    `${databaseAt(path)} has schema version ${String(found)}; this release of superstep knows ${own}.`,
    { fix: "Use the release of superstep that wrote the file, or a later one." },
  );
}

function databaseAt(path: string): string {
  return `The database ${JSON.stringify(path)}`;
}
