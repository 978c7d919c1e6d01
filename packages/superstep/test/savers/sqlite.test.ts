import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, it } from "vitest";
import { SqliteSaver } from "../../src/sqlite.ts";
import { saverConformance } from "./conformance.ts";

describe("SqliteSaver on a file", () => {
  const folder = mkdtempSync(join(tmpdir(), "superstep-savers-"));
  const saver = new SqliteSaver({ path: join(folder, "threads.db"), synchronous: "NORMAL" });
  afterAll(() => {
    saver.close();
    rmSync(folder, { recursive: true });
  });
  saverConformance(it, () => saver);
});

describe("SqliteSaver in memory", () => {
  const saver = SqliteSaver.fromConnString(":memory:");
  afterAll(() => saver.close());
  saverConformance(it, () => saver);
});
