import type { StoredThread } from "../checkpoint/saver.ts";
import { decodeError, nodesDue } from "../checkpoint/stored-state.ts";
import { textWidth } from "../graph/draw/text.ts";
import { plainLine } from "../trace/plain.ts";
import type { CommandLine } from "./arguments.ts";
import { withDatabase } from "./database.ts";
import { print } from "./output.ts";

const pageSize = 500;

export function listThreads({ options }: CommandLine): Promise<number> {
  return withDatabase(options.db, async (saver) => {
    const threads: StoredThread[] = [];
    for (let page; page === undefined || page.length === pageSize; threads.push(...page)) {
      page = await saver.threads({ limit: pageSize, after: threads.at(-1)?.threadId });
    }
    if (options.json === true) {
      for (const thread of threads) print(JSON.stringify(asJson(thread)));
      return 0;
    }
    if (threads.length === 0) return print("There are no threads.");
    const rows = threads.map((thread) => {
      const { threadId, lastActivity, state, steps } = asJson(thread);
      return [threadId, lastActivity.replace("T", " ").slice(0, 19), `${steps}`, state].map(
        plainLine,
      );
    });
    return print(table([["THREAD", "LAST ACTIVITY", "STEPS", "STATE"], ...rows]));
  });
}

interface Listed {
  readonly threadId: string;
  /** ISO 8601, in UTC. */
  readonly lastActivity: string;
  readonly steps: number;
  /** In words. */
  readonly state: string;
  readonly status: string;
  readonly next: readonly string[];
}

function asJson({ threadId, run, head, isOrphaned }: StoredThread): Listed {
  const next = head ? nodesDue(head.next) : [];
  const status = isOrphaned ? "crashed" : run.status;
  const error = run.error === undefined ? undefined : decodeError(run.error);
  const reason =
    status === "failed" && error ? `: ${error.code ?? error.name}: ${error.message}` : "";
  const due =
    next.length > 0 && status !== "running" ? ` (next: ${[...new Set(next)].join(", ")})` : "";
  return {
    threadId,
    lastActivity: new Date(run.updatedAt).toISOString(),
    steps: head?.step ?? 0,
    state: status + reason + due,
    status,
    next,
  };
}

function table(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, column) =>
    Math.max(...rows.map((row) => textWidth(row[column]!))),
  );
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell + " ".repeat(widths[column]! - textWidth(cell)))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
