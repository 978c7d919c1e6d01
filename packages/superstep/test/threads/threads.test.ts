import {
  Annotation,
  createAgent,
  EmptyInputError,
  GraphRecursionError,
  HumanMessage,
  MemorySaver,
  Send,
  START,
  StateGraph,
  SuperstepError,
  ThreadBusyError,
  tool,
} from "superstep";
import { FakeChatModel } from "superstep/testing";
import { describe, expect, it } from "vitest";
import { chain, diamond, Log, onThread, savers } from "./world.ts";

describe.each(savers)("a thread in a %s", (_name, newSaver) => {
  it("remembers: a second question on it sees the first", async () => {
    const model = new FakeChatModel({ responses: ["Hello, Ada.", "You are Ada."] });
    const agent = createAgent({ model, checkpointer: newSaver() });
    await agent.invoke({ messages: "I am Ada." }, onThread("t"));
    const { messages } = await agent.invoke({ messages: "Who am I?" }, onThread("t"));
    expect(messages.map(({ text }) => text)).toEqual([
      "I am Ada.",
      "Hello, Ada.",
      "Who am I?",
      "You are Ada.",
    ]);
    expect(model.requests.at(-1)?.messages.map(({ text }) => text)).toEqual([
      "I am Ada.",
      "Hello, Ada.",
      "Who am I?",
    ]);
    expect(messages[0]).toBeInstanceOf(HumanMessage);
  });

  it("is apart from other threads", async () => {
    const graph = chain(newSaver());
    await graph.invoke({ log: ["a"] }, onThread("one"));
    const { log } = await graph.invoke({ log: ["b"] }, onThread("__proto__"));
    expect(log).toEqual(["b", "first", "second", "third"]);
  });

  it("tells where it stands", async () => {
    const graph = chain(newSaver());
    await graph.invoke({ note: 0 }, onThread("t"));
    const state = await graph.getState(onThread("t"));
    expect(state.values).toEqual({ log: ["first", "second", "third"], note: 0 });
    expect(state.next).toEqual([]);
    expect(state.tasks).toEqual([]);
    expect(state.metadata).toMatchObject({ source: "loop", step: 3 });
    expect(state.config.configurable).toMatchObject({ thread_id: "t", checkpoint_ns: "" });
    expect(Date.parse(state.createdAt!)).toBeGreaterThan(Date.now() - 60_000);
    const before = await graph.getState(state.parentConfig!);
    expect(before.values).toEqual({ log: ["first", "second"], note: 0 });
    expect(before.next).toEqual(["third"]);
  });

  it("has nothing when it does not exist", async () => {
    const graph = chain(newSaver());
    const state = await graph.getState(onThread("nobody"));
    expect(state).toMatchObject({ values: {}, next: [], tasks: [] });
    expect(state.metadata).toBeUndefined();
    const error = await graph.invoke(null, onThread("nobody")).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(EmptyInputError);
  });

  const values = [false, 0, "", null, [], {}, Number.NaN, 10n, new Date(0)];
  it.each(values.map((value) => [value]))("keeps %o as a value", async (note) => {
    const graph = chain(newSaver());
    await graph.invoke({ note }, onThread("t"));
    expect((await graph.getState(onThread("t"))).values.note).toEqual(note);
    await graph.invoke({}, onThread("t"));
    expect((await graph.getState(onThread("t"))).values.note).toEqual(note);
  });

  it("with nothing due and no input gives its state and runs nothing", async () => {
    let runs = 0;
    const graph = chain(newSaver(), { first: () => runs++ });
    await graph.invoke({}, onThread("t"));
    const { log } = await graph.invoke(null, onThread("t"));
    expect(log).toEqual(["first", "second", "third"]);
    expect(runs).toBe(1);
  });

  it("goes on after a failure without running again what had ended", async () => {
    const ran: string[] = [];
    let broken = true;
    const graph = chain(newSaver(), {
      first: () => ran.push("first"),
      second: () => {
        ran.push("second");
        if (broken) throw new RangeError("no more pages");
      },
    });
    await expect(graph.invoke({}, onThread("t"))).rejects.toThrow("no more pages");
    const state = await graph.getState(onThread("t"));
    expect(state.next).toEqual(["second"]);
    expect(state.tasks).toMatchObject([
      {
        name: "second",
        path: ["pull", "second"],
        error: { name: "RangeError", message: "no more pages" },
      },
    ]);
    broken = false;
    const { log } = await graph.invoke(null, onThread("t"));
    expect(log).toEqual(["first", "second", "third"]);
    expect(ran).toEqual(["first", "second", "second"]);
  });

  it("keeps the result of a task whose sibling failed: it does not run again", async () => {
    const ran = { left: 0, right: 0 };
    const graph = diamond(
      newSaver(),
      () => ran.left++,
      async () => {
        await new Promise((resolve) => setTimeout(resolve, 5));
        if (ran.right++ === 0) throw new Error("right is broken");
      },
    );
    await expect(graph.invoke({}, onThread("t"))).rejects.toThrow("right is broken");
    const state = await graph.getState(onThread("t"));
    expect(state.next).toEqual(["right"]);
    expect(state.values.log).toEqual(["left"]);
    expect(state.tasks[0]).toMatchObject({ name: "left", result: { log: ["left"] } });
    expect(state.tasks[0]?.id).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/,
    );
    const { log } = await graph.invoke(null, onThread("t"));
    expect(log).toEqual(["left", "right", "end"]);
    expect(ran).toEqual({ left: 1, right: 2 });
  });

  it("keeps what a task that was cancelled still finished within the grace", async () => {
    const abort = new AbortController();
    let runs = 0;
    const graph = chain(newSaver(), {
      second: async () => {
        runs++;
        abort.abort(new Error("stop"));
        await new Promise((resolve) => setTimeout(resolve, 10));
      },
    });
    const options = { ...onThread("t"), signal: abort.signal };
    await expect(graph.invoke({}, options)).rejects.toThrow("stop");
    expect((await graph.getState(onThread("t"))).values.log).toEqual(["first", "second"]);
    const { log } = await graph.invoke(null, onThread("t"));
    expect(log).toEqual(["first", "second", "third"]);
    expect(runs).toBe(1);
  });

  it("that was left unfinished goes on when the same is asked again", async () => {
    let broken = true;
    const graph = chain(newSaver(), {
      second: () => {
        if (broken) throw new Error("broken");
      },
    });
    await expect(graph.invoke({ log: ["q"] }, onThread("t"))).rejects.toThrow("broken");
    broken = false;
    const { log } = await graph.invoke({ log: ["q"] }, onThread("t"));
    expect(log).toEqual(["q", "first", "second", "third"]);
    // It has been answered now, so once more is a new question.
    const again = await graph.invoke({ log: ["q"] }, onThread("t"));
    expect(again.log).toHaveLength(8);
  });

  it("that was left unfinished keeps the results that were there when something else is asked", async () => {
    let broken = true;
    const graph = diamond(
      newSaver(),
      () => {},
      async () => {
        await new Promise((resolve) => setTimeout(resolve, 5));
        if (broken) throw new Error("broken");
      },
    );
    await expect(graph.invoke({ log: ["q"] }, onThread("t"))).rejects.toThrow("broken");
    broken = false;
    const { log } = await graph.invoke({ log: ["other"] }, onThread("t"));
    expect(log).toEqual(["q", "left", "other", "left", "right", "end"]);
    expect((await graph.getState(onThread("t"))).values.log).toEqual(log);
  });

  it("refuses a second run while one is at work, and says which", async () => {
    const saver = newSaver();
    const { promise: gate, resolve: release } = Promise.withResolvers<void>();
    const graph = chain(saver, { second: () => gate });
    const first = graph.invoke({ log: ["a"] }, onThread("t"));
    await new Promise((resolve) => setTimeout(resolve, 5));
    const error = await graph.invoke({ log: ["b"] }, onThread("t")).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(ThreadBusyError);
    expect(error).toMatchObject({ code: "THREAD_BUSY", threadId: "t" });
    await expect(graph.invoke(null, onThread("t"))).rejects.toThrow(/^Thread "t" is busy: run /);
    await expect(graph.invoke({ log: ["a"] }, onThread("t"))).rejects.toThrow(ThreadBusyError);
    release();
    expect((await first).log).toEqual(["a", "first", "second", "third"]);
    expect((await graph.invoke({ log: ["b"] }, onThread("t"))).log).toHaveLength(8);
  });

  it("lets one of many runs in that start at the same time", async () => {
    const graph = chain(newSaver(), { first: () => new Promise((r) => setTimeout(r, 20)) });
    const runs = Array.from({ length: 10 }, (_, i) =>
      graph.invoke({ log: [`${i}`] }, onThread("t")),
    );
    const ends = await Promise.allSettled(runs);
    expect(ends.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const reasons = ends.flatMap((end) =>
      end.status === "rejected" ? [end.reason as unknown] : [],
    );
    expect(reasons.every((reason) => reason instanceof ThreadBusyError)).toBe(true);
  });

  it("goes on with a fresh limit after the recursion limit", async () => {
    const graph = chain(newSaver());
    const limited = { ...onThread("t"), recursionLimit: 2 };
    await expect(graph.invoke({}, limited)).rejects.toThrow(GraphRecursionError);
    expect((await graph.invoke(null, limited)).log).toEqual(["first", "second", "third"]);
  });

  it("is free again when a reader leaves the stream, and goes on from there", async () => {
    const graph = chain(newSaver());
    for await (const chunk of graph.stream({}, onThread("t"))) {
      expect(chunk).toEqual({ first: { log: ["first"] } });
      break;
    }
    expect((await graph.getState(onThread("t"))).next).toEqual(["second"]);
    const rest: unknown[] = [];
    for await (const chunk of graph.stream(null, onThread("t"))) rest.push(chunk);
    expect(rest).toEqual([{ second: { log: ["second"] } }, { third: { log: ["third"] } }]);
  });

  it("refuses what cannot be stored, with its path, and stays as it was", async () => {
    const saver = newSaver();
    const graph = chain(saver);
    await graph.invoke({ note: "fine" }, onThread("t"));
    class Socket {
      readonly port = 80;
    }
    const write = (note: unknown) =>
      new StateGraph(Log)
        .addNode("work", () => ({ note }))
        .addEdge(START, "work")
        .compile({ checkpointer: saver })
        .invoke({}, onThread("t"));
    await expect(write({ list: [1, { socket: new Socket() }] })).rejects.toThrow(
      /state\.note\.list\[1\]\.socket: Socket/,
    );
    await expect(write({ call: () => 1 })).rejects.toMatchObject({ code: "UNSTORABLE_VALUE" });
    const state = await graph.getState(onThread("t"));
    expect([state.values.note, state.next]).toEqual(["fine", ["work"]]);
    const input = graph.invoke({ note: new Socket() }, onThread("other"));
    await expect(input).rejects.toThrow(/input\.note: Socket/);
    expect((await graph.getState(onThread("other"))).metadata).toBeUndefined();
  });

  it("does not store the state again with each Send that carries it", async () => {
    const saver = newSaver();
    const text = "x".repeat(100_000);
    const calls = Array.from({ length: 5 }, () => ({ name: "ping", args: { input: "a" } }));
    const model = new FakeChatModel({
      responses: [{ role: "assistant", tool_calls: calls }, "Done."],
    });
    const ping = tool(() => "pong", { name: "ping", description: "answers" });
    const agent = createAgent({ model, tools: [ping], checkpointer: saver });
    await agent.invoke({ messages: text }, onThread("t"));
    const history = await saver.history("t");
    const stored = history.map(({ channels, next, tasks }) => channels + next + tasks).join("");
    expect(stored.length).toBeLessThan(110_000);
    expect(history).toHaveLength(4);
  });

  it("stores what is new: 400 supersteps of 1 KB take less than 1 MB", async () => {
    const saver = newSaver();
    const graph = new StateGraph(Log)
      .addNode("work", () => ({ log: ["y".repeat(1_000)] }))
      .addEdge(START, "work")
      .addConditionalEdges("work", ({ log }) => (log.length < 400 ? "work" : "__end__"))
      .compile({ checkpointer: saver });
    await graph.invoke({}, onThread("t"));
    const history = await saver.history("t", { limit: 1_000 });
    const size = history.reduce((sum, each) => sum + each.channels.length + each.next.length, 0);
    expect(size).toBeLessThan(1_000_000);
    expect((await graph.getState(onThread("t"))).values.log).toHaveLength(400);
  });

  it("gives Sends their own inputs back", async () => {
    const seen: unknown[] = [];
    let broken = true;
    const State = Annotation.Root({ list: Annotation<number[]>() });
    const graph = new StateGraph(State)
      .addNode("plan", () => ({ list: [1, 2] }))
      .addNode("work", (input) => {
        if (broken) throw new Error("broken");
        seen.push(input);
      })
      .addEdge(START, "plan")
      .addConditionalEdges("plan", (state) => [
        new Send("work", { ...state, when: new Date(5) }),
        new Send("work", false),
        new Send("work", undefined),
      ])
      .compile({ checkpointer: newSaver() });
    await expect(graph.invoke({}, onThread("t"))).rejects.toThrow("broken");
    broken = false;
    await graph.invoke(null, onThread("t"));
    expect(seen).toEqual([{ list: [1, 2], when: new Date(5) }, false, undefined]);
  });

  it("says which stored nodes a changed graph lacks", async () => {
    const saver = newSaver();
    const graph = chain(saver, { second: () => Promise.reject(new Error("broken")) });
    await expect(graph.invoke({}, onThread("t"))).rejects.toThrow("broken");
    const changed = new StateGraph(Log)
      .addNode("renamed", () => ({}))
      .addEdge(START, "renamed")
      .compile({ checkpointer: saver, name: "Changed" });
    await expect(changed.invoke(null, onThread("t"))).rejects.toThrow(
      'Thread "t" goes on with "second", and graph "Changed" has no such node.',
    );
    expect((await changed.getState(onThread("t"))).next).toEqual(["second"]);
    // Something new can be asked all the same.
    expect((await changed.invoke({ log: ["new"] }, onThread("t"))).log).toEqual(["first", "new"]);
  });

  it("that is older than a key of the graph stores the key's default, and Sends that carry it", async () => {
    const saver = newSaver();
    await chain(saver).invoke({}, onThread("t"));
    let broken = true;
    const grown = new StateGraph(
      Annotation.Root({ ...Log.spec, tags: Annotation<string[]>({ default: () => ["new"] }) }),
    )
      .addNode("plan", () => ({ log: ["plan"] }))
      .addNode("work", () => {
        if (broken) throw new Error("broken");
      })
      .addEdge(START, "plan")
      .addConditionalEdges("plan", (state) => [new Send("work", state)])
      .compile({ checkpointer: saver });
    await expect(grown.invoke({}, onThread("t"))).rejects.toThrow("broken");
    broken = false;
    expect((await grown.invoke(null, onThread("t"))).tags).toEqual(["new"]);
  });

  it("gives a tool the same idempotency key when its call is made again, and another for another call", async () => {
    const keys: (string | undefined)[] = [];
    const calls = ["a", "b"].map((id) => ({ name: "pay", args: { input: id }, id }));
    const abort = new AbortController();
    const pay = tool(
      (_input, runtime) => {
        keys.push(runtime.idempotencyKey);
        if (keys.length > 2) return "paid";
        abort.abort(new Error("stop"));
        throw new Error("stopped");
      },
      { name: "pay", description: "pays" },
    );
    const agent = createAgent({
      model: new FakeChatModel({ responses: [{ role: "assistant", tool_calls: calls }, "Done."] }),
      tools: [pay],
      checkpointer: newSaver(),
    });
    const run = agent.invoke({ messages: "pay" }, { ...onThread("t"), signal: abort.signal });
    await expect(run).rejects.toThrow("stop");
    await agent.invoke(null, onThread("t"));
    const [first] = keys;
    expect(first).toMatch(/^[0-9a-f-]{36}$/);
    expect(new Set(keys).size).toBe(2);
    expect(keys.filter((key) => key === first).length).toBeGreaterThan(1);
  });

  it.each([
    ["the same input", [{ log: ["q"] }, { log: ["q"] }, { log: ["q"] }]],
    ["no input and the same", [null, { log: ["q"] }, null]],
    ["no input", [null, null, { log: ["q"] }]],
  ])("goes on however often it fails, asked with %s", async (_how, inputs) => {
    const ran: string[] = [];
    let failures = 3;
    const graph = chain(newSaver(), {
      first: () => ran.push("first"),
      second: () => {
        if (failures-- > 0) throw new Error("broken");
      },
    });
    await expect(graph.invoke({ log: ["q"] }, onThread("t"))).rejects.toThrow("broken");
    for (const input of inputs.slice(0, 2)) {
      await expect(graph.invoke(input, onThread("t"))).rejects.toThrow("broken");
    }
    const { log } = await graph.invoke(inputs[2]!, onThread("t"));
    expect(log).toEqual(["q", "first", "second", "third"]);
    expect(ran).toEqual(["first"]);
  });

  it("does not forget what is open over an input that it refuses", async () => {
    const ran: string[] = [];
    let broken = true;
    const graph = chain(newSaver(), {
      first: () => ran.push("first"),
      second: () => {
        if (broken) throw new Error("broken");
      },
    });
    await expect(graph.invoke({ log: ["q"] }, onThread("t"))).rejects.toThrow("broken");
    for (const refused of [{ lgo: ["x"] }, "text", 5]) {
      await expect(graph.invoke(refused as never, onThread("t"))).rejects.toThrow(SuperstepError);
    }
    await expect(graph.invoke(null, onThread("t"))).rejects.toThrow("broken");
    await expect(graph.invoke({ lgo: ["x"] } as never, onThread("t"))).rejects.toThrow("lgo");
    broken = false;
    const { log } = await graph.invoke({ log: ["q"] }, onThread("t"));
    expect(log).toEqual(["q", "first", "second", "third"]);
    expect(ran).toEqual(["first"]);
  });

  it("goes on with an input that was cancelled before it was stored", async () => {
    const saver = newSaver();
    const graph = chain(saver);
    await graph.invoke({ log: ["one"] }, onThread("t"));
    const abort = new AbortController();
    const admit = saver.admit.bind(saver);
    saver.admit = async (...args) => {
      const admission = await admit(...args);
      abort.abort(new Error("stop"));
      return admission;
    };
    const run = graph.invoke({ log: ["two"] }, { ...onThread("t"), signal: abort.signal });
    await expect(run).rejects.toThrow("stop");
    saver.admit = admit;
    const { log } = await graph.invoke(null, onThread("t"));
    expect(log).toEqual(["one", "first", "second", "third", "two", "first", "second", "third"]);
  });

  it("begins without the half of a join that an earlier run had finished", async () => {
    let broken = true;
    const graph = new StateGraph(Log)
      .addNode("a", () => ({ log: ["a"] }))
      .addNode("b", async () => {
        await new Promise((resolve) => setTimeout(resolve, 5));
        if (broken) throw new Error("broken");
        return { log: ["b"] };
      })
      .addNode("join", () => ({ log: ["join"] }))
      .addConditionalEdges("__start__", ({ note }) => (note === "b" ? ["b"] : ["a", "b"]))
      .addEdge(["a", "b"], "join")
      .compile({ checkpointer: newSaver() });
    await expect(graph.invoke({}, onThread("t"))).rejects.toThrow("broken");
    broken = false;
    expect((await graph.invoke({ note: "b" }, onThread("t"))).log).toEqual(["a", "b"]);
  });

  it("keeps the keys of one graph while another runs on it", async () => {
    const saver = newSaver();
    await chain(saver).invoke({ note: "precious" }, onThread("t"));
    const other = new StateGraph(Annotation.Root({ log: Log.spec.log }))
      .addNode("work", () => ({ log: ["y".repeat(500)] }))
      .addEdge(START, "work")
      .compile({ checkpointer: saver });
    for (let turn = 0; turn < 40; turn++) await other.invoke({}, onThread("t"));
    expect((await chain(saver).getState(onThread("t"))).values.note).toBe("precious");
  });

  it.each([
    ["a name that is a function", Object.assign(new Error("x"), { name: () => "x" })],
    [
      "a code that throws",
      Object.defineProperty(new Error("x"), "code", { get: () => JSON.parse("{") as unknown }),
    ],
    ["a message without end", new Error("x".repeat(100_000))],
  ])("is free again after an error with %s", async (_what, error) => {
    let broken = true;
    const graph = chain(newSaver(), {
      second: () => {
        if (broken) throw error;
      },
    });
    await expect(graph.invoke({}, onThread("t"))).rejects.toBe(error);
    broken = false;
    expect((await graph.invoke(null, onThread("t"))).log).toHaveLength(3);
  });

  it("stores a result once more that could not be stored when its task ended", async () => {
    const saver = newSaver();
    const ran: string[] = [];
    const putWrites = saver.putWrites.bind(saver);
    saver.putWrites = () => Promise.reject(new Error("disk is full"));
    const left = (): void => {
      ran.push("left");
      setTimeout(() => (saver.putWrites = putWrites), 2);
    };
    const right = async (): Promise<void> => {
      await new Promise((resolve) => setTimeout(resolve, 10));
      ran.push("right");
    };
    const graph = diamond(saver, left, right);
    await expect(graph.invoke({}, onThread("t"))).rejects.toThrow("disk is full");
    expect((await graph.invoke(null, onThread("t"))).log).toEqual(["left", "right", "end"]);
    expect(ran).toEqual(["left", "right"]);
  });

  it("takes a run id once", async () => {
    const graph = chain(newSaver());
    await graph.invoke({}, { ...onThread("t"), runId: "run-1" });
    const again = graph.invoke({}, { ...onThread("t"), runId: "run-1" });
    await expect(again).rejects.toThrow(/run-1/);
  });
});

