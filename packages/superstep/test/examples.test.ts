import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

const folder = join(import.meta.dirname, "../../../examples");
/** These export an agent and print nothing: the tests of the command line run them. */
const agents = new Set(["mail-assistant.ts", "weather-agent.ts"]);
const files = readdirSync(folder).filter((name) => name.endsWith(".ts") && !agents.has(name));
const read = (file: string): string => readFileSync(join(folder, file), "utf8");

/** What a program says that it prints: the rest of each line after `//=>`, in order. */
function claimed(source: string): string {
  return Array.from(source.matchAll(/\/\/=>[^\S\n]?(.*)\n/g), ([, line]) => `${line}\n`).join("");
}

async function printed(file: string): Promise<string> {
  const args = ["--conditions=@superstep/source", join(folder, file)];
  const options = { timeout: 30_000, env: { ...process.env, NO_COLOR: "1", FORCE_COLOR: "0" } };
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, options);
  // On Node 22 a TypeScript program brings a warning of Node's own; none may be ours.
  expect(stderr).not.toContain("SuperstepWarning");
  return stdout;
}

describe("each example prints what its //=> comments claim", () => {
  it.concurrent.each(files)("%s", { timeout: 60_000 }, async (file) => {
    const claim = claimed(read(file));
    expect(claim).not.toBe("");
    expect(await printed(file)).toBe(claim);
  });
});

function region(file: string, name: string): readonly string[] {
  const [, body = ""] = read(file).split(new RegExp(`^//#(?:end)?region ${name}\\n`, "m"));
  return body.split("\n").filter((line) => line.trim() !== "");
}

describe("the shortest programs stay short", () => {
  it("a tool-calling agent: at most 9 lines, and no types", () => {
    const lines = region("agent.ts", "agent");
    expect(lines.length).toBeLessThanOrEqual(9);
    expect(lines.join("\n")).not.toMatch(/\bas\b|<|: string/);
  });

  it("crash and resume: at most 10 lines, with no code for it", () => {
    expect(region("threads.ts", "thread").length).toBeLessThanOrEqual(10);
  });

  it("parallel branches and a join: at most 9 lines", () => {
    expect(region("parallel.ts", "parallel").length).toBeLessThanOrEqual(9);
  });

  it("a first graph: at most 10 lines, and no type but those of the state", () => {
    const lines = region("first.ts", "first");
    expect(lines.length).toBeLessThanOrEqual(10);
    const types = lines.filter((line) => !line.startsWith("const State")).join("\n");
    expect(types).not.toMatch(/\bas\b|<|: (string|State)/);
  });
});
