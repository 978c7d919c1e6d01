import { Socket } from "node:net";
import { HumanMessage, Send, ToolMessage } from "superstep";
import { describe, expect, test } from "vitest";
import { encode } from "../../src/json/codec.ts";
import { expectExact, refusal, unstorable } from "./world.ts";

function nested(depth: number): unknown {
  let value: unknown = [];
  for (let level = 1; level < depth; level++) value = level % 2 ? { in: value } : [value];
  return value;
}

describe("what cannot be stored is refused with its path", () => {
  test("a socket in the state, by name", () => {
    const state = { items: [1, 2, 3, { socket: new Socket() }] };
    expect(unstorable(state)).toBe("state.items[3].socket: Socket cannot be stored.");
  });

  class Point {
    x = 1;
  }
  class Dates extends Date {}
  class List extends Array<number> {}
  class Table extends Map<string, string> {}
  class Mine extends HumanMessage {}
  class Bytes extends Uint8Array {}

  test.each<[string, unknown, string]>([
    ["a class instance", new Point(), "Point"],
    ["a subclass of Date", new Dates(), "Dates"],
    ["a subclass of Array", new List(), "List"],
    ["a subclass of Map", new Table(), "Table"],
    ["a subclass of a typed array", new Bytes(), "Bytes"],
    ["a subclass of a message", new Mine("hi"), "Mine"],
    ["a named function", function run() {}, "function run"],
    ["a class", Point, "function Point"],
    ["a symbol", Symbol("s"), "Symbol(s)"],
    ["a WeakMap", new WeakMap(), "WeakMap"],
    ["a promise", Promise.resolve(), "Promise"],
    ["a boxed text", new String("x"), "String"],
    ["an object on another object", Object.create({ a: 1 }), "Object"],
    ["shared memory", new Uint8Array(new SharedArrayBuffer(1)), "Uint8Array"],
    ["an object that pretends to be a Date", Object.create(Date.prototype), "Date"],
    ["an object that pretends to be a Map", Object.create(Map.prototype), "Map"],
    ["a list that pretends to be a record", Object.setPrototypeOf([], Object.prototype), "Object"],
    ["a hole at the start", Object.assign(Array(2), { 1: 1 }), "a hole in a list"],
    ["a hole at the end", Array(1), "a hole in a list"],
    ["a symbol as a key", { [Symbol("k")]: 1 }, "the own property Symbol(k)"],
    [
      "a symbol as a key of a list",
      Object.assign([1], { [Symbol("k")]: 1 }),
      "the own property Symbol(k)",
    ],
    [
      "a named property of a list",
      Object.assign([1], { more: 1 }),
      'the own property "more" of Array',
    ],
    [
      "a property of a Date",
      Object.assign(new Date(), { zone: 1 }),
      'the own property "zone" of Date',
    ],
    ["the result of a match", "ab".match(/b/), 'the own property "index" of Array'],
    [
      "a getter that throws",
      {
        get x() {
          throw new Error("no");
        },
      },
      "what throws when it is read",
    ],
  ])("%s", (_, value, name) => {
    expect(unstorable(value)).toContain(`: ${name} cannot be stored.`);
    expect(unstorable({ a: [value] })).toMatch(/^state\.a\[0\]/);
  });

  test("a revoked proxy", () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect(unstorable([proxy])).toContain("what throws when it is read");
  });

  test.each<[string, unknown, string]>([
    ["odd keys", { "a b": { "": [() => {}] } }, 'state["a b"][""][0]'],
    ["values of a map", new Map([["k", [() => {}]]]), 'state.get("k")[0]'],
    ["values of a map by object", new Map([[{}, () => {}]]), "state.values()[0]"],
    ["keys of a map", new Map([[() => {}, 1]]), "state.keys()[0]"],
    ["members of a set", new Set([1, () => {}]), "state.values()[1]"],
    [
      "an artifact",
      new ToolMessage({ content: "", tool_call_id: "c", artifact: { f() {} } }),
      "state.artifact.f",
    ],
    ["arguments", new Send("n", { f() {} }), "state.args.f"],
    ["a cause", new Error("x", { cause: [() => {}] }), "state.cause[0]"],
    ["errors", new AggregateError([() => {}]), "state.errors[0]"],
    ["after a deep neighbour", [[[[1]]], () => {}], "state[1]"],
  ])("the path leads through %s", (_, value, path) => {
    expect(unstorable(value).split(": ")[0]).toBe(path);
  });

  test("the value has a name of its own when none is given", () => {
    expect(refusal(() => encode([() => {}]), "UNSTORABLE_VALUE").message).toMatch(/^value\[0\]: /);
  });

  test("nothing of a value is executed", () => {
    let ran = 0;
    const run = () => ran++;
    const trap = { toJSON: run };
    expect(unstorable(trap)).toContain("state.toJSON: function");
    expectExact(Object.defineProperty({ a: 1 }, "hidden", { value: run, enumerable: false }) && 1);
    class Sneaky {
      toJSON = run;
      get [Symbol.toStringTag]() {
        run();
        return "Date";
      }
      static get [Symbol.species]() {
        run();
        return Array;
      }
    }
    unstorable(new Sneaky());
    expect(ran).toBe(0);
  });
});

describe("cycles and depth", () => {
  test("a cycle is named, with where it leads", () => {
    const state: Record<string, unknown> = { items: [] };
    state["self"] = state;
    expect(unstorable(state)).toBe(
      "state.self: a cycle that leads back to state cannot be stored.",
    );
    const inner: unknown[] = [];
    inner.push({ up: inner });
    expect(unstorable({ a: inner })).toContain(
      "state.a[0].up: a cycle that leads back to state.a ",
    );
  });

  test("cycles of every length, beside much data, are found at once", () => {
    const heavy = Array.from({ length: 10_000 }, (_, index) => index);
    for (const length of [1, 2, 3, 7, 50, 300]) {
      const first: Record<string, unknown> = { heavy };
      let last = first;
      for (let at = 1; at < length; at++) last = last["next"] = { heavy };
      last["next"] = first;
      const message = unstorable({ before: { first } });
      expect(message).toContain("a cycle that leads back to state.before.first ");
    }
  });

  test("a cycle through a map, a set, a send and an error", () => {
    const map = new Map<string, unknown>();
    map.set("k", new Set([map]));
    expect(unstorable(map)).toContain(
      'state.get("k").values()[0]: a cycle that leads back to state ',
    );
    const args: { send?: unknown } = {};
    args.send = new Send("n", args);
    expect(unstorable(args)).toContain("state.send.args: a cycle that leads back to state ");
    const error = new Error("x");
    error.cause = { error };
    expect(unstorable(error)).toContain("state.cause.error: a cycle that leads back to state ");
  });

  test("the same object twice is no cycle", () => {
    const shared = { at: new Date(1) };
    expectExact({ a: shared, b: [shared, shared] });
  });

  test("SEC-01: a thousand levels are stored, more are refused, however deep", () => {
    expectExact(nested(1000));
    expect(unstorable(nested(1002))).toContain("what is nested more than 1000 deep");
    expect(unstorable(nested(100_000))).toContain("what is nested more than 1000 deep");
    const message = new HumanMessage({ content: "x", additional_kwargs: { deep: nested(1000) } });
    expect(unstorable({ messages: [message] })).toContain("what is nested more than 1000 deep");
    expect(unstorable({ messages: [message] }).length).toBeLessThan(500);
  });
});
