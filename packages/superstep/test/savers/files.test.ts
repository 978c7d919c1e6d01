import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { SqliteSaver } from "../../src/sqlite.ts";
import { saverError } from "../../src/sqlite/errors.ts";
import { begin, commitMany, newRun, refusal } from "./kit.ts";
import { execArgv, newFolder, Worker } from "./processes.ts";

async function fill(path: string, supersteps: number): Promise<void> {
  using saver = new SqliteSaver({ path, synchronous: "NORMAL" });
  const { claim } = await begin(saver, { threadId: "t", runId: "r" });
  await commitMany(saver, claim, supersteps);
}

describe("SqliteSaver tells, with the path and what to do, of", () => {
  it("a file that is no database", async () => {
    const path = join(newFolder(), "notes.txt");
    writeFileSync(path, "these are notes, not a database\n".repeat(200));
    using saver = new SqliteSaver(path);
    for (const call of [() => saver.threads(), () => saver.admit(newRun())]) {
      const message = await refusal("SAVER_ERROR", call);
      expect(message).toContain(path);
      expect(message).toContain("is no SQLite database");
    }
    expect(readFileSync(path, "utf8")).toContain("these are notes");
  });

  it("a file that was damaged", async () => {
    const path = join(newFolder(), "threads.db");
    await fill(path, 200);
    const file = openSync(path, "r+");
    const { size } = statSync(path);
    for (let at = 4_096; at < size; at += 4_096)
      writeSync(file, Buffer.alloc(200, 0xa5), 0, 200, at);
    using saver = new SqliteSaver(path);
    const message = await refusal("SAVER_ERROR", () => saver.history("t"));
    expect(message).toContain(path);
    expect(message).toContain("is damaged");
  });

  it("a folder that is not there", async () => {
    const path = join(newFolder(), "missing", "threads.db");
    using saver = new SqliteSaver(path);
    const message = await refusal("SAVER_ERROR", () => saver.threads());
    expect(message).toContain(`${JSON.stringify(path)} cannot be opened`);
    mkdirSync(join(path, ".."));
    expect(await saver.threads()).toEqual([]); // the same saver goes on once the folder is there
  });

  it("a file that may not be written", async () => {
    const folder = newFolder();
    const path = join(folder, "threads.db");
    await fill(path, 1);
    chmodSync(path, 0o444);
    chmodSync(folder, 0o755);
    const worker = await Worker.start(path);
    if (process.geteuid?.() === 0) await worker.tell({ do: "become nobody" });
    else chmodSync(folder, 0o555);
    const { error } = await worker.tell({ do: "write", threadId: "u", runId: "s", count: 1 });
    chmodSync(folder, 0o755);
    expect(error?.code).toBe("SAVER_ERROR");
    expect(error?.message).toContain(path);
    expect(error?.message).toMatch(/is read-only|cannot be opened/u);
    expect(error?.fix).toMatch(/write to/u);
  });

  it("tables of a later release, naming both versions", async () => {
    const path = join(newFolder(), "threads.db");
    await fill(path, 1);
    const db = new DatabaseSync(path);
    db.exec("UPDATE superstep_saver SET version = 7");
    db.close();
    using saver = new SqliteSaver(path);
    const message = await refusal("SAVER_ERROR", () => saver.threads());
    expect(message).toContain("version 7");
    expect(message).toContain("knows 1");
  });

  it("a disk that is full, with nothing stored by the refused call", () => {
    const db = new DatabaseSync(":memory:");
    db.exec("PRAGMA max_page_count = 3; CREATE TABLE t (x)");
    let full: unknown;
    try {
      db.prepare("INSERT INTO t VALUES (?)").run("x".repeat(100_000));
    } catch (error) {
      full = saverError("/data/threads.db", error);
    }
    expect(full).toMatchObject({
      code: "SAVER_ERROR",
      message: expect.stringContaining('"/data/threads.db" cannot grow: the disk is full'),
      cause: expect.objectContaining({ code: "ERR_SQLITE_ERROR" }),
    });
  });

  it("its own end", async () => {
    const saver = new SqliteSaver(":memory:");
    await begin(saver);
    saver.close();
    saver.close();
    const message = await refusal("SAVER_ERROR", () => saver.threads());
    expect(message).toContain("was closed");
  });

  it("options that make no sense, at once", () => {
    const make = (options: unknown): (() => unknown) => {
      return () => new SqliteSaver(options as string);
    };
    for (const wrong of ["", 1, null, undefined, {}, { path: "" }, { path: 1 }]) {
      expect(make(wrong)).toThrow(expect.objectContaining({ code: "INVALID_OPTION" }));
    }
    expect(make({ path: "x", synchronous: "OFF" })).toThrow(
      expect.objectContaining({ fix: 'Use "FULL" or "NORMAL".' }),
    );
    expect(make({ path: "x", busyTimeoutMs: -1 })).toThrow("busyTimeoutMs");
    expect(make({ path: "x", sync: "FULL" })).toThrow(
      expect.objectContaining({ code: "UNKNOWN_OPTION" }),
    );
  });
});

