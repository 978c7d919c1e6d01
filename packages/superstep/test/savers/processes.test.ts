import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import { SqliteSaver } from "../../src/sqlite.ts";
import { isOwnerGone, newOwner } from "../../src/sqlite/owner.ts";
import { claimant, commitMany, headOf, newRun, refusal, sleep, take } from "./kit.ts";
import { execArgv, newFolder, Worker, workerFile } from "./processes.ts";

function openSaver(path: string, busyTimeoutMs = 5_000): SqliteSaver {
  const saver = new SqliteSaver({ path, busyTimeoutMs });
  onTestFinished(() => saver.close());
  return saver;
}

describe("several processes on one file", () => {
  it("store all 400 checkpoints when two write 200 each, from a file that is not there yet", async () => {
    const path = join(newFolder(), "threads.db");
    const workers = await Promise.all([Worker.start(path), Worker.start(path)]);
    const replies = await Promise.all(
      workers.map((worker, n) =>
        worker.tell({ do: "write", threadId: `thread ${n}`, runId: `run ${n}`, count: 200 }),
      ),
    );
    expect(replies).toEqual([{ done: true }, { done: true }]);
    const saver = openSaver(path);
    for (const threadId of ["thread 0", "thread 1"]) {
      const history = await saver.history(threadId, { limit: 1_000 });
      expect(history.map(({ step }) => step)).toEqual(
        Array.from({ length: 200 }, (_, n) => 199 - n),
      );
      expect((await headOf(saver, threadId)).chain).toHaveLength(20);
      expect((await saver.runs(threadId)).map(({ status }) => status)).toEqual(["done"]);
    }
  });

  it("open and make one new file at once without an error", async () => {
    const folder = newFolder();
    const workers = await Promise.all([1, 2, 3, 4].map(() => Worker.start(join(folder, "a.db"))));
    const replies = await Promise.all(workers.map((worker) => worker.tell({ do: "list" })));
    expect(replies).toEqual(workers.map(() => ({ done: true })));
  });

  it("let one of three take over an orphaned run, each time", async () => {
    const path = join(newFolder(), "threads.db");
    const saver = openSaver(path);
    const workers = await Promise.all([1, 2, 3].map(() => Worker.start(path)));
    const winners: number[] = [];
    for (let round = 0; round < 50; round++) {
      const run = newRun();
      // Never claimed, or claimed by an owner whose lease is over.
      await saver.admit(run, round % 2 === 0 ? undefined : claimant({ leaseMs: 1 }));
      if (round % 2 === 1) await sleep(3);
      const order = { do: "claim", runId: run.runId } as const;
      const replies = await Promise.all(workers.map((worker) => worker.tell(order)));
      winners.push(replies.filter(({ claimed }) => claimed === true).length);
      expect(replies.filter(({ error }) => error !== undefined)).toEqual([]);
    }
    expect(winners).toEqual(Array.from({ length: 50 }, () => 1));
  });

  it("wait for one that keeps the lock, and leave the process free meanwhile", async () => {
    const path = join(newFolder(), "threads.db");
    const saver = openSaver(path);
    await saver.threads();
    const other = new DatabaseSync(path);
    other.exec("BEGIN IMMEDIATE");
    let turns = 0;
    const timer = setInterval(() => turns++, 5);
    const run = newRun();
    const order: string[] = [];
    const calls = [
      saver.admit(run).then(() => order.push("admit")),
      saver.claim(run.runId, claimant()).then(() => order.push("claim")),
    ];
    await sleep(400);
    expect((await saver.threads()).length).toBe(0); // reading does not wait
    other.exec("COMMIT");
    other.close();
    await Promise.all(calls);
    clearInterval(timer);
    expect(order).toEqual(["admit", "claim"]);
    expect(turns).toBeGreaterThan(15);
  });

  it("are told after busyTimeoutMs when the lock is never given back", async () => {
    const path = join(newFolder(), "threads.db");
    const saver = openSaver(path, 150);
    await saver.threads();
    const other = new DatabaseSync(path);
    other.exec("BEGIN IMMEDIATE");
    const began = performance.now();
    const messages = await Promise.all(
      [1, 2, 3].map(() => refusal("SAVER_ERROR", () => saver.admit(newRun()))),
    );
    expect(performance.now() - began).toBeLessThan(1_000); // not one after the other
    expect(messages[0]).toContain(path);
    expect(messages[0]).toContain("150 ms");
    other.close();
    expect((await saver.admit(newRun())).admitted).toBe(true);
  });
});

