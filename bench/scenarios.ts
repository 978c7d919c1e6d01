// All scenarios, in the order in which they run and are printed.
import { agentScenarios } from "./agents/scenarios.ts";
import type { Scenario } from "./scenario.ts";
import { chain } from "./scenarios/chain.ts";
import { channels } from "./scenarios/channels.ts";
import { concurrent } from "./scenarios/concurrent.ts";
import { invoke } from "./scenarios/invoke.ts";
import { loop } from "./scenarios/loop.ts";
import { sends, sendsSum } from "./scenarios/sends.ts";

export const scenarios: readonly Scenario[] = [
  invoke,
  loop,
  chain,
  sends,
  sendsSum,
  channels,
  concurrent,
];

/** What `--only` takes. */
export const names: readonly string[] = [
  ...scenarios.map(({ name }) => name),
  ...agentScenarios.map(({ name }) => name),
  "lead",
  "counts",
];
