import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "./world.ts";

const program = join(import.meta.dirname, "programs/agent.ts");

interface Started {
  readonly child: ChildProcess;
  /** What it printed on its standard output, when it has ended. */
  readonly output: Promise<string>;
}

function start(folder: string, question: string, env: Record<string, string> = {}): Started {
  const args = ["--conditions=@superstep/source", program];
  args.push(join(folder, "t.db"), join(folder, "journal"), question);
  const child = spawn(process.execPath, args, { env: { ...process.env, ...env } });
  let text = "";
  child.stdout.on("data", (data: Buffer) => (text += data.toString()));
  child.stderr.on("data", (data: Buffer) => (text += data.toString()));
  const output = new Promise<string>((resolve) => child.on("close", () => resolve(text.trim())));
  return { child, output };
}

function journal(folder: string): readonly string[] {
  const file = join(folder, "journal");
  return existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : [];
}

async function until(condition: () => boolean): Promise<void> {
  for (const end = Date.now() + 20_000; !condition();) {
    if (Date.now() > end) throw new Error("it did not happen in 20 s");
    await wait(5);
  }
}

const conversation = [
  ["human", "go"],
  ["ai", ""],
  ["tool", "fast 1"],
  ["tool", "slow 2"],
  ["ai", ""],
  ["tool", "fast 3"],
  ["ai", "Done."],
];
const count = (lines: readonly string[], line: string): number =>
  lines.filter((each) => each === line).length;

/** How long processes take is up to the machine and what else it does. */
const patient = { timeout: 60_000 };

describe.concurrent("a program that is killed and started again", patient, () => {
  it("during a tool call: finishes, and what was recorded is not done twice", async () => {
    using folder = temporaryFolder();
    const killed = start(folder.path, "go", { SLOW: "60000" });
    await until(() => journal(folder.path).includes("slow begins 2"));
    await wait(50); // the record of the fast tool
    killed.child.kill("SIGKILL");
    await killed.output;
    const { output } = start(folder.path, "go");
    expect(JSON.parse(await output)).toEqual(conversation);
    const lines = journal(folder.path);
    expect(count(lines, "fast 1")).toBe(1);
    expect(count(lines, "slow begins 2")).toBe(2);
    expect(count(lines, "slow 2")).toBe(1);
    expect(lines.filter((line) => line.startsWith("model"))).toEqual([
      "model 1",
      "model 4",
      "model 6",
    ]);
  });

  it.each(["model", "tools"])("between two supersteps, after %s", async (pause) => {
    using folder = temporaryFolder();
    const killed = start(folder.path, "go", { PAUSE: pause });
    await until(() => journal(folder.path).includes(`step ${pause}`));
    await wait(20);
    killed.child.kill("SIGKILL");
    await killed.output;
    const { output } = start(folder.path, "go");
    expect(JSON.parse(await output)).toEqual(conversation);
    const lines = journal(folder.path);
    for (const line of ["fast 1", "slow 2", "fast 3", "model 1", "model 4", "model 6"]) {
      expect(count(lines, line), line).toBe(1);
    }
  });

  it("again and again, at any moment: each tool that was recorded ran once", async () => {
    using folder = temporaryFolder();
    let last = "";
    for (let delay = 150; last === ""; delay += 25) {
      const run = start(folder.path, "go", { SLOW: "30" });
      const ended = await Promise.race([run.output, wait(delay, undefined)]);
      if (ended === undefined) run.child.kill("SIGKILL");
      last = ended ?? "";
      await run.output;
    }
    // Killed after the run had ended, it asks a new question.
    expect((JSON.parse(last) as unknown[]).slice(0, conversation.length)).toEqual(conversation);
  });

  it("is asked something else: the first question is finished, then the second sees it", async () => {
    using folder = temporaryFolder();
    const killed = start(folder.path, "go", { PAUSE: "model" });
    await until(() => journal(folder.path).includes("step model"));
    killed.child.kill("SIGKILL");
    await killed.output;
    const { output } = start(folder.path, "again");
    expect(JSON.parse(await output)).toEqual([
      ...conversation,
      ["human", "again"],
      ["ai", "You said go."],
    ]);
  });
});

describe.concurrent("two processes", patient, () => {
  it("that ask on one thread at the same time: one runs, the other is refused", async () => {
    using folder = temporaryFolder();
    const env = { SLOW: "400" };
    const outputs = [start(folder.path, "go", env), start(folder.path, "go", env)];
    const printed = await Promise.all(outputs.map(({ output }) => output));
    const [first, second] = printed
      .map((text) => JSON.parse(text) as unknown)
      .toSorted((a) => (Array.isArray(a) ? -1 : 1));
    expect(first).toEqual(conversation);
    expect(second).toEqual({ code: "THREAD_BUSY" });
    expect(count(journal(folder.path), "slow begins 2")).toBe(1);
  });
});
