import { Annotation, Command, Send, START, StateGraph } from "superstep";
import { describe, expect, test } from "vitest";
import { append, readAll, rejectionOf, thrownBy } from "./world.ts";

interface Profile {
  name: string;
  tags: string[];
}

describe("state that nodes are given cannot be changed", () => {
  const state = Annotation.Root({
    profile: Annotation<Profile>(),
    items: Annotation<string[]>({ reducer: (a, b) => [...a, ...b], default: () => [] }),
    seen: Annotation<readonly string[]>({ reducer: append, default: () => [] }),
  });
  const input = () => ({ profile: { name: "Ada", tags: ["a"] }, items: ["x", "y"] });

  test("a node that changes it fails with a TypeError, whatever the depth", async () => {
    const attempts: ((now: typeof state.State) => unknown)[] = [
      (now) => (now.profile = { name: "Eve", tags: [] }),
      (now) => (now.profile.name = "Eve"),
      (now) => now.profile.tags.push("b"),
      (now) => now.items.push("y"),
      (now) => (now.items[0] = "y"),
      (now) => now.items.fill("z"),
      (now) => Reflect.deleteProperty(now, "items") || delete (now as { items?: unknown }).items,
      (now) => Object.assign(now, { extra: 1 }),
    ];
    for (const attempt of attempts) {
      const graph = new StateGraph(state)
        .addNode("vandal", (now) => {
          attempt(now);
          return {};
        })
        .addEdge(START, "vandal")
        .compile();
      expect(await rejectionOf(graph.invoke(input()))).toBeInstanceOf(TypeError);
    }
  });

  test("an attempt that is caught is not seen by siblings, later nodes or the result", async () => {
    const tryAll = (now: typeof state.State) => {
      for (const attempt of [
        () => now.profile.tags.push("b"),
        () => now.items.push("y"),
        () => (now.profile.name = "Eve"),
      ]) {
        expect(thrownBy(attempt)).toBeInstanceOf(TypeError);
      }
    };
    const look = (now: typeof state.State) => ({
      seen: [JSON.stringify([now.profile, now.items])],
    });
    const graph = new StateGraph(state)
      .addNode("a", (now) => {
        tryAll(now);
        return {};
      })
      .addNode("b", async (now) => {
        await Promise.resolve();
        return look(now);
      })
      .addNode("c", look)
      .addEdge(START, "a")
      .addEdge(START, "b")
      .addEdge(["a", "b"], "c")
      .compile();
    const result = await graph.invoke(input());
    const untouched = '[{"name":"Ada","tags":["a"]},["x","y"]]';
    expect(result.seen).toEqual([untouched, untouched]);
    expect(JSON.stringify([result.profile, result.items])).toBe(untouched);
  });

  test("a default cannot be changed either", async () => {
    const profile = Annotation<Profile>({ default: () => ({ name: "Ada", tags: ["a"] }) });
    const items = Annotation<string[]>({ reducer: (a, b) => [...a, ...b], default: () => [] });
    for (const attempt of ["items", "profile"] as const) {
      const graph = new StateGraph(Annotation.Root({ profile, items }))
        .addNode("vandal", (now) => {
          if (attempt === "items") now.items.push("y");
          else now.profile.tags.push("b");
          return {};
        })
        .addEdge(START, "vandal")
        .compile();
      expect(await rejectionOf(graph.invoke({}))).toBeInstanceOf(TypeError);
    }
  });

  test("nor can what is left of a default after a write", async () => {
    const people = Annotation<Profile[]>({
      reducer: (a, b) => [...a, ...b],
      default: () => [{ name: "Ada", tags: [] }],
    });
    const graph = new StateGraph(Annotation.Root({ people }))
      .addNode("grow", () => ({ people: [{ name: "Eve", tags: [] }] }))
      .addNode("vandal", (now) => {
        now.people[0]!.tags.push("changed");
        return {};
      })
      .addEdge(START, "grow")
      .addEdge("grow", "vandal")
      .compile();
    expect(await rejectionOf(graph.invoke({}))).toBeInstanceOf(TypeError);
  });

  test("a reducer that changes the current value fails, also when that is the default", async () => {
    const items = Annotation<string[]>({
      reducer: (current, update) => {
        current.push(...update);
        return current;
      },
      default: () => [],
    });
    const graph = new StateGraph(Annotation.Root({ items }))
      .addNode("node", () => ({ items: ["b"] }))
      .addEdge(START, "node")
      .compile();
    expect(await rejectionOf(graph.invoke({ items: ["a"] }))).toBeInstanceOf(TypeError);
    expect(await rejectionOf(graph.invoke({}))).toBeInstanceOf(TypeError);
  });

  test("what a node returned is frozen too, so it cannot change it behind the state's back", async () => {
    const mine: Profile = { name: "Ada", tags: ["a"] };
    const graph = new StateGraph(state)
      .addNode("write", () => ({ profile: mine, items: ["x"] }))
      .addNode("later", () => {
        mine.tags.push("b");
        return {};
      })
      .addEdge(START, "write")
      .addEdge("write", "later")
      .compile();
    expect(await rejectionOf(graph.invoke({}))).toBeInstanceOf(TypeError);
  });

  test("a list that grew is frozen in its old and its new part", async () => {
    const people = Annotation<Profile[]>({ reducer: (a, b) => [...a, ...b], default: () => [] });
    for (const index of [0, 1, 2]) {
      const graph = new StateGraph(Annotation.Root({ people }))
        .addNode("grow", () => ({ people: [{ name: "b", tags: [] }] }))
        .addNode("more", () => ({ people: [{ name: "c", tags: [] }] }))
        .addNode("vandal", (now) => {
          now.people[index]!.tags.push("changed");
          return {};
        })
        .addEdge(START, "grow")
        .addEdge("grow", "more")
        .addEdge("more", "vandal")
        .compile();
      const error = await rejectionOf(graph.invoke({ people: [{ name: "a", tags: [] }] }));
      expect(error).toBeInstanceOf(TypeError);
    }
  });

  test("the result cannot be changed", async () => {
    const graph = new StateGraph(state)
      .addNode("node", () => ({}))
      .addEdge(START, "node")
      .compile();
    const result = await graph.invoke(input());
    expect(thrownBy(() => result.items.push("y"))).toBeInstanceOf(TypeError);
    expect(thrownBy(() => (result.profile.name = "Eve"))).toBeInstanceOf(TypeError);
  });
});

