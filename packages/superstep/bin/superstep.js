#!/usr/bin/env node
// Runs the command line: from the sources inside the repository, from dist when installed.
import { existsSync } from "node:fs";

const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  process.stderr.write(`superstep needs Node 22.18 or later; this is ${process.version}.\n`);
  process.exit(1);
}

const sources = new URL("../src/cli/main.ts", import.meta.url);
const fromSources = !import.meta.url.includes("/node_modules/") && existsSync(sources);
if (fromSources) {
  const { registerHooks } = await import("node:module");
  // So that the user's file and the command line share one copy of the package.
  registerHooks({
    resolve: (specifier, context, next) =>
      next(specifier, { ...context, conditions: [...context.conditions, "@superstep/source"] }),
  });
}

// Node 22 says of each TypeScript file that running it is an experiment.
const { emitWarning } = process;
process.emitWarning = (warning, ...rest) => {
  if (!String(warning).startsWith("Type Stripping is")) emitWarning.call(process, warning, ...rest);
};

const { main } = await import(fromSources ? sources.href : "../dist/cli.js");
await main(process.argv.slice(2));
