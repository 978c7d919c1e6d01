import { Annotation, Command, Send, START, StateGraph } from "superstep";
import { describe, expect, test } from "vitest";
import {
  append,
  expectRefusal,
  Gauge,
  readAll,
  rejectionOf,
  turns,
  until,
  untilAborted,
} from "./world.ts";

const State = Annotation.Root({
  log: Annotation<readonly string[]>({ reducer: append, default: () => [] }),
  n: Annotation<number>(),
});

const note = (name: string) => () => ({ log: [name] });

/** START -> a, b -> c; b ends before a does. */
function diamond() {
  return new StateGraph(State)
    .addNode("a", async (_, { writer }) => {
      await turns(3);
      writer("from a");
      return { log: ["a"] };
    })
    .addNode("b", (_, { writer }) => {
      writer("from b");
      return { log: ["b"] };
    })
    .addNode("c", ({ log }) => ({ n: log.length }))
    .addEdge(START, "a")
    .addEdge(START, "b")
    .addEdge(["a", "b"], "c")
    .compile();
}

/** Counts the supersteps that have begun. */
function counting(length: number) {
  const begun: number[] = [];
  const graph = new StateGraph(State)
    .addNode("loop", ({ n }) => {
      begun.push(n);
      return { n: n + 1 };
    })
    .addEdge(START, "loop")
    .addConditionalEdges("loop", ({ n }) => (n < length ? "loop" : []))
    .compile();
  return { begun, graph };
}

describe("values", () => {
  test("are the whole state, after the input and after each superstep that wrote to it", async () => {
    expect(await readAll(diamond().stream({ n: 0 }, { streamMode: "values" }))).toEqual([
      { log: [], n: 0 },
      { log: ["a", "b"], n: 0 },
      { log: ["a", "b"], n: 2 },
    ]);
  });

  test("leave out supersteps that wrote nothing, and an input without keys", async () => {
    const graph = new StateGraph(State)
      .addNode("quiet", () => {})
      .addNode("loud", note("loud"))
      .addNode("echo", (state) => state)
      .addEdge(START, "quiet")
      .addEdge("quiet", "loud")
      .addEdge("loud", "echo")
      .compile();
    expect(await readAll(graph.stream({}, { streamMode: "values" }))).toEqual([{ log: ["loud"] }]);
  });

  test("the last is what invoke resolves with", async () => {
    const values = await readAll(diamond().stream({ n: 0 }, { streamMode: "values" }));
    expect(values.at(-1)).toEqual(await diamond().invoke({ n: 0 }));
  });

  test("keep what they showed, and cannot be changed", async () => {
    const kept: unknown[] = [];
    const copies: unknown[] = [];
    for await (const state of diamond().stream({ n: 0 }, { streamMode: "values" })) {
      kept.push(state);
      copies.push(structuredClone(state));
      expect(Object.isFrozen(state) && Object.isFrozen(state.log)).toBe(true);
    }
    expect(kept).toEqual(copies);
  });
});