describe("objects of the caller", () => {
  const state = Annotation.Root({
    data: Annotation<unknown>(),
    list: Annotation<readonly unknown[]>({ reducer: append, default: () => [] }),
  });

  test("the input stays the caller's: not frozen, and later changes are not seen", async () => {
    const seen: unknown[] = [];
    const { promise: changed, resolve: goOn } = Promise.withResolvers<void>();
    const { promise: began, resolve: begin } = Promise.withResolvers<void>();
    const graph = new StateGraph(state)
      .addNode("first", async () => {
        begin();
        await changed;
        return {};
      })
      .addNode("second", (now) => {
        seen.push(JSON.stringify(now));
        return {};
      })
      .addEdge(START, "first")
      .addEdge("first", "second")
      .compile();
    const input = { data: { deep: [{ n: 1 }] }, list: [{ n: 2 }] as unknown[] };
    const running = graph.invoke(input);
    await began;
    input.data.deep[0]!.n = 99;
    input.data.deep.push({ n: 100 });
    input.list.push("late");
    goOn();
    const result = await running;
    expect(seen).toEqual(['{"data":{"deep":[{"n":1}]},"list":[{"n":2}]}']);
    expect(result).toEqual({ data: { deep: [{ n: 1 }] }, list: [{ n: 2 }] });
    expect(Object.isFrozen(input) || Object.isFrozen(input.data.deep[0])).toBe(false);
  });

  test("the same holds for what a frozen input holds", async () => {
    const graph = new StateGraph(state)
      .addNode("node", () => ({}))
      .addEdge(START, "node")
      .compile();
    const mine = { n: 1 };
    await graph.invoke(Object.freeze({ data: mine }));
    expect(Object.isFrozen(mine)).toBe(false);
    const inner = [1];
    await graph.invoke({ data: Object.freeze({ inner }) });
    expect(Object.isFrozen(inner)).toBe(false);
  });

  test("the same holds for the update of a Command that is the input", async () => {
    const graph = new StateGraph(state)
      .addNode("node", () => ({}))
      .addEdge(START, "node")
      .compile();
    const mine = { deep: [1] };
    const result = await graph.invoke(new Command({ update: { data: mine }, goto: "node" }));
    expect(Object.isFrozen(mine)).toBe(false);
    mine.deep.push(2);
    expect(result).toEqual({ data: { deep: [1] }, list: [] });
  });

  test("Map, Set, Date, typed arrays, class instances and functions pass by reference", async () => {
    class Socket {
      open = true;
    }
    const passed = {
      map: new Map([["k", { n: 1 }]]),
      set: new Set([1]),
      date: new Date(0),
      bytes: new Uint8Array([1]),
      socket: new Socket(),
      call: () => 1,
      error: new Error("kept"),
      proto: Object.create({ inherited: true }) as object,
    };
    const seen: unknown[] = [];
    const graph = new StateGraph(state)
      .addNode("node", (now) => {
        seen.push(now.data);
        return { list: [passed] };
      })
      .addEdge(START, "node")
      .compile();
    const result = await graph.invoke({ data: { ...passed } });
    for (const place of [seen[0], result.data, result.list[0]] as (typeof passed)[]) {
      for (const name of Object.keys(passed) as (keyof typeof passed)[]) {
        expect(place[name], name).toBe(passed[name]);
      }
    }
    passed.socket.open = false;
    passed.map.get("k")!.n = 2;
    expect(Object.isFrozen(passed.map) || Object.isFrozen(passed.date)).toBe(false);
  });

  test("objects without a prototype are plain: frozen when written, copied when given", async () => {
    const bare = Object.assign(Object.create(null) as object, { n: 1, list: [1] });
    const graph = new StateGraph(state)
      .addNode("node", (now) => {
        (now.data as { list: number[] }).list.push(2);
        return {};
      })
      .addEdge(START, "node")
      .compile();
    expect(await rejectionOf(graph.invoke({ data: bare }))).toBeInstanceOf(TypeError);
    expect(Object.isFrozen(bare)).toBe(false);
  });

  test("circular data is taken, as input and as update", async () => {
    interface Ring {
      next?: Ring;
      list: unknown[];
    }
    const ring = (): Ring => {
      const one: Ring = { list: [] };
      const two: Ring = { next: one, list: [one] };
      one.next = two;
      one.list.push(one, two);
      return one;
    };
    const graph = new StateGraph(state)
      .addNode("node", () => ({ list: [ring()] }))
      .addEdge(START, "node")
      .compile();
    const given = ring();
    const { data, list } = await graph.invoke({ data: given });
    for (const result of [data, list[0]] as Ring[]) {
      expect(result.next!.next).toBe(result);
      expect(result.list[0]).toBe(result);
      expect(Object.isFrozen(result.next!.list)).toBe(true);
    }
    expect(data).not.toBe(given);
    expect(Object.isFrozen(given)).toBe(false);
  });

  test("data 20,000 levels deep is taken", async () => {
    const nest = () => {
      let top: unknown[] = [];
      for (let level = 0; level < 20_000; level++) top = [top];
      return top;
    };
    const graph = new StateGraph(state)
      .addNode("node", () => ({ list: [nest()] }))
      .addEdge(START, "node")
      .compile();
    const { data, list } = await graph.invoke({ data: nest() });
    for (const result of [data, list[0]]) {
      let level = result as unknown[];
      while (level.length > 0) level = level[0] as unknown[];
      expect(Object.isFrozen(level)).toBe(true);
    }
  });
});

