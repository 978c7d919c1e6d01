// Compares the built package with bench/budgets.json: bytes of a bundle (minified and gzipped), which
// fail when over, and the time of an import, which is printed only since it depends on the machine.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import type { Rolldown } from "vite";

interface Budgets {
  readonly bundle?: Readonly<Record<string, number>>;
  readonly importMs?: number;
}

const root = resolve(import.meta.dirname, "..");
const folder = join(root, "packages/superstep");
const budgets: Budgets = JSON.parse(readFileSync(join(root, "bench/budgets.json"), "utf8"));
// What a program that keeps to one part imports; a budget is named after its row.
const programs: Readonly<Record<string, string>> = {
  StateGraph: `export { Annotation, StateGraph } from "superstep";`,
  createAgent: `export { createAgent } from "superstep";`,
};

/** Bytes of what loads with the program; chunks behind `import()` do not count. */
async function bundle(program: string): Promise<number> {
  // The bundler that vite brings, without vite's own additions to the code.
  const path = createRequire(import.meta.resolve("vite")).resolve("rolldown");
  const { rolldown } = (await import(pathToFileURL(path).href)) as typeof Rolldown;
  const entry = join(folder, "budget-entry.js");
  const build = await rolldown({
    input: entry,
    platform: "browser",
    // Optional peers are loaded lazily and belong to the program, not to us.
    external: (id) => !/^([./]|superstep(\/|$))/.test(id),
    plugins: [
      {
        name: "entry",
        resolveId: (id) => (id === entry ? id : null),
        load: (id) => (id === entry ? program : null),
      },
    ],
  });
  const { output } = await build.generate({ format: "esm", minify: true });
  await build.close();
  const chunks = output.filter((chunk) => chunk.type === "chunk");
  const loaded = new Set([chunks.find((chunk) => chunk.isEntry)]);
  // The set grows while it is walked.
  for (const chunk of loaded) {
    for (const name of chunk?.imports ?? []) {
      loaded.add(chunks.find((other) => other.fileName === name));
    }
  }
  return gzipSync([...loaded].map((chunk) => chunk?.code ?? "").join("\n")).length;
}

let failures = 0;
for (const [name, limit] of Object.entries(budgets.bundle ?? {})) {
  const program = programs[name];
  if (program === undefined) throw new Error(`scripts/budgets.ts has no program "${name}"`);
  const bytes = await bundle(program);
  console.log(`${bytes > limit ? "OVER" : "ok  "} bundle ${name}: ${bytes} of ${limit} bytes`);
  if (bytes > limit) failures++;
}

const built = join(folder, "dist/index.js");
if (existsSync(built) && budgets.importMs !== undefined) {
  const url = JSON.stringify(pathToFileURL(built).href);
  const code = `const t = performance.now(); await import(${url}); console.log(performance.now() - t)`;
  const args = ["--input-type=module", "-e", code];
  // The best of a few processes: the others measure what else the machine does.
  const times = Array.from({ length: 7 }, () => +execFileSync(process.execPath, args).toString());
  console.log(
    `     import: ${Math.min(...times).toFixed(1)} of ${budgets.importMs} ms (not a gate)`,
  );
}
process.exit(failures ? 1 : 0);