describe("SqliteSaver.close()", () => {
  it("ends the calls that wait for the lock", async () => {
    const path = join(newFolder(), "threads.db");
    const saver = openSaver(path);
    await saver.threads();
    const other = new DatabaseSync(path);
    other.exec("BEGIN IMMEDIATE");
    const calls = [1, 2].map(() => refusal("SAVER_ERROR", () => saver.admit(newRun())));
    await sleep(20);
    saver.close();
    for (const message of await Promise.all(calls)) expect(message).toContain("was closed");
    other.close();
  });
});

describe("a process that is killed", () => {
  it("leaves a run that another takes over at once, where the last commit left it", async () => {
    const folder = newFolder();
    for (const stored of [1, 25, 60]) {
      const path = join(folder, `${stored}.db`);
      const worker = await Worker.start(path);
      const order = { do: "hold", threadId: "t", runId: "r", count: 1_000_000 } as const;
      await worker.tellUntil(order, stored);
      const saver = openSaver(path);
      expect(await saver.claim("r", claimant())).toBeUndefined();
      expect((await saver.threads())[0]?.isOrphaned).toBe(false);
      await worker.kill();
      expect((await saver.threads())[0]?.isOrphaned).toBe(true);
      expect((await saver.stale(3_600_000, 10)).map(({ runId }) => runId)).toEqual(["r"]);
      const { head, claim } = await take(saver, "r");
      const last = Number(worker.stored.at(-1)?.slice(3));
      const step = head!.checkpoint.step;
      expect(step === last || step === last + 1).toBe(true);
      const history = await saver.history("t", { limit: 1_000_000 });
      expect(history.map((checkpoint) => checkpoint.step)).toEqual(
        Array.from({ length: step + 1 }, (_, n) => step - n),
      );
      expect(head!.chain).toHaveLength((step % 20) + 1);
      await saver.settle(claim, { status: "done" });
    }
  });

  it.runIf(process.platform === "linux")("is gone also as a zombie", async () => {
    const path = join(newFolder(), "threads.db");
    const order = JSON.stringify({ do: "hold", threadId: "t", runId: "r", count: 1 });
    // A parent that never asks how its child ended.
    const script = '"$@" & echo "pid $!"; exec sleep 60';
    const command = [process.execPath, ...execArgv, workerFile, path, order];
    const parent = spawn("sh", ["-c", script, "sh", ...command], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(async () => {
      parent.kill("SIGKILL");
      await once(parent, "exit");
    });
    let said = "";
    for await (const chunk of parent.stdout as AsyncIterable<Buffer>) {
      said += chunk.toString();
      if (said.includes('"done"')) break;
    }
    const saver = openSaver(path);
    expect(await saver.claim("r", claimant())).toBeUndefined();
    process.kill(Number(/pid (\d+)/u.exec(said)![1]), "SIGKILL");
    await sleep(50);
    await take(saver, "r");
  });
});

describe("an owner", () => {
  const own = newOwner();
  const pattern = /^process:(?<place>.*):(?<pid>\d+):(?<start>\d*):\w+$/u;
  const { place, pid, start } = pattern.exec(own)!.groups!;

  it("is there as long as its process is", () => {
    expect(pid).toBe(String(process.pid));
    expect(isOwnerGone(own)).toBe(false);
    expect(isOwnerGone(`process:${place}:${process.ppid}::x`)).toBe(false);
    expect(newOwner()).not.toBe(own);
  });

  it.runIf(start !== "")("is gone when its process id belongs to a later process", () => {
    expect(isOwnerGone(`process:${place}:${pid}:${Number(start) - 1}:x`)).toBe(true);
    expect(isOwnerGone(`process:${place}:${process.ppid}:999999999999:x`)).toBe(true);
  });

  it("is gone when there is no such process", () => {
    expect(isOwnerGone(`process:${place}:2147483646:${start}:x`)).toBe(true);
    expect(isOwnerGone(`process:${place}:99999999999:${start}:x`)).toBe(false); // no process id
  });

  it("of another place, or of another make, is judged by its lease only", async () => {
    for (const owner of [
      "process:other/boot/pid:[1]:2147483646:1:x",
      "",
      "me",
      "process:::",
      "a:b",
    ]) {
      expect(isOwnerGone(owner)).toBe(false);
    }
    const saver = openSaver(join(newFolder(), "threads.db"));
    const run = newRun();
    const owner = "process:other/boot/pid:[1]:2147483646:1:x";
    await saver.admit(run, { owner, leaseMs: 250 });
    expect(await saver.claim(run.runId, claimant())).toBeUndefined();
    await sleep(260);
    const { claim } = await take(saver, run.runId);
    await commitMany(saver, claim, 1);
  });
});
