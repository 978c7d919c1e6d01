// Many runs of a ten-step loop at the same time, of one compiled graph.
import { type Run, type Scenario, verify } from "../scenario.ts";
import { type Counter, loopByHand, loopGraph } from "./loop.ts";

const steps = 10;

async function runAll(size: number, run: () => Promise<Counter>): Promise<void> {
  const states = await Promise.all(Array.from({ length: size }, run));
  for (const { count } of states) {
    verify("count", count, steps);
  }
}

export const concurrent: Scenario = {
  name: "concurrent",
  unit: "superstep",
  about: "runs of a 10-step loop at the same time",
  cases: [{ size: 1000, langGraph: "always" }],
  units: (size) => size * steps,
  graph(library, size): Run {
    const run = loopGraph(library, steps);
    return () => runAll(size, run);
  },
  plain:
    (size): Run =>
    () =>
      runAll(size, () => loopByHand(steps)),
};
