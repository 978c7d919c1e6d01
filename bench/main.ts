// What a superstep costs: Superstep, LangGraph.js and a loop written by hand run the same programs
// in one process, in turns.
//
//   npm run bench                             everything, in under three minutes
//   npm run bench -- --only loop,sends        these scenarios; `counts` for the counts alone
//   npm run bench -- --rounds 21              more rounds than nine
//   npm run bench -- --skip-langgraph         without LangGraph.js (also --skip-superstep)
//   npm run bench -- --full                   with LangGraph.js at 10,000 Sends: two minutes more
//   npm run bench -- --built                  Superstep from dist (after `npm run build`), not from src
//   npm run bench -- --json                   one JSON object in place of the tables
//
// Node 22.18 or later runs it; the project's npm scripts bring Node 24. LangGraph.js is installed
// into bench/node_modules from bench's own lock when it is first needed.
//
// Scenarios (scenarios/) are written once for both libraries, which are passed in, and once by hand.
// Each run's final state is checked. Costs are CPU time, so that waiting and other processes do not
// count; ratios within one run are what to compare, as the absolute figures move with the machine.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { loadContestants } from "./contestants.ts";
import type { CountRow } from "./counts.ts";
import { type Options, readOptions } from "./options.ts";
import { describe, formatReport } from "./report.ts";
import { measureAll } from "./rows.ts";
import { names, scenarios } from "./scenarios.ts";

/** Runs counts.ts, with the same arguments, in a process whose young generation holds a whole run. */
function countInChild(args: readonly string[]): readonly CountRow[] {
  const youngGeneration = ["--min-semi-space-size=128", "--max-semi-space-size=128"];
  const file = join(import.meta.dirname, "counts.ts");
  const output = execFileSync(
    process.execPath,
    [...process.execArgv, ...youngGeneration, file, ...args],
    { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] },
  );
  return JSON.parse(output) as readonly CountRow[];
}

function optionsOrExit(args: readonly string[]): Options {
  try {
    return readOptions(args, names);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(2);
  }
}

const args = process.argv.slice(2);
const options = optionsOrExit(args);
const chosen = (name: string): boolean => options.only.length === 0 || options.only.includes(name);
const contestants = await loadContestants(options);
const rows = await measureAll(
  scenarios.filter(({ name }) => chosen(name)),
  contestants,
  options,
);
const counts = chosen("counts") ? countInChild(args) : [];
const report = { ...describe(contestants, options.rounds), rows, counts };
console.log(options.json ? JSON.stringify(report) : formatReport(report));
