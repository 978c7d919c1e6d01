// The command line.
import { parseArgs } from "node:util";

export interface Options {
  /** Names of scenarios, or `counts`; empty means all. */
  readonly only: readonly string[];
  readonly rounds: number;
  readonly superstep: boolean;
  /** LangGraph.js, and LangChain's agents, which run on it. */
  readonly langGraph: boolean;
  readonly aiSdk: boolean;
  readonly full: boolean;
  readonly built: boolean;
  readonly json: boolean;
}

/** Reads the arguments; throws, with the choices, on one that it does not know. */
export function readOptions(args: readonly string[], names: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: "string", multiple: true, default: [] },
      rounds: { type: "string", default: "9" },
      "skip-superstep": { type: "boolean", default: false },
      "skip-langgraph": { type: "boolean", default: false },
      "skip-ai-sdk": { type: "boolean", default: false },
      full: { type: "boolean", default: false },
      built: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
    },
  });
  const only = values.only.flatMap((list) => list.split(","));
  const unknown = only.find((name) => !names.includes(name));
  if (unknown !== undefined) {
    throw new Error(`--only ${unknown}: there are ${names.join(", ")}`);
  }
  const rounds = Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1) {
    throw new Error(`--rounds ${values.rounds}: a whole number from 1 is needed`);
  }
  return {
    only,
    rounds,
    superstep: !values["skip-superstep"],
    langGraph: !values["skip-langgraph"],
    aiSdk: !values["skip-ai-sdk"],
    full: values.full,
    built: values.built,
    json: values.json,
  };
}
