import { HumanMessage } from "superstep";
import { describe, expect, test } from "vitest";
import { applyPatch, diff, type Patch } from "../../src/checkpoint/patch.ts";
import { decode, encode } from "../../src/json/codec.ts";
import { refusal } from "./world.ts";

const messages = (count: number, start = 0): readonly HumanMessage[] =>
  Object.freeze(
    Array.from({ length: count }, (_, index) => new HumanMessage(`message ${start + index}`)),
  );

/** The patch, after a check that it does what it says. */
function patchOf(before: unknown, after: unknown): Patch {
  const patch = diff(before, after);
  const stored = decode(encode(patch)) as Patch;
  expect(applyPatch(before, stored)).toStrictEqual(after);
  return patch;
}

describe("lists", () => {
  const history = messages(100);
  const [added] = messages(1, 100);

  test("a list that grew stores its tail, however long it is", () => {
    expect(patchOf(history, [...history, added])).toEqual([1, [100, 0, [added]]]);
    const sizes = [messages(10), messages(10_000)].map(
      (list) => encode(diff(list, [...list, added])).length,
    );
    expect(Math.abs((sizes[1] as number) - (sizes[0] as number))).toBeLessThan(10);
  });

  test("what is at the ends is kept when something changes between", () => {
    const changed = history.with(40, added as HumanMessage);
    expect(patchOf(history, changed)).toEqual([1, [40, 1, [added]]]);
    expect(patchOf(history, history.toSpliced(10, 3))).toEqual([1, [10, 3, []]]);
    expect(patchOf(history, [added, ...history])).toEqual([1, [0, 0, [added]]]);
    expect(patchOf(history, history.slice(0, 7))).toEqual([1, [7, 93, []]]);
  });

  test("a window that slides stores what came in", () => {
    expect(patchOf(history, [...history.slice(30), added])).toEqual([
      1,
      [0, 30, []],
      [70, 0, [added]],
    ]);
    const pinned = [history[0], ...history.slice(30), added];
    expect(patchOf(history, pinned)).toEqual([1, [1, 29, []], [71, 0, [added]]]);
  });

  test("changes in several places, and a new end", () => {
    const after = [...history.with(3, added as HumanMessage).toSpliced(50, 2), added];
    const patch = patchOf(history, after);
    expect(patch).toEqual([1, [3, 1, [added]], [50, 2, []], [98, 0, [added]]]);
  });

  test("a list with changes all over is stored once, not piece by piece", () => {
    const after = history.map((message, index) => (index % 2 ? new HumanMessage("new") : message));
    expect(patchOf(history, after).length).toBeLessThan(12);
  });

  test("nothing in common is the whole value", () => {
    expect(patchOf(history, messages(100))[0]).toBe(0);
    expect(patchOf([], [added])).toEqual([0, [added]]);
    expect(patchOf(history, [])).toEqual([0, []]);
    expect(patchOf([1, 2], { 0: 1, 1: 2 })[0]).toBe(0);
  });

  test("the same list, and one that is equal", () => {
    expect(patchOf(history, history)).toEqual([1]);
    expect(patchOf(history, [...history])).toEqual([1]);
  });

  test("numbers are told apart to the bit", () => {
    expect(patchOf([1, 0, Number.NaN], [1, -0, Number.NaN])).toEqual([1, [1, 1, [-0]]]);
    expect(patchOf([undefined, null], [undefined, undefined])[0]).toBe(1);
  });
});

