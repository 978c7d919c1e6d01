import { describe, expectTypeOf, test } from "vitest";
import { Annotation, Command, END, RemainingSteps, Send, START, StateGraph } from "superstep";

const State = Annotation.Root({
  question: Annotation<string>(),
  score: Annotation<number>({ reducer: (sum, more) => sum + more, default: () => 0 }),
  mood: Annotation<"good" | "bad">(),
  log: Annotation<string[], string>({ reducer: (log, line) => [...log, line], default: () => [] }),
  remainingSteps: RemainingSteps,
});

describe("types flow from the state to the result", () => {
  test("nodes, routers and results know the state without annotations", () => {
    const graph = new StateGraph(State)
      .addNode("ask", (state, runtime) => {
        expectTypeOf(state.question).toEqualTypeOf<string>();
        expectTypeOf(state.log).toEqualTypeOf<string[]>();
        expectTypeOf(state.remainingSteps).toEqualTypeOf<number>();
        expectTypeOf(runtime.signal).toEqualTypeOf<AbortSignal>();
        return { log: "asked", mood: "good" };
      })
      .addNode("answer", async (state) => ({ score: state.log.length }))
      .addNode("nothing", () => {})
      .addNode("either", (state) => (state.score > 1 ? { mood: "bad" } : undefined))
      .addNode("command", () => new Command({ update: { log: "x" }, goto: "ask" }))
      .addNode("both", async () => [{ log: "x" }, new Command({ goto: ["ask", END] })])
      .addEdge(START, "ask")
      .addEdge(["ask", "answer"], "nothing")
      .addConditionalEdges("ask", (state) => (state.score > 3 ? "answer" : END))
      .addConditionalEdges("ask", async () => [new Send("answer", { n: 1 }), "nothing"])
      .addConditionalEdges("answer", (state) => state.score > 3, { true: "ask", false: END })
      .addConditionalEdges("answer", () => "ask" as const, ["ask", "either"])
      .compile();
    expectTypeOf(graph.invoke).returns.resolves.toEqualTypeOf<typeof State.State>();
    expectTypeOf(graph.invoke).parameter(0).toExtend<object | null>();
  });

  test("chunks are typed by the modes asked for", async () => {
    const graph = new StateGraph(State)
      .addNode("a", () => ({ log: "x" }))
      .addEdge(START, "a")
      .compile();
    for await (const chunk of graph.stream({}, { streamMode: "values" })) {
      expectTypeOf(chunk).toEqualTypeOf<typeof State.State>();
    }
    for await (const chunk of graph.stream({})) {
      expectTypeOf(chunk).toEqualTypeOf<{ readonly a?: typeof State.Update }>();
    }
    for await (const [mode, chunk] of graph.stream({}, { streamMode: ["values", "custom"] })) {
      if (mode === "values") expectTypeOf(chunk).toEqualTypeOf<typeof State.State>();
      else expectTypeOf(mode).toEqualTypeOf<"custom">();
    }
  });

  test("a key may be an annotation that is not called", () => {
    const Bare = Annotation.Root({ name: Annotation<string>, n: Annotation<number>() });
    expectTypeOf(Bare.State).toEqualTypeOf<{ name: string; n: number }>();
  });

  test("a graph built in steps takes any name, and compile checks it", () => {
    const builder = new StateGraph(State);
    builder.addNode("a", () => ({ log: "x" }));
    builder.addEdge(START, "a").addEdge("a", "b");
    builder.addConditionalEdges("a", () => "whatever");
  });
});

describe("mistakes that do not compile", () => {
  const chain = new StateGraph(State).addNode("a", () => ({})).addNode("b", () => ({}));

  test("names of nodes", () => {
    // @ts-expect-error unknown source
    chain.addEdge("c", "a");
    // @ts-expect-error unknown target
    chain.addEdge("a", "c");
    // @ts-expect-error unknown source of a waiting edge
    chain.addEdge(["a", "c"], "b");
    // @ts-expect-error a route to a node that is not there
    chain.addConditionalEdges("a", () => "c");
    // @ts-expect-error a path map to a node that is not there
    chain.addConditionalEdges("a", () => "x" as const, { x: "c" });
    const either = (): "x" | "y" => "y";
    // @ts-expect-error a route that the path map does not have
    chain.addConditionalEdges("a", either, { x: "b" });
    // @ts-expect-error a name that is taken
    chain.addNode("a", () => ({}));
  });

  test("updates", () => {
    // @ts-expect-error no such key
    chain.addNode("n1", () => ({ qestion: "?" }));
    // @ts-expect-error no such key, beside one that exists
    chain.addNode("n2", () => ({ question: "?", sore: 1 }));
    // @ts-expect-error no such key, in an async node
    chain.addNode("n3", async () => ({ question: "?", sore: 1 }));
    // @ts-expect-error wrong type
    chain.addNode("n4", () => ({ question: 1 }));
    // @ts-expect-error the reducer takes a string, not the list
    chain.addNode("n5", () => ({ log: ["a"] }));
    // @ts-expect-error the engine fills this key in
    chain.addNode("n6", () => ({ remainingSteps: 3 }));
    // @ts-expect-error an unknown key in a Command
    chain.addNode("n7", () => new Command({ update: { qestion: "?" } }));
    // @ts-expect-error a Command with a value of the wrong type
    chain.addNode("n8", () => new Command({ update: { question: 1 } }));
    // @ts-expect-error not an update
    chain.addNode("n9", () => "text");
  });

  test("input and options", () => {
    const graph = chain.addEdge(START, "a").compile();
    // @ts-expect-error unknown input key
    void graph.invoke({ qestion: "?" });
    // @ts-expect-error wrong input type
    void graph.invoke({ question: 1 });
    // @ts-expect-error unknown stream mode
    void graph.stream({}, { streamMode: "everything" });
    // @ts-expect-error unknown option
    void graph.invoke({}, { recursionlimit: 3 });
  });
});
