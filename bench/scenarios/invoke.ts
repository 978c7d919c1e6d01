// The smallest run: what `invoke` costs around a single superstep.
import type { Scenario } from "../scenario.ts";
import { loop } from "./loop.ts";

export const invoke: Scenario = {
  ...loop,
  name: "invoke",
  unit: "run",
  about: "one node, one superstep",
  cases: [{ size: 1, langGraph: "always" }],
};
