import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { ask } from "../types/loose/agent.ts";

const require = createRequire(import.meta.url);

test("TYP-06: agents are usable in a project without strict checks", async () => {
  const tsc = join(dirname(require.resolve("typescript/package.json")), "bin", "tsc");
  const project = fileURLToPath(new URL("../types/loose/loose.json", import.meta.url));
  const output = await new Promise<string>((resolve) => {
    const args = [tsc, "--pretty", "false", "-p", project];
    execFile(process.execPath, args, (_, stdout, stderr) => resolve(stdout + stderr));
  });
  // The sources themselves are strict only; what counts is the program that uses them.
  const lines = output.split("\n").filter((line) => line.trim() !== "");
  expect(lines.filter((line) => !/^(?:packages|\.\.)[^(]*\/src\/|^\s/.test(line))).toEqual([]);
}, 60_000);

test("TYP-06: and run there", async () => {
  expect(await ask()).toEqual(["hi", "one", "again", "and again", "two"]);
});