// 400 keys are copied; beyond about 500 the engine shows versions of one state. Nobody may notice.
describe.each([400, 600, 3_000])("a state of %i keys", (size) => {
  const names = Array.from({ length: size }, (_, index) => `key${index}`);
  const state = Annotation.Root(
    Object.fromEntries(names.map((name) => [name, Annotation<unknown>()])),
  );
  type State = Readonly<Record<string, unknown>>;
  const input = Object.fromEntries(names.slice(0, -1).map((name, index) => [name, index]));
  const missing = names.at(-1)!;

  test("reads like a plain object: spread, keys, in, JSON, entries", async () => {
    const seen: State[] = [];
    const graph = new StateGraph(state)
      .addNode("read", (now) => {
        expect(Object.keys(now)).toEqual(names.slice(0, -1));
        expect({ ...now }).toEqual(input);
        expect(JSON.stringify(now)).toBe(JSON.stringify(input));
        expect(Object.entries(now)).toEqual(Object.entries(input));
        expect(["key0" in now, missing in now, "nothing" in now]).toEqual([true, false, false]);
        expect(Object.hasOwn(now, "key1")).toBe(true);
        expect(Object.hasOwn(now, missing)).toBe(false);
        expect(now[missing]).toBe(undefined);
        expect(Object.prototype.toString.call(now)).toBe("[object Object]");
        expect(now).toEqual(input);
        const { key0, ...rest } = now;
        expect([key0, Object.keys(rest).length]).toEqual([0, size - 2]);
        seen.push(now);
        return { [missing]: "here" };
      })
      .addEdge(START, "read")
      .compile();
    const result = await graph.invoke(input);
    expect(Object.keys(result)).toEqual(names);
    expect(seen[0]).toEqual(input);
  });

  test("snapshots kept from older supersteps keep what they showed", async () => {
    const kept: State[] = [];
    const graph = new StateGraph(state)
      .addNode("count", (now) => {
        kept.push(now);
        const n = now["key0"] as number;
        return { key0: n + 1, [`key${n + 1}`]: `changed ${n}`, [missing]: n };
      })
      .addEdge(START, "count")
      .addConditionalEdges("count", (now) => {
        kept.push(now);
        return (now["key0"] as number) < 10 ? "count" : "__end__";
      })
      .compile();
    const result = await graph.invoke(input);
    expect(kept).toHaveLength(20);
    let expected: Record<string, unknown> = { ...input };
    for (const [index, snapshot] of kept.entries()) {
      const n = Math.floor(index / 2);
      if (index % 2 === 1) {
        expected = { ...expected, key0: n + 1, [`key${n + 1}`]: `changed ${n}`, [missing]: n };
      }
      expect({ ...snapshot }).toEqual(expected);
    }
    expect(result).toEqual(expected);
  });

  test("they do so when nobody read the state in between", async () => {
    let kept: State = {};
    const graph = new StateGraph(state)
      .addNode(
        "keep",
        (now) => {
          kept = now;
          return new Command({ update: { key0: "new" }, goto: new Send("worker", "own input") });
        },
        { ends: ["worker"] },
      )
      .addNode("worker", () => ({ key1: "changed" }))
      .addEdge(START, "keep")
      .compile();
    const result = await graph.invoke(input);
    expect({ ...kept }).toEqual(input);
    expect(result).toEqual({ ...input, key0: "new", key1: "changed" });
  });

  test("changing it throws, and siblings do not see the attempt", async () => {
    const attempts: ((now: Record<string, unknown>) => unknown)[] = [
      (now) => (now["key0"] = "x"),
      (now) => (now["extra"] = "x"),
      (now) => delete now["key0"],
      (now) => Object.assign(now, { key0: "x" }),
      (now) => Object.defineProperty(now, "key0", { value: "x" }),
      (now) => Object.setPrototypeOf(now, { key0: "x" }),
    ];
    const graph = new StateGraph(state)
      .addNode("vandal", (now) => {
        for (const attempt of attempts) {
          expect(thrownBy(() => attempt(now as never))).toBeInstanceOf(TypeError);
        }
        expect(Reflect.set(now, "key0", "x")).toBe(false);
        expect(Reflect.deleteProperty(now, "key0")).toBe(false);
        return {};
      })
      .addNode("sibling", async (now) => {
        await Promise.resolve();
        return { [missing]: now["key0"] };
      })
      .addEdge(START, "vandal")
      .addEdge(START, "sibling")
      .compile();
    expect(await graph.invoke(input)).toEqual({ ...input, [missing]: 0 });
  });

  test("the result is a plain frozen object, also in the values stream", async () => {
    const graph = new StateGraph(state)
      .addNode("node", () => ({ key0: "new" }))
      .addEdge(START, "node")
      .compile();
    const chunks = await readAll(graph.stream(input, { streamMode: "values" }));
    for (const result of [await graph.invoke(input), ...chunks]) {
      expect(structuredClone(result)).toEqual(result);
      expect(Object.isFrozen(result)).toBe(true);
      expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
    }
    expect(chunks.map((chunk) => chunk["key0"])).toEqual([0, "new"]);
  });

  test("the whole state handed back, or spread with a change, writes what changed", async () => {
    const graph = new StateGraph(state)
      .addNode("a", (now) => ({ ...now, key1: "a" }))
      .addNode("b", (now) => ({ ...now, key2: "b" }))
      .addNode("whole", (now) => now)
      .addEdge(START, "a")
      .addEdge(START, "b")
      .addEdge(START, "whole")
      .compile();
    expect(await graph.invoke(input)).toEqual({ ...input, key1: "a", key2: "b" });
  });

  test("a snapshot may be stored in a key of the state and be frozen again", async () => {
    const graph = new StateGraph(state)
      .addNode("store", (now) => {
        expect(Object.freeze(now)).toBe(now);
        return { [missing]: { before: now }, key0: "new" };
      })
      .addNode("later", (now) => ({ key1: (now[missing] as { before: State }).before["key0"] }))
      .addEdge(START, "store")
      .addEdge("store", "later")
      .compile();
    const result = await graph.invoke(input);
    expect([result["key0"], result["key1"]]).toEqual(["new", 0]);
  });
});
