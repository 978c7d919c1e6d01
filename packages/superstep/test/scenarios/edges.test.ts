import { Annotation, Command, END, InvalidUpdateError, Send, START, StateGraph } from "superstep";
import { describe, expect, test } from "vitest";
import { append, expectRefusal, readAll, rejectionOf } from "./world.ts";

const State = Annotation.Root({
  log: Annotation<readonly string[]>({ reducer: append, default: () => [] }),
  n: Annotation<number>(),
});
type Now = typeof State.State;

/** A node that notes its name. */
const note = (name: string) => () => ({ log: [name] });
const notes = <Names extends readonly string[]>(...names: Names) =>
  Object.fromEntries(names.map((name) => [name, note(name)])) as unknown as Record<
    Names[number],
    () => typeof State.Update
  >;
const logOf = async (graph: { invoke(input: object): Promise<Now> }, input: object = {}) =>
  (await graph.invoke(input)).log;

describe("edges", () => {
  test("a chain runs its nodes one after another, however it was built", async () => {
    const graph = new StateGraph(State)
      .addNode(notes("c", "a", "b"))
      .addEdge("b", "a")
      .addEdge("c", "b")
      .addEdge(START, "c")
      .addEdge("a", END)
      .compile();
    expect(await logOf(graph)).toEqual(["c", "b", "a"]);
  });

  test("setEntryPoint and setFinishPoint are edges from START and to END", async () => {
    const graph = new StateGraph(State)
      .addNode(notes("a", "b"))
      .setEntryPoint("a")
      .addEdge("a", "b")
      .setFinishPoint("b")
      .compile();
    expect(await logOf(graph)).toEqual(["a", "b"]);
  });

  test("a graph whose only edge leads from START to END returns its input", async () => {
    const graph = new StateGraph(State).addEdge(START, END).compile();
    expect(await graph.invoke({ n: 1 })).toEqual({ log: [], n: 1 });
  });

  test("several entry nodes run in one superstep", async () => {
    const graph = new StateGraph(State)
      .addNode(notes("b", "a"))
      .addEdge(START, "b")
      .addEdge(START, "a")
      .compile();
    const values = await readAll(graph.stream({ n: 1 }, { streamMode: "values" }));
    expect(values.map(({ log }) => log)).toEqual([[], ["a", "b"]]);
  });

  test("the same edge twice is one edge", async () => {
    const graph = new StateGraph(State)
      .addNode(notes("a", "b"))
      .addEdge(START, "a")
      .addEdge("a", "b")
      .addEdge("a", "b")
      .compile();
    expect(await logOf(graph)).toEqual(["a", "b"]);
  });

  test("a node that several nodes lead to in one superstep runs once", async () => {
    const graph = new StateGraph(State)
      .addNode(notes("a", "b", "c"))
      .addEdge(START, "a")
      .addEdge(START, "b")
      .addEdge("a", "c")
      .addEdge("b", "c")
      .compile();
    expect(await logOf(graph)).toEqual(["a", "b", "c"]);
  });

  test("edges of different length to one node run it twice", async () => {
    const graph = new StateGraph(State)
      .addNode(notes("short", "long1", "long2", "target"))
      .addEdge(START, "short")
      .addEdge(START, "long1")
      .addEdge("long1", "long2")
      .addEdge("short", "target")
      .addEdge("long2", "target")
      .compile();
    expect(await logOf(graph)).toEqual(["long1", "short", "long2", "target", "target"]);
  });

  test("END ends its own path only", async () => {
    const graph = new StateGraph(State)
      .addNode(notes("a", "b", "c"))
      .addEdge(START, "a")
      .addEdge(START, "b")
      .addEdge("a", END)
      .addEdge("b", "c")
      .compile();
    expect(await logOf(graph)).toEqual(["a", "b", "c"]);
  });
});

