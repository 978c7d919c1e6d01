import {
  Annotation,
  Command,
  END,
  InvalidUpdateError,
  isCommand,
  Send,
  START,
  StateGraph,
} from "superstep";
import { describe, expect, test } from "vitest";
import { append, expectRefusal, readAll, rejectionOf, thrownBy, warningsDuring } from "./world.ts";

const State = Annotation.Root({
  log: Annotation<readonly string[]>({ reducer: append, default: () => [] }),
  n: Annotation<number>(),
  foo: Annotation<string>(),
  bar: Annotation<string>(),
});
type Now = typeof State.State;
const note = (name: string) => () => ({ log: [name] });

describe("Send", () => {
  interface Job extends Now {
    readonly id: string;
    readonly hops?: number;
  }
  const work = async (job: Now) => {
    const { id, hops = 0 } = job as Job;
    for (let hop = 0; hop < hops; hop++) await Promise.resolve();
    return { log: [id] };
  };
  const sendAll = (sends: readonly Send[]) =>
    new StateGraph(State)
      .addNode("worker", work)
      .addNode("other", note("other"))
      .addNode("after", note("after"))
      .addConditionalEdges(START, () => sends)
      .addEdge("worker", "after")
      .compile();

  test("the node gets the args themselves, and not the state", async () => {
    class Envelope {
      open = false;
    }
    const args = {
      tags: new Set(["p"]),
      meta: new Map([["s", "q"]]),
      at: new Date("2025-09-26"),
      task: new Envelope(),
      list: [{ deep: true }],
    };
    const members = { ...args };
    const seen: unknown[] = [];
    const graph = new StateGraph(State)
      .addNode("router", () => new Command({ goto: [new Send("worker", { payload: args })] }), {
        ends: ["worker"],
      })
      .addNode("worker", (input: object) => {
        seen.push(input);
        return {};
      })
      .addEdge(START, "router")
      .addConditionalEdges("router", () => new Send("worker", args))
      .compile();
    await graph.invoke({ n: 1 });
    expect(seen).toHaveLength(2);
    const [nested, direct] = seen as [{ payload: typeof args }, typeof args];
    expect(nested.payload).toBe(args);
    expect(direct).toBe(args);
    for (const name of Object.keys(members) as (keyof typeof members)[]) {
      expect(direct[name], name).toBe(members[name]);
    }
  });

  test("args may be of any type", async () => {
    const all = [undefined, null, false, 0, "", "text", [], Symbol.iterator, () => 1];
    const seen: unknown[] = [];
    const graph = new StateGraph(State)
      .addNode("worker", (input: unknown) => {
        seen.push(input);
        return {};
      })
      .addConditionalEdges(START, () => all.map((args) => new Send("worker", args)))
      .compile();
    await graph.invoke({});
    expect(seen).toEqual(all);
  });

  test("results apply in the order of the sends, whichever ends first", async () => {
    const ids = ["e", "a", "d", "b", "c"];
    const sends = ids.map((id, index) => new Send("worker", { id, hops: 50 - 10 * index }));
    expect((await sendAll(sends).invoke({})).log).toEqual([...ids, "after"]);
  });

  test("the tasks of edges come before those of sends, in the same superstep", async () => {
    const graph = sendAll([new Send("after", {}), new Send("worker", { id: "sent" })]);
    const updates = await readAll(graph.stream({}));
    expect(updates).toEqual([
      { after: { log: ["after"] } },
      { worker: { log: ["sent"] } },
      { after: { log: ["after"] } },
    ]);
    const both = new StateGraph(State)
      .addNode("z", note("z"))
      .addNode("a", (input: Now) => ({ log: [input.foo] }))
      .addEdge(START, "z")
      .addConditionalEdges(START, () => [new Send("a", { foo: "sent" })])
      .compile();
    expect((await both.invoke({})).log).toEqual(["z", "sent"]);
  });

  test("sends of several nodes run in the order of those nodes, then as they were made", async () => {
    const graph = new StateGraph(State)
      .addNode("b", () => {})
      .addNode("a", () => {})
      .addNode("worker", work)
      .addEdge(START, "b")
      .addEdge(START, "a")
      .addConditionalEdges("b", () => ["b2", "b1"].map((id) => new Send("worker", { id })))
      .addConditionalEdges("a", () => ["a2", "a1"].map((id) => new Send("worker", { id })))
      .compile();
    expect((await graph.invoke({})).log).toEqual(["a2", "a1", "b2", "b1"]);
  });

  test("an empty list sends nothing and ends that path", async () => {
    expect((await sendAll([]).invoke({ n: 1 })).log).toEqual([]);
  });

  test("10,000 sends all run, in order", async () => {
    const ids = Array.from({ length: 10_000 }, (_, index) => String(index));
    const seen = Annotation<readonly string[]>({ reducer: append, default: () => [] });
    const graph = new StateGraph(Annotation.Root({ seen }))
      .addNode("worker", async (input: object) => ({ seen: [(input as { id: string }).id] }))
      .addConditionalEdges(START, () => ids.map((id) => new Send("worker", { id })))
      .compile();
    expect((await graph.invoke({})).seen).toEqual(ids);
  });

  test("a node that a Send runs may send again", async () => {
    interface Branch extends Now {
      readonly path: string;
    }
    const graph = new StateGraph(State)
      .addNode("branch", (input) => {
        const { path } = input as Branch;
        const children = path.length < 3 ? ["l", "r"].map((side) => path + side) : [];
        return new Command({
          update: { log: [path] },
          goto: children.map((child) => new Send("branch", { path: child })),
        });
      })
      .addConditionalEdges(START, () => new Send("branch", { path: "" }))
      .compile();
    const levels = ["", "l r", "ll lr rl rr", "lll llr lrl lrr rll rlr rrl rrr"];
    expect((await graph.invoke({})).log).toEqual(levels.flatMap((level) => level.split(" ")));
  });

  test("a list of Sends is no return value of a node", async () => {
    const graph = new StateGraph(State)
      .addNode("a", () => [new Send("a", {})] as unknown as undefined)
      .addEdge(START, "a")
      .compile();
    expectRefusal(await rejectionOf(graph.invoke({})), {
      code: "INVALID_GRAPH_NODE_RETURN_VALUE",
      message: ['"a"', "an array"],
    });
  });

  test("a Send to START, END or a name that is no node is refused with the names", async () => {
    for (const target of ["typo", START, END, "constructor", ""]) {
      const routed = new StateGraph(State)
        .addNode("worker", work)
        .addNode("source", () => {})
        .addEdge(START, "source")
        .addConditionalEdges("source", () => new Send(target, {}))
        .compile();
      const commanded = new StateGraph(State)
        .addNode("worker", work)
        .addNode("source", () => new Command({ goto: new Send(target, {}) }))
        .addEdge(START, "source")
        .addConditionalEdges(START, () => [], ["worker"])
        .compile();
      for (const graph of [routed, commanded]) {
        const error = await rejectionOf(graph.invoke({}));
        expect(error).toBeInstanceOf(InvalidUpdateError);
        expectRefusal(error, {
          code: "UNKNOWN_NODE",
          message: ['"source"', JSON.stringify(target)],
          fix: target === END ? ["END"] : ['"source", "worker"'],
        });
      }
    }
  });

  test("a Send to what is no name is refused where it is made", () => {
    for (const target of [undefined, null, 5, {}, () => 1]) {
      expectRefusal(
        thrownBy(() => new Send(target as string, {})),
        { code: "INVALID_NODE_NAME" },
      );
    }
  });
});

