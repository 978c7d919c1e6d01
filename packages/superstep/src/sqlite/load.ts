import type { DatabaseSync } from "node:sqlite";
import { SuperstepError } from "../errors/errors.ts";

type Sqlite = { readonly DatabaseSync: typeof DatabaseSync };
type Emit = (warning: string | Error, ...rest: unknown[]) => void;

/**
 * `node:sqlite`, loaded when it is first needed. Node 22 says that it is experimental, once, while it
 * loads: that warning is left out, and no other can come in between.
 */
export function loadSqlite(): Sqlite {
  const host = process as { emitWarning: Emit };
  const emit = host.emitWarning;
  host.emitWarning = (warning, ...rest) => {
    const isExpected = rest[0] === "ExperimentalWarning" && /\bSQLite\b/u.test(String(warning));
    if (!isExpected) emit.call(process, warning, ...rest);
  };
  let loaded: Sqlite | undefined;
  try {
    loaded = process.getBuiltinModule("node:sqlite");
  } finally {
    host.emitWarning = emit;
  }
  if (loaded) return loaded;
  throw new SuperstepError(
    "MISSING_PACKAGE",
    `SqliteSaver needs node:sqlite, which Node ${process.versions.node} does not have.`,
    { fix: "Use Node 22.18 or later." },
  );
}