describe("waiting edges", () => {
  test("the join waits for paths of any length and runs once", async () => {
    const graph = new StateGraph(State)
      .addNode(notes("short", "long1", "long2", "long3", "join"))
      .addEdge(START, "short")
      .addEdge(START, "long1")
      .addEdge("long1", "long2")
      .addEdge("long2", "long3")
      .addEdge(["short", "long3"], "join")
      .compile();
    expect(await logOf(graph)).toEqual(["long1", "short", "long2", "long3", "join"]);
  });

  test("the join sees the writes of all that it waited for", async () => {
    const graph = new StateGraph(State)
      .addNode(notes("a", "b", "c"))
      .addNode("join", ({ log }) => ({ n: log.length }))
      .addEdge(START, "a")
      .addEdge(START, "b")
      .addEdge(START, "c")
      .addEdge(["a", "b", "c"], "join")
      .compile();
    expect((await graph.invoke({})).n).toBe(3);
  });

  test("a join with a source that never runs does not run", async () => {
    const graph = new StateGraph(State)
      .addNode(notes("a", "b", "join"))
      .addConditionalEdges(START, () => "a", ["a", "b"])
      .addEdge(["a", "b"], "join")
      .compile();
    expect(await logOf(graph)).toEqual(["a"]);
  });

  test("two joins of one source, and a plain edge beside a join, do not disturb each other", async () => {
    const graph = new StateGraph(State)
      .addNode(notes("a", "b", "c", "ab", "ac", "next"))
      .addEdge(START, "a")
      .addEdge(START, "b")
      .addEdge("a", "c")
      .addEdge(["a", "b"], "ab")
      .addEdge(["a", "c"], "ac")
      .addEdge("a", "next")
      .compile();
    expect(await logOf(graph)).toEqual(["a", "b", "ab", "c", "next", "ac"]);
  });

  test("a source that is named twice, or the same join twice, counts once", async () => {
    const graph = new StateGraph(State)
      .addNode(notes("a", "b", "join"))
      .addEdge(START, "a")
      .addEdge(START, "b")
      .addEdge(["a", "b", "a"], "join")
      .addEdge(["b", "a"], "join")
      .compile();
    expect(await logOf(graph)).toEqual(["a", "b", "join"]);
  });

  test("inside a loop the join waits anew in every round", async () => {
    const graph = new StateGraph(State)
      .addNode("head", ({ n }) => ({ n: n + 1, log: [`head${n + 1}`] }))
      .addNode(notes("left", "right1", "right2"))
      .addNode("join", ({ n }) => ({ log: [`join${n}`] }))
      .addEdge(START, "head")
      .addEdge("head", "left")
      .addEdge("head", "right1")
      .addEdge("right1", "right2")
      .addEdge(["left", "right2"], "join")
      .addConditionalEdges("join", ({ n }) => (n < 3 ? "head" : END))
      .compile();
    expect(await logOf(graph, { n: 0 })).toEqual(
      [1, 2, 3].flatMap((round) => [`head${round}`, "left", "right1", "right2", `join${round}`]),
    );
  });

  test("a join remembers who has run until the last one has, rounds later if need be", async () => {
    const graph = new StateGraph(State)
      .addNode("fast", ({ n }) => ({ n: n + 1, log: ["fast"] }))
      .addNode(notes("slow", "join"))
      .addEdge(START, "fast")
      .addConditionalEdges("fast", ({ n }) => (n < 3 ? "fast" : "slow"))
      .addEdge(["fast", "slow"], "join")
      .compile();
    expect(await logOf(graph, { n: 0 })).toEqual(["fast", "fast", "fast", "slow", "join"]);
  });

  test("a node that a Send runs counts for the join like any other", async () => {
    const graph = new StateGraph(State)
      .addNode(notes("a", "b", "join"))
      .addConditionalEdges(START, () => [new Send("a", {}), new Send("a", {}), new Send("b", {})])
      .addEdge(["a", "b"], "join")
      .compile();
    expect(await logOf(graph)).toEqual(["a", "a", "b", "join"]);
  });
});

