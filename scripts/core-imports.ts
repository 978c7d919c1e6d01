// The core entry loads in browsers and edge runtimes and has no dependencies: nothing that is
// statically reachable from src/index.ts may import a builtin or a package. `import()` may.
import { existsSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { isBuiltin } from "node:module";
import { importsOf } from "./imports.ts";

const src = join(import.meta.dirname, "../packages/superstep/src");
const entry = join(src, "index.ts");
// For each file the one that imported it, to print how the core came to load it.
const importedBy = new Map<string, string | undefined>([[entry, undefined]]);
let broken = 0;

function chain(file: string | undefined): string {
  if (file === undefined) return "";
  const before = chain(importedBy.get(file));
  return `${before && `${before} -> `}${relative(src, file)}`;
}

if (!existsSync(entry)) {
  console.error(`${entry} does not exist`);
  process.exit(1);
}
// The map grows while it is walked; a Map's iterator follows.
for (const file of importedBy.keys()) {
  for (const { specifier, kind, line } of importsOf(file)) {
    if (kind === "dynamic") continue;
    if (specifier.startsWith(".")) {
      const target = join(dirname(file), specifier);
      if (kind === "static" && !importedBy.has(target)) importedBy.set(target, file);
      continue;
    }
    const builtin = isBuiltin(specifier);
    // A builtin's types vanish; a package's types would be missing for users.
    if (builtin && kind === "type") continue;
    console.error(
      `${relative(src, file)}:${line}: the core entry must not import the ` +
        `${builtin ? "Node module" : "npm package"} "${specifier}"\n  reached by ${chain(file)}`,
    );
    broken++;
  }
}
process.exit(broken ? 1 : 0);