describe("updates", () => {
  test("are the default: one chunk for each task, in task order, whichever ended first", async () => {
    const chunks = [{ a: { log: ["a"] } }, { b: { log: ["b"] } }, { c: { n: 2 } }];
    expect(await readAll(diamond().stream({ n: 0 }))).toEqual(chunks);
    expect(await readAll(diamond().stream({ n: 0 }, { streamMode: "updates" }))).toEqual(chunks);
    expect(await readAll(diamond().stream({ n: 0 }, { streamMode: undefined }))).toEqual(chunks);
    expect(await readAll(diamond().stream({ n: 0 }, { maxConcurrency: 1 }))).toEqual(chunks);
  });

  test("of a node that wrote nothing are empty", async () => {
    const graph = new StateGraph(State)
      .addNode("none", () => {})
      .addNode("unset", () => ({ n: undefined }))
      .addNode("command", () => new Command({ goto: [] }))
      .addEdge(START, "none")
      .addEdge(START, "unset")
      .addEdge(START, "command")
      .compile();
    expect(await readAll(graph.stream({}))).toEqual([{ command: {} }, { none: {} }, { unset: {} }]);
  });

  test("of a node that wrote a key twice are a list of its writes", async () => {
    const graph = new StateGraph(State)
      .addNode("twice", () => [{ log: ["1"], n: 1 }, new Command({ update: { log: ["2"] } })])
      .addNode("once", () => [{ log: ["3"] }, new Command({ update: { n: 2 } })])
      .addEdge(START, "twice")
      .addEdge("twice", "once")
      .compile();
    expect(await readAll(graph.stream({}))).toEqual([
      { twice: [{ log: ["1"] }, { n: 1 }, { log: ["2"] }] },
      { once: { log: ["3"], n: 2 } },
    ]);
  });

  test("of Sends come one by one, in the order of the Sends", async () => {
    const graph = new StateGraph(State)
      .addNode("worker", async ({ n }) => {
        await turns(4 - n);
        return { log: [String(n)] };
      })
      .addConditionalEdges(START, () => [1, 2, 3].map((n) => new Send("worker", { n })))
      .compile();
    expect(await readAll(graph.stream({}))).toEqual(
      ["1", "2", "3"].map((n) => ({ worker: { log: [n] } })),
    );
  });

  test("show what was written, not what the reducer made of it; falsy values too", async () => {
    const graph = new StateGraph(
      Annotation.Root({
        sum: Annotation<number>({ reducer: (a, b) => a + b, default: () => 10 }),
        any: Annotation<unknown>(),
      }),
    )
      .addNode("node", () => ({ sum: 0, any: null }))
      .addEdge(START, "node")
      .compile();
    expect(await readAll(graph.stream({ any: 1 }))).toEqual([{ node: { sum: 0, any: null } }]);
  });

  test("and values never show the hidden first node", async () => {
    const graph = new StateGraph(State)
      .addNode("a", note("a"))
      .addConditionalEdges(START, () => "a")
      .compile();
    const all = await readAll(graph.stream({ n: 1 }, { streamMode: ["updates", "values"] }));
    expect(all).toEqual([
      ["values", { log: [], n: 1 }],
      ["updates", { a: { log: ["a"] } }],
      ["values", { log: ["a"], n: 1 }],
    ]);
  });
});

describe("custom chunks", () => {
  test("are what nodes and conditional edges hand to the writer, of any type, as they are", async () => {
    const object = { live: new Map() };
    const all = [undefined, null, false, 0, "", "text", object];
    const graph = new StateGraph(State)
      .addNode("a", (_, { writer }) => {
        for (const chunk of all) writer(chunk);
      })
      .addEdge(START, "a")
      .addConditionalEdges("a", (_, { writer }) => {
        writer("from the edge");
        return [];
      })
      .compile();
    const chunks = await readAll(graph.stream({}, { streamMode: "custom" }));
    expect(chunks).toEqual([...all, "from the edge"]);
    expect(chunks[6]).toBe(object);
  });

  test("arrive while the node runs", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    let ended = false;
    const graph = new StateGraph(State)
      .addNode("slow", async (_, { writer }) => {
        writer("first");
        await promise;
        writer("second");
        ended = true;
      })
      .addEdge(START, "slow")
      .compile();
    const stream = graph.stream({}, { streamMode: "custom" });
    expect(await stream.next()).toEqual({ done: false, value: "first" });
    const second = stream.next();
    await turns();
    expect(ended).toBe(false);
    resolve();
    expect(await second).toEqual({ done: false, value: "second" });
    expect(await stream.next()).toEqual({ done: true, value: undefined });
  });

  test("come in the order in which parallel nodes wrote them", async () => {
    const chunks = await readAll(diamond().stream({ n: 0 }, { streamMode: "custom" }));
    expect(chunks).toEqual(["from b", "from a"]);
  });

  test("written after the node has ended reach nobody", async () => {
    const graph = new StateGraph(State)
      .addNode("a", (_, { writer }) => {
        setImmediate(() => writer("late"));
      })
      .addNode("b", async () => {
        await turns();
      })
      .addEdge(START, "a")
      .addEdge("a", "b")
      .compile();
    expect(await readAll(graph.stream({}, { streamMode: "custom" }))).toEqual([]);
  });

  test("cost nothing and reach nobody without a reader for them", async () => {
    expect((await diamond().invoke({ n: 0 })).n).toBe(2);
    expect(await readAll(diamond().stream({ n: 0 }, { streamMode: "values" }))).toHaveLength(3);
  });
});