describe("SqliteSaver", () => {
  it("keeps what it stored for the next one that opens the file", async () => {
    const path = join(newFolder(), "threads.db");
    await fill(path, 30);
    using saver = new SqliteSaver({ path });
    expect(await saver.history("t")).toHaveLength(30);
  });

  it("lives beside tables of others in one file", async () => {
    const path = join(newFolder(), "app.db");
    const db = new DatabaseSync(path);
    db.exec("PRAGMA user_version = 9; CREATE TABLE checkpoints (x); CREATE TABLE run (x)");
    await fill(path, 1);
    expect(db.prepare("PRAGMA user_version").get()).toEqual({ user_version: 9 });
    db.close();
  });

  it("opens the file that its path named when it was made", async () => {
    const folder = newFolder();
    const before = process.cwd();
    const code = `
      import { SqliteSaver } from "superstep/sqlite";
      process.chdir(process.argv[1]);
      const saver = new SqliteSaver("threads.db");
      process.chdir("/");
      await saver.threads();
      saver.close();`;
    const args = [...execArgv, "--input-type=module", "-e", code, folder];
    execFileSync(process.execPath, args, { cwd: join(import.meta.dirname, "../..") });
    expect(statSync(join(folder, "threads.db")).size).toBeGreaterThan(0);
    expect(process.cwd()).toBe(before);
  });

  it("loads node:sqlite without its warning, and leaves other warnings alone", () => {
    const code = `
      import { SqliteSaver } from "superstep/sqlite";
      const emit = process.emitWarning;
      await new SqliteSaver(":memory:").threads();
      if (process.emitWarning !== emit) throw new Error("not put back");
      process.emitWarning("of the user", "ExperimentalWarning");`;
    const args = [...execArgv, "--input-type=module", "-e", code];
    const said = execFileSync("sh", ["-c", '"$@" 2>&1', "sh", process.execPath, ...args], {
      cwd: join(import.meta.dirname, "../.."),
      encoding: "utf8",
    });
    expect(said).toContain("of the user");
    expect(said).not.toContain("SQLite");
  });

  it("says which Node it needs where there is no node:sqlite", () => {
    const code = `
      import { SqliteSaver } from "superstep/sqlite";
      process.getBuiltinModule = () => undefined;
      const error = await new SqliteSaver(":memory:").threads().catch((thrown) => thrown);
      console.log(error.code, error.fix);`;
    const args = [...execArgv, "--input-type=module", "-e", code];
    const cwd = join(import.meta.dirname, "../..");
    const said = execFileSync(process.execPath, args, { cwd, encoding: "utf8" });
    expect(said).toContain("MISSING_PACKAGE Use Node 22.18 or later.");
  });
});