describe("Command", () => {
  const returning = (command: unknown) =>
    new StateGraph(State)
      .addNode("a", () => command as undefined, { ends: ["b", "c", END] })
      .addNode("b", (now: Now) => ({ log: [now.foo === undefined ? "b" : `b ${now.foo}`] }))
      .addNode("c", note("c"))
      .addEdge(START, "a")
      .compile();

  test("writes an update given as an object or as pairs", async () => {
    const object = new Command({ update: { log: ["a"], n: 1 } });
    expect(await returning(object).invoke({})).toEqual({ log: ["a"], n: 1 });
    const pairs = new Command({
      update: [
        ["log", ["a1"]],
        ["n", 1],
        ["log", ["a2"]],
      ],
    });
    expect(await returning(pairs).invoke({})).toEqual({ log: ["a1", "a2"], n: 1 });
  });

  test("leads to a node, a Send, several of them, END, or nowhere", async () => {
    const cases: [ConstructorParameters<typeof Command>[0], string[]][] = [
      [{ goto: "b" }, ["b"]],
      [{ goto: ["c", "b"] }, ["b", "c"]],
      [{ goto: END }, []],
      [{ goto: [] }, []],
      [{}, []],
      [{ goto: new Send("b", { foo: "sent" }) }, ["b sent"]],
      [{ goto: [new Send("b", { foo: "2" }), "c", new Send("b", {}), END] }, ["c", "b 2", "b"]],
    ];
    for (const [params, log] of cases) {
      expect((await returning(new Command(params)).invoke({})).log).toEqual(log);
    }
  });

  test("the target sees the update of the Command that led to it", async () => {
    const command = new Command({ update: { foo: "hi" }, goto: "b" });
    expect((await returning(command).invoke({})).log).toEqual(["b hi"]);
  });

  test("an unknown key, in an object or in pairs, is refused", async () => {
    for (const update of [{ nope: 1 }, [["nope", 1]] as const]) {
      const error = await rejectionOf(returning(new Command({ update })).invoke({}));
      expectRefusal(error, { code: "UNKNOWN_STATE_KEY", message: ['"a"', '"nope"'] });
    }
  });

  test("two values for a key without a reducer are refused, also from one node", async () => {
    const update = [
      ["n", 1],
      ["n", 2],
    ] as const;
    const error = await rejectionOf(returning(new Command({ update })).invoke({}));
    expectRefusal(error, {
      code: "INVALID_CONCURRENT_GRAPH_UPDATE",
      message: ['"n"', '"a"'],
    });
  });

  test("an update that is no update is refused", async () => {
    for (const update of [5, true, "text", () => 1, new Map([["n", 1]]), [5], ["n"], [["n"]]]) {
      const error = await rejectionOf(returning(new Command({ update } as never)).invoke({}));
      expect(error, JSON.stringify(update)).toBeInstanceOf(InvalidUpdateError);
      expect((error as Error).message).toContain('"a"');
    }
  });

  test("a field that a Command does not have is refused where it is made", () => {
    const params: object = { updat: { n: 1 } };
    expectRefusal(
      thrownBy(() => new Command(params)),
      { code: "UNKNOWN_OPTION", message: ['"updat"'], fix: ['"update"', '"goto"', '"resume"'] },
    );
  });

  test("a resume is refused in what a node returns", async () => {
    for (const resume of ["yes", false, 0, "", null]) {
      const error = await rejectionOf(returning(new Command({ resume })).invoke({}));
      expect(error).toBeInstanceOf(InvalidUpdateError);
      expect((error as Error).message).toContain('"a"');
    }
  });

  test("a goto to a name that is no node is refused with source, target and the nodes", async () => {
    for (const target of ["typo", START, "", null, 5]) {
      const graph = new StateGraph(State)
        .addNode("a", () => new Command({ goto: target as string }))
        .addNode("b", note("b"))
        .addEdge(START, "a")
        .addEdge(START, "b")
        .compile();
      const error = await rejectionOf(graph.invoke({}));
      expect(error).toBeInstanceOf(InvalidUpdateError);
      expectRefusal(error, {
        code: "UNKNOWN_NODE",
        message: ['"a"', JSON.stringify(target)],
        fix: ['"a", "b"', "END"],
      });
    }
  });

  test("a goto or Send that leaves the node's ends is refused with the ends", async () => {
    for (const goto of ["c", END, new Send("c", {}), ["b", "c"], "typo"] as const) {
      const graph = new StateGraph(State)
        .addNode("a", () => new Command({ goto }), { ends: ["b"] })
        .addNode("b", note("b"))
        .addNode("c", note("c"))
        .addEdge(START, "a")
        .addEdge("b", "c")
        .compile();
      const error = await rejectionOf(graph.invoke({}));
      expect(error).toBeInstanceOf(InvalidUpdateError);
      const name = goto === "typo" || goto === END ? goto : "c";
      expectRefusal(error, {
        code: "ROUTE_OUT_OF_RANGE",
        message: ['"a"', `"${name}"`],
        fix: ['"b"'],
      });
    }
  });

  test("a node without ends may lead anywhere that the graph reaches", async () => {
    const graph = new StateGraph(State)
      .addNode("a", ({ n }) => new Command({ goto: n === 1 ? "c" : END }))
      .addNode("b", note("b"))
      .addNode("c", note("c"))
      .addEdge(START, "a")
      .addConditionalEdges(START, () => [], ["b", "c"])
      .compile();
    expect((await graph.invoke({ n: 1 })).log).toEqual(["c"]);
    expect((await graph.invoke({ n: 2 })).log).toEqual([]);
  });

  test("a list may mix updates and Commands: all updates apply, all targets run", async () => {
    const graph = new StateGraph(State)
      .addNode(
        "nodeA",
        ({ foo }) => [
          new Command({ update: { foo: "a" }, goto: foo === "foo" ? "nodeB" : "nodeC" }),
        ],
        { ends: ["nodeB", "nodeC"] },
      )
      .addNode("nodeB", ({ foo }) => [
        { foo: `${foo}|b` },
        new Command({ update: { bar: "test" } }),
      ])
      .addNode("nodeC", ({ foo }) => ({ foo: `${foo}|c` }))
      .addEdge(START, "nodeA")
      .compile();
    expect(await graph.invoke({ foo: "foo" })).toEqual({ foo: "a|b", bar: "test", log: [] });
    expect(await graph.invoke({ foo: "" })).toEqual({ foo: "a|c", log: [] });
  });

  test("in such a list a key may be written several times, in order, and nothing is an element", async () => {
    const list = [
      { log: ["1"] },
      new Command({ update: { log: ["2"] }, goto: "b" }),
      undefined,
      null,
      new Command({ update: { log: ["3"] }, goto: ["c", "b"] }),
      [new Command({ update: { log: ["4"] } })],
    ];
    expect((await returning(list).invoke({})).log).toEqual(["1", "2", "3", "4", "b", "c"]);
  });

  test("a goto beside a static edge runs both, and says so once", async () => {
    const warnings = await warningsDuring(async () => {
      const l = Annotation<readonly string[]>({ reducer: append, default: () => [] });
      const graph = new StateGraph(Annotation.Root({ l }))
        .addNode("A", () => new Command({ update: { l: ["A"] }, goto: "C" }))
        .addNode("B", () => ({ l: ["B"] }))
        .addNode("C", () => ({ l: ["C"] }))
        .addEdge(START, "A")
        .addEdge("A", "B")
        .addEdge("B", "C")
        .compile();
      expect(await graph.invoke({})).toEqual({ l: ["A", "B", "C", "C"] });
      expect(await graph.invoke({})).toEqual({ l: ["A", "B", "C", "C"] });
    });
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('"A"');
  });

  test("is known by its brand, not by its shape", () => {
    expect(isCommand(new Command({}))).toBe(true);
    expect(isCommand({ goto: ["a"], update: {} })).toBe(false);
    expect(isCommand(JSON.parse(JSON.stringify(new Command({ goto: "a" }))))).toBe(false);
    for (const value of [null, undefined, 0, "", [], {}]) expect(isCommand(value)).toBe(false);
    class Mine extends Command {}
    expect(isCommand(new Mine({}))).toBe(true);
    expect(new Command({}) instanceof Mine).toBe(false);
  });
});

