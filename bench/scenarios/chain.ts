// A chain of nodes, each with an edge to the next.
import { type Run, type Scenario, verify } from "../scenario.ts";
import type { Counter } from "./loop.ts";

// One function a node, as a user's graph has.
const nodesOf = (size: number): readonly ((state: Readonly<Counter>) => Promise<Counter>)[] =>
  Array.from({ length: size }, () => async ({ count }: Readonly<Counter>) => ({
    count: count + 1,
  }));

export const chain: Scenario = {
  name: "chain",
  unit: "superstep",
  about: "nodes in a row",
  cases: [{ size: 100, langGraph: "always" }],
  units: (nodes) => nodes,
  graph({ StateGraph, Annotation, START, END }, size): Run {
    const builder = new StateGraph(Annotation.Root({ count: Annotation<number>() }));
    let previous = START;
    for (const [index, node] of nodesOf(size).entries()) {
      const name = `node${index}`;
      builder.addNode(name, node).addEdge(previous, name);
      previous = name;
    }
    const graph = builder.addEdge(previous, END).compile();
    return async () => {
      const state = await graph.invoke({ count: 0 }, { recursionLimit: size + 10 });
      verify("count", state.count, size);
    };
  },
  plain(size): Run {
    const nodes = nodesOf(size);
    return async () => {
      let state: Counter = { count: 0 };
      for (const node of nodes) {
        state = { ...state, ...(await node(state)) };
      }
      verify("count", state.count, size);
    };
  },
};