describe("records", () => {
  test("store what changed, with the tail of a list inside", () => {
    const before = { name: "a", log: messages(50), n: 1 };
    const [added] = messages(1, 50);
    const after = { ...before, n: 2, log: [...before.log, added] };
    expect(patchOf(before, after)).toEqual([
      2,
      [
        ["log", [1, [50, 0, [added]]]],
        ["n", [0, 2]],
      ],
      [],
    ]);
  });

  test("keys that go and keys that come, undefined included", () => {
    const patch = patchOf({ a: 1, b: 2, c: 3 }, { a: 1, c: undefined, d: undefined });
    expect(patch).toEqual([
      2,
      [
        ["c", [0, undefined]],
        ["d", [0, undefined]],
      ],
      ["b"],
    ]);
  });

  test("the order of keys is that of the new record, or the whole record is stored", () => {
    const before = { a: 1, b: 2, c: 3 };
    expect(diff(before, { c: 3, b: 2, a: 1 })[0]).toBe(0);
    expect(diff(before, { new: 0, ...before })[0]).toBe(0);
    const numbered = { 5: "five", x: 0 };
    const after = { ...numbered, 3: "three" };
    const patch = patchOf(numbered, after);
    expect(patch[0]).toBe(2);
    expect(Object.keys(applyPatch(numbered, patch) as object)).toEqual(["3", "5", "x"]);
  });

  test("own __proto__ keys", () => {
    const before = JSON.parse('{"__proto__":{"a":1},"b":1}') as object;
    const after = JSON.parse('{"__proto__":{"a":1,"c":2},"b":2}') as object;
    const patched = applyPatch(before, decode(encode(diff(before, after))) as Patch) as object;
    expect(JSON.stringify(patched)).toBe(JSON.stringify(after));
    expect(Object.getPrototypeOf(patched)).toBe(Object.prototype);
    expect(Object.keys(({} as { __proto__: object }).__proto__)).toEqual([]);
  });

  test("a record that lost or gained its prototype is stored whole", () => {
    const bare = Object.assign(Object.create(null) as object, { a: 1, b: 2 });
    expect(diff({ a: 1, b: 2 }, bare)[0]).toBe(0);
    expect(patchOf(bare, Object.assign(Object.create(null) as object, bare, { b: 3 }))[0]).toBe(2);
  });

  test("records within records, however deep", () => {
    const nest = (depth: number, end: unknown): object =>
      depth === 0 ? { end } : { keep: depth, in: nest(depth - 1, end) };
    patchOf(nest(200, 1), nest(200, 2));
  });
});

describe("other values", () => {
  test("are stored whole, the empty channel too", () => {
    const message = new HumanMessage("x");
    for (const after of [undefined, null, 0, "", false, message, new Map([[1, 2]]), []]) {
      expect(patchOf({ a: 1 }, after)).toEqual([0, after]);
      expect(patchOf(undefined, after)).toEqual([0, after]);
    }
  });

  test("what the codec refuses is not hidden by a patch", () => {
    const list = [1, 2, 3];
    const record = { a: 1, b: 2 };
    const bad: [object, object][] = [
      [list, Object.assign([...list, 4], { more: 1 })],
      [list, Object.assign([...list], { [Symbol("s")]: 1 })],
      [[1, undefined, 2], Object.assign(Array(3), { 0: 1, 2: 2 })],
      [record, { ...record, [Symbol("s")]: 1 }],
      [record, { ...record, f: () => 1 }],
      [record, Object.assign(Object.create({}), record)],
    ];
    for (const [before, after] of bad) expect(() => encode(diff(before, after))).toThrow("stored");
  });

  test("data that looks like a patch is data", () => {
    for (const data of [
      [1, [0, 0, []]],
      [0, 1],
      [2, [], []],
    ]) {
      patchOf(data, [...data, 3]);
      patchOf(undefined, data);
    }
  });
});

describe("a patch that does not fit is refused", () => {
  test.each<[string, unknown, unknown]>([
    ["no list", {}, "x"],
    ["nothing", {}, []],
    ["an unknown kind", {}, [3, 1]],
    ["a value too many", {}, [0, 1, 2]],
    ["no value", {}, [0]],
    ["a list that is none", {}, [1]],
    ["a list that was never there", undefined, [1]],
    ["a splice that is none", [], [1, 5]],
    ["a short splice", [], [1, [0, 0]]],
    ["a start that is no index", [1], [1, [0.5, 0, []]]],
    ["a negative start", [1], [1, [-1, 0, []]]],
    ["a start past the end", [1], [1, [2, 0, []]]],
    ["more deleted than there is", [1], [1, [0, 2, []]]],
    ["splices in the wrong order", [1, 2, 3], [1, [2, 0, []], [0, 0, []]]],
    ["items that are no list", [1], [1, [0, 0, "abc"]]],
    ["a record that is none", [], [2, [], []]],
    ["a record of a class", new HumanMessage("x"), [2, [], []]],
    ["changes that are no list", {}, [2, {}, []]],
    ["a change that is none", {}, [2, [5], []]],
    ["a key that is no text", {}, [2, [[1, [0, 1]]], []]],
    ["nonsense inside", { a: 1 }, [2, [["a", [1, [0, 0, []]]]], []]],
    ["nonsense for an inherited key", {}, [2, [["toString", [2, [], []]]], []]],
  ])("%s", (_, before, patch) => {
    const error = refusal(() => applyPatch(before, patch as Patch), "CORRUPT_CHECKPOINT");
    expect(error.message).toMatch(/^A stored change of a value .*\.$/);
  });
});