describe("a Command as the input of a run", () => {
  const graph = new StateGraph(State)
    .addNode("entry", note("entry"))
    .addNode("middle", ({ n }) => ({ log: [`middle ${n}`] }))
    .addNode("last", note("last"))
    .addEdge(START, "entry")
    .addEdge("entry", "middle")
    .addEdge("middle", "last")
    .compile();

  test("writes its update and runs from its goto, not from START", async () => {
    const input = new Command({ update: { n: 7, log: ["input"] }, goto: "middle" });
    expect((await graph.invoke(input)).log).toEqual(["input", "middle 7", "last"]);
    const sends = new Command({ goto: [new Send("middle", { n: 1 }), "last"] });
    expect((await graph.invoke(sends)).log).toEqual(["last", "middle 1", "last"]);
  });

  test("with an update only it ends at once", async () => {
    expect(await graph.invoke(new Command({ update: { n: 7 } }))).toEqual({ log: [], n: 7 });
  });

  test("is checked like a node's, and the refusal names the input", async () => {
    const typo = await rejectionOf(graph.invoke(new Command({ goto: "typo" })));
    expectRefusal(typo, {
      code: "UNKNOWN_NODE",
      message: ["The input", '"typo"'],
      fix: ['"entry"'],
    });
    const nope: object = { nope: 1 };
    const key = await rejectionOf(graph.invoke(new Command({ update: nope })));
    expectRefusal(key, { code: "UNKNOWN_STATE_KEY", message: ["The input", '"nope"'] });
  });

  test("with resume is refused, whatever the answer, as no interrupt waits", async () => {
    for (const resume of ["yes", false, 0, "", null, []]) {
      const error = await rejectionOf(graph.invoke(new Command({ resume })));
      expectRefusal(error, { code: "EMPTY_INPUT", message: ["resume"] });
    }
  });

  test("gives no warning about static edges, since those of START do not run", async () => {
    const warnings = await warningsDuring(async () => {
      const fresh = new StateGraph(State).addNode("a", note("a")).addEdge(START, "a").compile();
      expect((await fresh.invoke(new Command({ goto: "a" }))).log).toEqual(["a"]);
    });
    expect(warnings).toEqual([]);
  });
});