describe("several modes", () => {
  test("come as pairs: custom as it happens, then updates, then values of a superstep", async () => {
    const streamMode = ["values", "custom", "updates"] as const;
    expect(await readAll(diamond().stream({ n: 0 }, { streamMode }))).toEqual([
      ["values", { log: [], n: 0 }],
      ["custom", "from b"],
      ["custom", "from a"],
      ["updates", { a: { log: ["a"] } }],
      ["updates", { b: { log: ["b"] } }],
      ["values", { log: ["a", "b"], n: 0 }],
      ["updates", { c: { n: 2 } }],
      ["values", { log: ["a", "b"], n: 2 }],
    ]);
  });

  test("a list of one gives pairs too; a mode named twice counts once", async () => {
    const one = await readAll(diamond().stream({ n: 0 }, { streamMode: ["custom"] }));
    expect(one).toEqual([
      ["custom", "from b"],
      ["custom", "from a"],
    ]);
    const twice = await readAll(diamond().stream({ n: 0 }, { streamMode: ["custom", "custom"] }));
    expect(twice).toEqual(one);
  });

  test("one that there is not is refused with all that are, and nothing runs", async () => {
    const { begun, graph } = counting(1);
    for (const streamMode of ["everything", "Values", "", null, 5, ["values", "nope"], ["debug"]]) {
      const options: object = { streamMode };
      const error = await rejectionOf(readAll(graph.stream({ n: 0 }, options)));
      const wrong = Array.isArray(streamMode) ? streamMode.at(-1) : streamMode;
      expectRefusal(error, {
        code: "UNKNOWN_STREAM_MODE",
        message: [JSON.stringify(wrong)],
        fix: ['"values", "updates", "messages", "custom"'],
      });
    }
    expect(begun).toEqual([]);
  });
});

describe("leaving a stream", () => {
  /** `slow` waits for its signal beside `quick`, and takes a while to end; `never` would follow. */
  function world() {
    const seen: unknown[] = [];
    const graph = new StateGraph(State)
      .addNode("quick", (_, { writer }) => writer("chunk"))
      .addNode("slow", async (_, { signal }) => {
        await untilAborted(signal).catch((reason: unknown) => seen.push(reason));
        await turns(10);
        seen.push("slow has ended");
      })
      .addNode("never", () => {
        seen.push("never");
      })
      .addEdge(START, "quick")
      .addEdge(START, "slow")
      .addEdge("quick", "never")
      .compile();
    return { seen, open: () => graph.stream({ n: 0 }, { streamMode: "custom" }) };
  }
  const cancelledAndEnded = [
    expect.objectContaining({ name: "AbortError", code: "RUN_CANCELLED" }) as unknown,
    "slow has ended",
  ];

  test("by break cancels the run and waits for its tasks", async () => {
    const { seen, open } = world();
    for await (const chunk of open()) {
      expect(chunk).toBe("chunk");
      break;
    }
    expect(seen).toEqual(cancelledAndEnded);
    await turns();
    expect(seen).toEqual(cancelledAndEnded);
  });

  test("by return or throw inside the loop does so too", async () => {
    const error = new Error("mine");
    const returned = world();
    const first = async () => {
      for await (const chunk of returned.open()) return chunk;
      return "none";
    };
    expect(await first()).toBe("chunk");
    expect(returned.seen).toEqual(cancelledAndEnded);

    const thrown = world();
    const fail = async () => {
      for await (const _ of thrown.open()) throw error;
    };
    expect(await rejectionOf(fail())).toBe(error);
    expect(thrown.seen).toEqual(cancelledAndEnded);
  });

  test("by return(), throw() and disposal does so too, and then it is done", async () => {
    const error = new Error("mine");
    const ways: ((stream: AsyncGenerator) => Promise<unknown>)[] = [
      (stream) => stream.return(undefined),
      (stream) => rejectionOf(stream.throw(error)),
      async (stream) => stream[Symbol.asyncDispose](),
    ];
    const results = [{ done: true, value: undefined }, error, undefined];
    for (const [index, leave] of ways.entries()) {
      const { seen, open } = world();
      const stream = open() as unknown as AsyncGenerator;
      await stream.next();
      expect(await leave(stream)).toEqual(results[index]);
      expect(seen).toEqual(cancelledAndEnded);
      expect(await stream.next()).toEqual({ done: true, value: undefined });
      expect(await leave(stream)).toEqual(results[index]);
    }
  });

  test("by await using does so at the end of the block", async () => {
    const { seen, open } = world();
    {
      await using stream = open();
      await stream.next();
      expect(seen).toEqual([]);
    }
    expect(seen).toEqual(cancelledAndEnded);
  });

  test("between supersteps begins no further one", async () => {
    const { begun, graph } = counting(10);
    for await (const { n } of graph.stream({ n: 0 }, { streamMode: "values" })) {
      if (n === 3) break;
    }
    await turns();
    expect(begun).toEqual([0, 1, 2]);
  });

  test("while a chunk is awaited ends that wait", async () => {
    const { seen, open } = world();
    const stream = open();
    await stream.next();
    const waiting = Promise.allSettled([stream.next()]);
    await turns();
    await stream.return();
    expect(seen).toEqual(cancelledAndEnded);
    await waiting;
  });

  test("waits no longer than the grace for a node that ignores its signal", async () => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const graph = new StateGraph(State)
      .addNode("deaf", (_, { writer }) => {
        writer("chunk");
        return promise;
      })
      .addEdge(START, "deaf")
      .compile();
    const started = performance.now();
    for await (const _ of graph.stream({}, { streamMode: "custom", drainMs: 20 })) break;
    expect(performance.now() - started).toBeLessThan(1_000);
    resolve(undefined);
  });
});

