// Joins the built modules of each layer into one file: an import then opens a dozen files instead of
// over a hundred. A file a layer, so that a program's own bundler can still leave out whole layers.
import { cpSync, globSync, mkdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { join, relative, resolve, sep } from "node:path";
import { pathToFileURL } from "node:url";
import type { Rolldown } from "vite";
import pkg from "../packages/superstep/package.json" with { type: "json" };

const folder = resolve(import.meta.dirname, "../packages/superstep");
const dist = join(folder, "dist");
const out = join(folder, "node_modules/.bundle");

// The bundler that vite brings.
const path = createRequire(import.meta.resolve("vite")).resolve("rolldown");
const { rolldown } = (await import(pathToFileURL(path).href)) as typeof Rolldown;

const entries: Record<string, string> = {};
for (const target of Object.values(pkg.exports)) {
  if (typeof target === "string") continue;
  const file = resolve(folder, target.default);
  entries[relative(dist, file).replace(/\.js$/, "")] = file;
}
entries["cli"] = join(dist, "cli/main.js"); // what the launcher runs; nothing to import

/** The layer of a module; the entries stay as they are. */
function layerOf(id: string): string | null {
  const [layer, ...rest] = relative(dist, id).split(sep);
  return layer === undefined || layer === ".." || rest.length === 0 ? null : `layers/${layer}`;
}

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const build = await rolldown({
  input: entries,
  platform: "neutral",
  external: (id) => !/^[./]/.test(id),
});
await build.write({
  dir: out,
  format: "esm",
  sourcemap: true,
  chunkFileNames: "[name].js",
  // Apart by who needs them as well: what only a lazy import needs is not loaded with the rest.
  codeSplitting: { groups: [{ name: layerOf, entriesAware: true, debugName: "layers" }] },
});
await build.close();
for (const file of globSync("**/*.js{,.map}", { cwd: dist })) rmSync(join(dist, file));
cpSync(out, dist, { recursive: true });
