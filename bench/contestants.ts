// Who takes part: Superstep, LangGraph.js and the loop written by hand.
import { install, type LoadedLibrary, loadLangGraph, loadSuperstep } from "./library.ts";
import type { Options } from "./options.ts";
import type { Run, Scenario } from "./scenario.ts";

export type Name = "superstep" | "langgraph" | "plain";

export interface Contestant {
  readonly name: Name;
  readonly version?: string;
  readonly make: (scenario: Scenario, size: number) => Run;
}

const withLibrary = (name: Name, { library, version }: LoadedLibrary): Contestant => ({
  name,
  version,
  make: (scenario, size) => scenario.graph(library, size),
});

export async function loadContestants(options: Options): Promise<readonly Contestant[]> {
  const contestants: Contestant[] = [];
  if (options.superstep) {
    contestants.push(withLibrary("superstep", await loadSuperstep(options.built)));
  }
  if (options.langGraph) {
    install();
    contestants.push(withLibrary("langgraph", await loadLangGraph()));
  }
  contestants.push({ name: "plain", make: (scenario, size) => scenario.plain(size) });
  return contestants;
}