describe("a stream and its reader", () => {
  test("nothing runs until it is read, and never if it never is", async () => {
    const { begun, graph } = counting(3);
    const unread = graph.stream({ n: 0 });
    const wrong: object = { nope: 1 };
    graph.stream({ n: 0 }, wrong);
    await turns();
    expect(begun).toEqual([]);
    await unread.return();
    expect(await unread.next()).toEqual({ done: true, value: undefined });
    await turns();
    expect(begun).toEqual([]);
  });

  test("reading slowly never lets the run get ahead by more than a superstep", async () => {
    for (const streamMode of ["values", "updates"] as const) {
      const { begun, graph } = counting(6);
      const stream = graph.stream({ n: 0 }, { streamMode });
      let read = 0;
      for await (const _ of stream) {
        read++;
        await turns(3);
        const steps = streamMode === "values" ? read - 1 : read; // the first is the input
        expect(begun).toHaveLength(steps);
      }
      expect(begun).toHaveLength(6);
    }
  });

  test("the next superstep waits until each chunk of the one before was taken", async () => {
    let third = false;
    const graph = new StateGraph(State)
      .addNode("a", note("a"))
      .addNode("b", note("b"))
      .addNode("c", () => {
        third = true;
      })
      .addEdge(START, "a")
      .addEdge(START, "b")
      .addEdge("a", "c")
      .compile();
    const stream = graph.stream({}, { streamMode: ["updates", "values"] });
    for (let chunk = 0; chunk < 3; chunk++) {
      await stream.next();
      await turns(3);
      expect(third).toBe(false);
    }
    expect((await stream.next()).value).toEqual(["updates", { c: {} }]);
    expect(third).toBe(true);
  });

  test("next may be called ahead: chunks come in order, then it is done", async () => {
    const { graph } = counting(3);
    const stream = graph.stream({ n: 0 });
    const results = await Promise.all([1, 2, 3, 4, 5].map(() => stream.next()));
    expect(results.map(({ value }) => value)).toEqual([
      { loop: { n: 1 } },
      { loop: { n: 2 } },
      { loop: { n: 3 } },
      undefined,
      undefined,
    ]);
    expect(results.map(({ done }) => done)).toEqual([false, false, false, true, true]);
  });

  test("an error ends it once, after the chunks before it, and then it is done", async () => {
    const error = new Error("boom");
    const graph = new StateGraph(State)
      .addNode("fine", note("fine"))
      .addNode("fails", () => {
        throw error;
      })
      .addEdge(START, "fine")
      .addEdge("fine", "fails")
      .compile();
    const stream = graph.stream({});
    expect((await stream.next()).value).toEqual({ fine: { log: ["fine"] } });
    expect(await rejectionOf(stream.next())).toBe(error);
    expect(await stream.next()).toEqual({ done: true, value: undefined });
    expect(await stream.next()).toEqual({ done: true, value: undefined });
    await stream.return();
  });

  test("so do a wrong input and a limit", async () => {
    const { graph } = counting(5);
    const wrong = graph.stream(null);
    expectRefusal(await rejectionOf(wrong.next()), { code: "EMPTY_INPUT" });
    expect((await wrong.next()).done).toBe(true);
    const limited = graph.stream({ n: 0 }, { recursionLimit: 1 });
    expect((await limited.next()).value).toEqual({ loop: { n: 1 } });
    expectRefusal(await rejectionOf(limited.next()), { code: "GRAPH_RECURSION_LIMIT" });
    expect((await limited.next()).done).toBe(true);
  });

  test("custom chunks that a failing node wrote still arrive before its error", async () => {
    const error = new Error("boom");
    const graph = new StateGraph(State)
      .addNode("fails", async (_, { writer }) => {
        writer("last words");
        await turns();
        throw error;
      })
      .addEdge(START, "fails")
      .compile();
    const stream = graph.stream({}, { streamMode: "custom" });
    expect((await stream.next()).value).toBe("last words");
    expect(await rejectionOf(stream.next())).toBe(error);
  });

  test("can be read once", async () => {
    const { graph } = counting(2);
    const stream = graph.stream({ n: 0 });
    expect(await readAll(stream)).toHaveLength(2);
    expect(await readAll(stream)).toEqual([]);
  });

  test("may be awaited first, as LangGraph's programs do", async () => {
    const { graph } = counting(2);
    // oxlint-disable-next-line typescript/await-thenable -- that it does no harm is the point
    const stream = await graph.stream({ n: 0 });
    expect(await readAll(stream)).toEqual([{ loop: { n: 1 } }, { loop: { n: 2 } }]);
  });

  test("two of one graph at once do not mix", async () => {
    const { graph } = counting(4);
    const [left, right] = [
      graph.stream({ n: 0 }),
      graph.stream({ n: 2 }, { streamMode: "values" }),
    ];
    expect((await left.next()).value).toEqual({ loop: { n: 1 } });
    expect((await right.next()).value).toEqual({ log: [], n: 2 });
    expect((await right.next()).value).toEqual({ log: [], n: 3 });
    expect((await left.next()).value).toEqual({ loop: { n: 2 } });
    await left.return();
    expect((await right.next()).value).toEqual({ log: [], n: 4 });
    expect((await right.next()).done).toBe(true);
  });

  test("options changed after the call are not seen", async () => {
    const { graph } = counting(3);
    const options = { recursionLimit: 5 };
    const stream = graph.stream({ n: 0 }, options);
    options.recursionLimit = 1;
    expect(await readAll(stream)).toHaveLength(3);
  });

  // DEFECT: the list of modes is read when the stream is.
  test("nor is a list of modes", async () => {
    const streamMode: ("updates" | "values")[] = ["updates"];
    const stream = counting(1).graph.stream({ n: 0 }, { streamMode });
    streamMode.push("values");
    expect(await readAll(stream)).toEqual([["updates", { loop: { n: 1 } }]]);
  });

  // DEFECT: the input is read when the stream is.
  test("nor is an input", async () => {
    const input = { n: 0, log: ["as given"] };
    const stream = counting(1).graph.stream(input, { streamMode: "values" });
    input.n = 7;
    input.log.push("later");
    expect((await stream.next()).value).toEqual({ n: 0, log: ["as given"] });
    await stream.return();
  });

  test("the tasks of a superstep have all ended before its updates are seen", async () => {
    const gauge = new Gauge();
    const graph = new StateGraph(State)
      .addNode("worker", ({ n }) =>
        gauge.during(async () => {
          await turns(n);
          return { log: [String(n)] };
        }),
      )
      .addConditionalEdges(START, () => [3, 1, 2].map((n) => new Send("worker", { n })))
      .compile();
    const stream = graph.stream({});
    const first = await stream.next();
    expect(gauge).toMatchObject({ peak: 3, started: 3, ended: 3 });
    expect(first.value).toEqual({ worker: { log: ["3"] } });
    await stream.return();
    await until(() => gauge.ended === 3);
  });
});
