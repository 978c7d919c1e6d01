// Keeps the code in docs equal to the programs it is copied from. Each ts or js fence says where it
// comes from: `ts source=examples/file.ts#region` (`//#region name` to `//#endregion name`) or
// `ts source=examples/file.ts`. Tests run every examples/*.ts, so all code in docs has run.
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const check = process.argv.includes("--check");
const code = /^(ts|js|mts|mjs|cts|cjs|tsx|jsx|typescript|javascript)$/i;
const marker = /^source=(examples\/[\w.-]+\.ts)(?:#([\w.-]+))?$/;
const regionLine = /^\s*\/\/#(end)?region\b/;

/** The named region, or the whole file, without region lines and without common indentation. */
function quote(file: string, name: string | undefined): readonly string[] {
  let lines = readFileSync(join(root, file), "utf8").trimEnd().split("\n");
  if (name !== undefined) {
    const start = lines.findIndex((line) => line.trim() === `//#region ${name}`);
    const end = lines.findIndex((line) => line.trim() === `//#endregion ${name}`);
    if (start < 0 || end < start) throw new Error(`${file} has no region "${name}"`);
    lines = lines.slice(start + 1, end);
  }
  lines = lines.filter((line) => !regionLine.test(line));
  const indents = lines.filter((line) => line !== "").map((line) => line.search(/\S/));
  return lines.map((line) => line.slice(Math.min(...indents)));
}

let failures = 0;
function fail(what: string): void {
  console.error(what);
  failures++;
}

for (const page of globSync(["README.md", "CONTRIBUTING.md", "docs/**/*.md"], { cwd: root })) {
  const before = readFileSync(join(root, page), "utf8");
  const lines = before.split("\n");
  const out: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    out.push(line);
    const [, indent = "", ticks = "", info = ""] =
      /^([\s>]*)(`{3,}|~{3,})\s*(.*)$/.exec(line) ?? [];
    if (ticks === "") continue;
    const close = lines.findIndex(
      (other, i) => i > at && other.replace(/^[\s>]+/, "").trim() === ticks,
    );
    if (close < 0) throw new Error(`${page}:${at + 1}: this fence is never closed`);
    const [lang = "", ...words] = info.trim().split(/\s+/);
    const [, file, name] = marker.exec(words.join(" ")) ?? [];
    let body: readonly string[] = lines.slice(at + 1, close);
    if (code.test(lang) && file === undefined) {
      fail(`${page}:${at + 1}: this ${lang} fence has no source=examples/file.ts#region`);
    } else if (file !== undefined) {
      body = quote(file, name).map((text) => (text === "" ? "" : indent + text));
    }
    out.push(...body, lines[close] ?? "");
    at = close;
  }
  const after = out.join("\n");
  if (after === before) continue;
  if (check) fail(`${page} is out of date; run npm run fix`);
  else writeFileSync(join(root, page), after);
}
process.exit(failures ? 1 : 0);
