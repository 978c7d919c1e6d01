import { existsSync } from "node:fs";
import { SuperstepError } from "../errors/errors.ts";
import { SqliteSaver } from "../sqlite/sqlite-saver.ts";
import { usage } from "./arguments.ts";

/** Opens a database that is there, for `body`; reading creates none. */
export async function withDatabase<Result>(
  path: string | undefined,
  body: (saver: SqliteSaver) => Promise<Result>,
): Promise<Result> {
  if (path === undefined) throw usage("--db FILE is missing: where the threads are kept.");
  if (!existsSync(path)) {
    throw new SuperstepError("SAVER_ERROR", `There is no database ${JSON.stringify(path)}.`, {
      fix: "Give the file that was given to --db, or to SqliteSaver, when the thread was made.",
    });
  }
  const saver = new SqliteSaver(path);
  try {
    return await body(saver);
  } finally {
    saver.close();
  }
}