describe("conditional edges", () => {
  const build = (route: (state: Now) => unknown) =>
    new StateGraph(State)
      .addNode("a", () => ({ log: ["a"], n: 1 }))
      .addNode("b", (state: Now & { own?: string }) => ({ log: [state.own ?? "b"] }))
      .addNode("c", note("c"))
      .addEdge(START, "a")
      .addConditionalEdges("a", route as () => "b");

  test("they may return a name, END, a Send, a list of them, or an empty list", async () => {
    const cases: [unknown, string[]][] = [
      ["b", ["a", "b"]],
      [END, ["a"]],
      [
        ["c", "b"],
        ["a", "b", "c"],
      ],
      [[], ["a"]],
      [
        ["b", "b"],
        ["a", "b"],
      ],
      [
        ["b", END],
        ["a", "b"],
      ],
      [new Send("b", { own: "sent" }), ["a", "sent"]],
      [
        [new Send("b", { own: "2" }), "b", new Send("b", { own: "1" }), "c"],
        ["a", "b", "c", "2", "1"],
      ],
    ];
    for (const [result, log] of cases) {
      expect(await logOf(build(() => result).compile())).toEqual(log);
      expect(await logOf(build(async () => result).compile())).toEqual(log);
    }
  });

  test("one node may have several, with and without names, also the same function twice", async () => {
    const named = () => "b" as const;
    const graph = build(() => "c")
      .addConditionalEdges("a", () => "b")
      .addConditionalEdges("a", named)
      .addConditionalEdges("a", named)
      .addConditionalEdges("a", async () => [END])
      .addConditionalEdges("a", () => new Send("b", { own: "sent" }))
      .compile();
    expect(await logOf(graph)).toEqual(["a", "b", "c", "sent"]);
  });

  test("they run beside static edges of the same node", async () => {
    const graph = build(() => "c")
      .addEdge("a", "b")
      .compile();
    expect(await logOf(graph)).toEqual(["a", "b", "c"]);
  });

  test("a path map translates what the function returns", async () => {
    const graph = (route: () => string | number | boolean) =>
      new StateGraph(State)
        .addNode(notes("a", "b", "c"))
        .addEdge(START, "a")
        .addConditionalEdges("a", route as () => string, {
          yes: "b",
          no: "c",
          stop: END,
          true: "b",
          false: "c",
          0: "b",
          "": "c",
        })
        .compile();
    expect(await logOf(graph(() => "yes"))).toEqual(["a", "b"]);
    expect(await logOf(graph(() => "no"))).toEqual(["a", "c"]);
    expect(await logOf(graph(() => "stop"))).toEqual(["a"]);
    expect(await logOf(graph(() => true))).toEqual(["a", "b"]);
    expect(await logOf(graph(() => false))).toEqual(["a", "c"]);
    expect(await logOf(graph(() => 0))).toEqual(["a", "b"]);
    expect(await logOf(graph(() => ""))).toEqual(["a", "c"]);
  });

  test("a path map may be a list of nodes", async () => {
    const graph = new StateGraph(State)
      .addNode(notes("a", "b", "c"))
      .addEdge(START, "a")
      .addConditionalEdges("a", () => ["b", "c"] as const, ["b", "c", END])
      .compile();
    expect(await logOf(graph)).toEqual(["a", "b", "c"]);
  });

  test("changing the path map afterwards changes nothing", async () => {
    const map: Record<"x", "b" | "c"> = { x: "b" };
    const builder = new StateGraph(State)
      .addNode(notes("a", "b", "c"))
      .addEdge(START, "a")
      .addEdge(START, "c")
      .addConditionalEdges("a", () => "x" as const, map);
    map.x = "c";
    expect(await logOf(builder.compile())).toEqual(["a", "c", "b"]);
  });

  test("they read the state as their own node leaves it, and not what siblings write", async () => {
    const seen: Record<string, unknown> = {};
    const look = (name: string) => (state: Now) => {
      seen[name] = { ...state };
      return [];
    };
    const graph = new StateGraph(State)
      .addNode("a", () => ({ log: ["a"], n: 1 }))
      .addNode("b", note("b"))
      .addNode("c", () => {})
      .addEdge(START, "a")
      .addEdge(START, "b")
      .addEdge(START, "c")
      .addConditionalEdges("a", look("a"))
      .addConditionalEdges("b", look("b"))
      .addConditionalEdges("c", look("c"))
      .compile();
    const result = await graph.invoke({ log: ["0"], n: 0 });
    expect(seen).toEqual({
      a: { log: ["0", "a"], n: 1 },
      b: { log: ["0", "b"], n: 0 },
      c: { log: ["0"], n: 0 },
    });
    expect(result).toEqual({ log: ["0", "a", "b"], n: 1 });
  });

  test("after a Send they read the graph's state with the task's writes, not the task's input", async () => {
    const seen: unknown[] = [];
    const graph = new StateGraph(State)
      .addNode("worker", ({ n }) => ({ log: [`worker${n}`] }))
      .addConditionalEdges(START, () => [
        new Send("worker", { n: 1 }),
        new Send("worker", { n: 2 }),
      ])
      .addConditionalEdges("worker", (state) => {
        seen.push({ ...state });
        return END;
      })
      .compile();
    await graph.invoke({ n: 7, log: ["0"] });
    expect(seen).toEqual([
      { log: ["0", "worker1"], n: 7 },
      { log: ["0", "worker2"], n: 7 },
    ]);
  });

  test("each task of a node asks them anew", async () => {
    const graph = new StateGraph(State)
      .addNode("worker", ({ n }) => ({ log: [`w${n}`] }))
      .addNode("odd", (state: Now & { from?: string }) => ({ log: [`odd after ${state.from}`] }))
      .addConditionalEdges(START, () => [1, 2, 3].map((n) => new Send("worker", { n })))
      .addConditionalEdges("worker", ({ log }) => {
        const from = log.at(-1)!;
        return from === "w2" ? END : new Send("odd", { from });
      })
      .compile();
    expect(await logOf(graph)).toEqual(["w1", "w2", "w3", "odd after w1", "odd after w3"]);
  });

  test("from START they read the state with the input in it", async () => {
    const graph = new StateGraph(State)
      .addNode(notes("low", "high"))
      .addConditionalEdges(START, ({ n }) => (n > 5 ? "high" : "low"))
      .compile();
    expect(await logOf(graph, { n: 9 })).toEqual(["high"]);
    expect(await logOf(graph, { n: 1 })).toEqual(["low"]);
  });

  test("from START they may end the run, fan out, or stand beside an edge", async () => {
    const from = (route: () => unknown) =>
      new StateGraph(State)
        .addNode(notes("a", "b", "c"))
        .addConditionalEdges(START, route as () => "a");
    expect(await logOf(from(() => END).compile())).toEqual([]);
    expect(await logOf(from(() => ["c", "a"]).compile())).toEqual(["a", "c"]);
    expect(
      await logOf(
        from(() => "c")
          .addEdge(START, "b")
          .compile(),
      ),
    ).toEqual(["b", "c"]);
    expect(await logOf(from(async () => [new Send("c", {}), "a"]).compile())).toEqual(["a", "c"]);
  });

  test("the reducers run once for a superstep's state, though edges have looked ahead", async () => {
    const graph = new StateGraph(
      Annotation.Root({
        count: Annotation<number>({ reducer: (a, b) => a + b, default: () => 0 }),
      }),
    )
      .addNode("a", () => ({ count: 1 }))
      .addNode("b", () => ({ count: 10 }))
      .addEdge(START, "a")
      .addEdge(START, "b")
      .addConditionalEdges("a", ({ count }) => {
        expect(count).toBe(1);
        return END;
      })
      .addConditionalEdges("b", ({ count }) => {
        expect(count).toBe(10);
        return END;
      })
      .compile();
    expect(await graph.invoke({})).toEqual({ count: 11 });
  });
});

