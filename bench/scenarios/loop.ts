// One node that counts, and a conditional edge back to it: the cost of a superstep, and whether
// step 10,000 costs what step 10 does.
import type { Library } from "../library.ts";
import { type Run, type Scenario, verify } from "../scenario.ts";

export interface Counter {
  count: number;
}

const increment = async (state: Readonly<Counter>): Promise<Counter> => ({
  count: state.count + 1,
});

/** Builds the graph and answers a function that runs it for that many steps. */
export function loopGraph(library: Library, steps: number): () => Promise<Counter> {
  const { StateGraph, Annotation, START, END } = library;
  const graph = new StateGraph(Annotation.Root({ count: Annotation<number>() }))
    .addNode("increment", increment)
    .addEdge(START, "increment")
    .addConditionalEdges("increment", ({ count }) => (count < steps ? "increment" : END), [
      "increment",
      END,
    ])
    .compile();
  return () => graph.invoke({ count: 0 }, { recursionLimit: steps + 10 });
}

export async function loopByHand(steps: number): Promise<Counter> {
  let state: Counter = { count: 0 };
  do {
    state = { ...state, ...(await increment(state)) };
  } while (state.count < steps);
  return state;
}

export const loop: Scenario = {
  name: "loop",
  unit: "superstep",
  about: "one node and a conditional edge back to it",
  cases: [10, 100, 1000, 10_000].map((size) => ({ size, langGraph: "always" })),
  units: (steps) => steps,
  graph(library, steps): Run {
    const run = loopGraph(library, steps);
    return async () => verify("count", (await run()).count, steps);
  },
  plain:
    (steps): Run =>
    async () =>
      verify("count", (await loopByHand(steps)).count, steps),
};
