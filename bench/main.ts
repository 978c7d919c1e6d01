// What a superstep costs: Superstep, LangGraph.js and a loop written by hand run the same programs
// in one process, in turns. And what a round of an agent, a tool call and a streamed token cost:
// Superstep beside LangChain's createAgent, the AI SDK and loops written by hand.
//
//   npm run bench                             everything, in under four minutes
//   npm run bench -- --only loop,sends        these scenarios; `counts` for the counts alone
//   npm run bench -- --only agent-rounds,agent-parallel,tokens,lead      those of agents
//   npm run bench -- --rounds 21              more rounds than nine
//   npm run bench -- --skip-langgraph         without LangGraph.js and LangChain
//   npm run bench -- --skip-ai-sdk            without the AI SDK (also --skip-superstep)
//   npm run bench -- --full                   with LangGraph.js at 10,000 Sends, and all libraries
//                                             at 1,000 rounds: some minutes more
//   npm run bench -- --built                  Superstep from dist (after `npm run build`), not from src
//   npm run bench -- --json                   one JSON object in place of the tables
//
// Node 22.18 or later runs it; the project's npm scripts bring Node 24. The other libraries are
// installed into bench/node_modules from bench's own lock when they are first needed.
//
// Scenarios (scenarios/) are written once for both libraries, which are passed in, and once by hand.
// Those of agents (agents/) have one file for each contestant: the models differ, what they say does
// not. `lead` is no measurement: it reads tokens slowly, tells how far each model gets ahead of its
// reader, and fails when Superstep's is more than 65 tokens ahead.
//
// Each run's final state is checked. Costs are CPU time, so that waiting and other processes do not
// count; ratios within one run are what to compare, as the absolute figures move with the machine.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { measureLeads } from "./agents/lead.ts";
import { loadAgents } from "./agents/load.ts";
import { measureAgents } from "./agents/rows.ts";
import { agentScenarios } from "./agents/scenarios.ts";
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
const chosenAgents = agentScenarios.filter(({ name }) => chosen(name));
const agents = chosenAgents.length > 0 || chosen("lead") ? await loadAgents(options) : [];
const agentRows = await measureAgents(chosenAgents, agents, options);
const leads = chosen("lead") ? await measureLeads(agents) : [];
const about = describe([...contestants, ...agents], options.rounds);
const report = { ...about, rows, counts, agentRows, leads };
console.log(options.json ? JSON.stringify(report) : formatReport(report));
