// A fan-out of Sends and a join, with two reducers. `sends` appends each result to a list, as users
// write it; that reducer copies the list, so at 10,000 Sends it alone takes some 3 us a Send (see
// `plain`). `sends-sum` adds numbers, so that the cost that is left is the engine's.
import type { Library } from "../library.ts";
import { type Run, type Scenario, verify } from "../scenario.ts";

interface FanOut<Results> {
  items: readonly number[];
  results: Results;
  total: number;
  item: number;
}

interface Kind<Results> {
  readonly reducer: (current: Results, update: Results) => Results;
  readonly empty: () => Results;
  readonly result: (item: number) => Results;
  readonly total: (results: Results) => number;
}

const append: Kind<readonly number[]> = {
  reducer: (current, update) => current.concat(update),
  empty: () => [],
  result: (item) => [item * 2],
  total: (results) => results.reduce((sum, result) => sum + result, 0),
};

const sum: Kind<number> = {
  reducer: (current, update) => current + update,
  empty: () => 0,
  result: (item) => item * 2,
  total: (results) => results,
};

const inputOf = (size: number): readonly number[] =>
  Array.from({ length: size }, (_, index) => index);

const expectedTotal = (size: number): number => size * (size - 1);

function fanOutGraph<Results>(library: Library, kind: Kind<Results>, size: number): Run {
  const { StateGraph, Annotation, Send, START, END } = library;
  const schema = Annotation.Root<FanOut<Results>>({
    items: Annotation<readonly number[]>(),
    results: Annotation<Results>({ reducer: kind.reducer, default: kind.empty }),
    total: Annotation<number>(),
    item: Annotation<number>(),
  });
  const graph = new StateGraph(schema)
    .addNode("work", async ({ item }) => ({ results: kind.result(item) }))
    .addNode("join", async ({ results }) => ({ total: kind.total(results) }))
    .addConditionalEdges(START, ({ items }) => items.map((item) => new Send("work", { item })), [
      "work",
    ])
    .addEdge("work", "join")
    .addEdge("join", END)
    .compile();
  const items = inputOf(size);
  return async () => {
    const state = await graph.invoke({ items }, { recursionLimit: 10 });
    verify("total", state.total, expectedTotal(size));
  };
}

function fanOutByHand<Results>(kind: Kind<Results>, size: number): Run {
  const work = async ({ item }: { item: number }): Promise<{ results: Results }> => ({
    results: kind.result(item),
  });
  const join = async ({ results }: { results: Results }): Promise<{ total: number }> => ({
    total: kind.total(results),
  });
  const items = inputOf(size);
  return async () => {
    const updates = await Promise.all(items.map((item) => work({ item })));
    let results = kind.empty();
    for (const update of updates) {
      results = kind.reducer(results, update.results);
    }
    let state = { items, results, total: 0 };
    state = { ...state, ...(await join(state)) };
    verify("total", state.total, expectedTotal(size));
  };
}

const cases: Scenario["cases"] = [
  { size: 10, langGraph: "always" },
  { size: 100, langGraph: "always" },
  { size: 1000, langGraph: "always" },
  { size: 10_000, langGraph: "full" },
];

export const sends: Scenario = {
  name: "sends",
  unit: "send",
  about: "Sends and a join; the reducer appends",
  cases,
  units: (size) => size,
  graph: (library, size) => fanOutGraph(library, append, size),
  plain: (size) => fanOutByHand(append, size),
};

export const sendsSum: Scenario = {
  name: "sends-sum",
  unit: "send",
  about: "Sends and a join; the reducer adds",
  cases: cases.map(({ size }) => ({ size, langGraph: size === 1000 ? "always" : "never" })),
  units: (size) => size,
  graph: (library, size) => fanOutGraph(library, sum, size),
  plain: (size) => fanOutByHand(sum, size),
};