describe("a conditional edge that leaves its range", () => {
  const start = () => new StateGraph(State).addNode(notes("a", "b", "c")).addEdge(START, "a");

  test("without a path map: refused with edge, node, value and all nodes", async () => {
    const outside: [unknown, string][] = [
      ["typo", '"typo"'],
      [START, '"__start__"'],
      ["", '""'],
      [undefined, "undefined"],
      [null, "null"],
      [true, "true"],
      [0, "0"],
      [{}, "an object {}"],
      [new Command({ goto: "b" }), "a Command"],
      [["b", "typo"], '"typo"'],
      [[["b"]], 'an array ["b"]'],
      ["constructor", '"constructor"'],
    ];
    for (const [value, shown] of outside) {
      const graph = start()
        .addConditionalEdges("a", function pick() {
          return value as "b";
        })
        .compile();
      const error = await rejectionOf(graph.invoke({}));
      expect(error).toBeInstanceOf(InvalidUpdateError);
      expectRefusal(error, {
        code: "ROUTE_OUT_OF_RANGE",
        message: ['"pick"', 'node "a"', shown],
        fix: ['"a", "b", "c", "__end__"'],
      });
    }
  });

  test("with a path map: refused with edge, node, value and the keys of the map", async () => {
    const outside = ["b", "typo", END, undefined, null, true, "constructor", "toString"];
    for (const value of [...outside, {}, ["one", "b"]]) {
      const graph = start()
        .addConditionalEdges(
          "a",
          function pick() {
            return value as string;
          },
          { one: "b", two: "c" },
        )
        .compile();
      const shown = Array.isArray(value) ? "b" : value;
      expectRefusal(await rejectionOf(graph.invoke({})), {
        code: "ROUTE_OUT_OF_RANGE",
        message: ['"pick"', 'node "a"', JSON.stringify(shown) ?? "undefined"],
        fix: ['"one", "two"'],
      });
    }
  });

  test("with a list: refused with the list", async () => {
    const graph = start()
      .addConditionalEdges("a", () => "c" as "b", ["b", END])
      .addConditionalEdges("a", () => END, { [END]: "c" })
      .compile();
    expectRefusal(await rejectionOf(graph.invoke({})), {
      code: "ROUTE_OUT_OF_RANGE",
      message: ['node "a"', '"c"'],
      fix: ['"b", "__end__"'],
    });
  });

  test("a Send leaves the range when its node is not among the map's targets", async () => {
    const graph = start()
      .addConditionalEdges("a", () => new Send("c", {}), { one: "b" })
      .addEdge("b", "c")
      .compile();
    expectRefusal(await rejectionOf(graph.invoke({})), {
      code: "ROUTE_OUT_OF_RANGE",
      message: ['node "a"', 'a Send to "c"'],
      fix: ['"b"'],
    });
  });

  test("from START the refusal names START", async () => {
    const graph = new StateGraph(State)
      .addNode(notes("a", "b"))
      .addConditionalEdges(START, () => "typo" as "a")
      .compile();
    expectRefusal(await rejectionOf(graph.invoke({})), {
      code: "ROUTE_OUT_OF_RANGE",
      message: ['"__start__"', '"typo"'],
      fix: ['"a", "b", "__end__"'],
    });
  });

  test("nothing of the superstep is committed", async () => {
    const graph = start()
      .addConditionalEdges("a", () => "typo" as "b")
      .compile();
    const chunks: unknown[] = [];
    const error = await rejectionOf(
      (async () => {
        for await (const chunk of graph.stream({ n: 1 }, { streamMode: ["values", "updates"] })) {
          chunks.push(chunk);
        }
      })(),
    );
    expectRefusal(error, { code: "ROUTE_OUT_OF_RANGE" });
    expect(chunks).toEqual([["values", { log: [], n: 1 }]]);
  });
});