describe("a graph with a saver", () => {
  it.each([undefined, "", 7, null])("needs a thread id, and %j is none", async (thread_id) => {
    const graph = chain(new MemorySaver());
    const error = await graph.invoke({}, { configurable: { thread_id } }).catch((e: unknown) => e);
    expect(error).toMatchObject({ code: "MISSING_THREAD_ID" });
    expect((error as Error).message).toContain("configurable.thread_id");
  });

  it("can be given one for a run instead", async () => {
    const checkpointer = new MemorySaver();
    const graph = new StateGraph(Log)
      .addNode("work", () => ({ log: ["done"] }))
      .addEdge(START, "work")
      .compile();
    await graph.invoke({}, { ...onThread("t"), checkpointer });
    expect((await graph.getState({ ...onThread("t"), checkpointer })).values.log).toEqual(["done"]);
    await expect(graph.getState(onThread("t"))).rejects.toMatchObject({
      code: "MISSING_CHECKPOINTER",
    });
  });

  it.each([{}, new Map(), "memory", true])("does not take %j for one", (checkpointer) => {
    expect(() => chain(checkpointer as never)).toThrow(SuperstepError);
    expect(() => chain(checkpointer as never)).toThrow(/checkpointer cannot be/);
  });

  it("does not start at a checkpoint", async () => {
    const configurable = { thread_id: "t", checkpoint_id: "c" };
    await expect(chain(new MemorySaver()).invoke({}, { configurable })).rejects.toThrow(
      /takes no checkpoint_id/,
    );
  });
});
