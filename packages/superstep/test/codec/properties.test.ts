import fc from "fast-check";
import { AIMessage, Command, HumanMessage, Send, ToolMessage } from "superstep";
import { describe, expect, test } from "vitest";
import { applyPatch, diff } from "../../src/checkpoint/patch.ts";
import { decode, encode } from "../../src/json/codec.ts";
import { isExact, roundTrip } from "./world.ts";

const text = fc.string({ unit: "binary", maxLength: 8 });
const anyText = fc.oneof(
  text,
  fc.constantFrom("\ud800", "__proto__", "constructor", "ref", "Date"),
);
const numbers = fc.oneof(fc.double(), fc.integer(), fc.constantFrom(-0, 0, Number.NaN, Infinity));
const leaves = fc.oneof(
  anyText,
  numbers,
  fc.boolean(),
  fc.constantFrom(null, undefined),
  fc.bigInt(),
  fc.date({ noInvalidDate: false }),
  fc.uint8Array({ maxLength: 9 }),
  fc.float64Array({ maxLength: 4 }),
  fc.uint8Array({ maxLength: 4 }).map((bytes) => Buffer.from(bytes)),
  fc.uint8Array({ maxLength: 4 }).map((bytes) => bytes.buffer.slice(0)),
  fc.webUrl().map((url) => new URL(url)),
  fc.constantFrom(/x/, /[/\]]+/giu),
  fc
    .tuple(fc.constantFrom(Error, TypeError, RangeError), text)
    .map(([Class, why]) => new Class(why)),
  text.map((content) => new HumanMessage(content)),
  text.map((content) => new AIMessage({ content, tool_calls: [{ name: "f", args: {}, id: "c" }] })),
);
const keys = fc.oneof(text, fc.constantFrom("__proto__", "a", "b", "0", "1", "toString"));
const { value: values } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    leaves,
    fc.array(tie("value"), { maxLength: 5 }),
    fc.dictionary(keys, tie("value"), { maxKeys: 5, noNullPrototype: false }),
    fc.array(fc.tuple(tie("value"), tie("value")), { maxLength: 3 }).map((pairs) => new Map(pairs)),
    fc.array(tie("value"), { maxLength: 3 }).map((members) => new Set(members)),
    fc.tuple(text, tie("value")).map(([why, cause]) => new Error(why, { cause })),
    fc.array(tie("value"), { maxLength: 3 }).map((errors) => new AggregateError(errors, "all")),
    tie("value").map((artifact) => new ToolMessage({ content: "r", tool_call_id: "c", artifact })),
    fc.tuple(text, tie("value")).map(([node, args]) => new Send(node, args)),
    tie("value").map(
      (update) => new Command({ update: update as object, goto: ["x", new Send("n", update)] }),
    ),
  ),
}));

describe("for every value", () => {
  test("decode(encode(value)) is the value, to the bit", () => {
    fc.assert(
      fc.property(values, (value) => {
        expect(isExact(roundTrip(value), value)).toBe(true);
      }),
      { numRuns: 3000 },
    );
  });

  test("encoding what came back gives the same text, which any UTF-8 store keeps", () => {
    fc.assert(
      fc.property(values, (value) => {
        const stored = encode(value);
        expect(encode(decode(stored))).toBe(stored);
        expect(stored.isWellFormed()).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  test("encoding changes nothing of it", () => {
    fc.assert(
      fc.property(values, (value) => {
        const before = structuredCloneOfKeys(value);
        encode(value);
        expect(structuredCloneOfKeys(value)).toBe(before);
      }),
      { numRuns: 500 },
    );
  });
});

function structuredCloneOfKeys(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) =>
    typeof item === "bigint" ? `${item}n` : item,
  );
}

describe("patches", () => {
  type Edit = (value: unknown) => unknown;

  /** An immutable edit at the place that `path` leads to. */
  function editAt(value: unknown, path: readonly number[], edit: Edit): unknown {
    const [first, ...rest] = path;
    if (first === undefined || !isOpen(value)) return edit(value);
    const places = Object.keys(value);
    if (places.length === 0) return edit(value);
    const key = places[first % places.length] as string;
    const inner = editAt(Reflect.get(value, key), rest, edit);
    if (Array.isArray(value)) return value.with(Number(key), inner);
    return Object.defineProperty(copyOf(value), key, own(inner));
  }
  const isOpen = (value: unknown): value is object =>
    Array.isArray(value) ||
    (typeof value === "object" &&
      value !== null &&
      [Object.prototype, null].includes(Object.getPrototypeOf(value) as object));
  const own = (value: unknown) => ({ value, enumerable: true, writable: true, configurable: true });
  const copyOf = (value: object): object =>
    Object.create(
      Object.getPrototypeOf(value) as object,
      Object.getOwnPropertyDescriptors(value),
    ) as object;

  const edits: fc.Arbitrary<Edit> = fc.oneof(
    values.map(
      (put): Edit =>
        () =>
          put,
    ),
    fc.array(values, { maxLength: 3 }).map(
      (more): Edit =>
        (old) =>
          Array.isArray(old) ? [...old, ...more] : more,
    ),
    fc.tuple(fc.nat(5), fc.nat(3), fc.array(values, { maxLength: 2 })).map(
      ([at, drop, put]): Edit =>
        (old) =>
          Array.isArray(old) ? old.toSpliced(at, drop, ...put) : put,
    ),
    fc.tuple(keys, values).map(([key, put]): Edit => (old) => {
      if (!isOpen(old) || Array.isArray(old)) return { [key]: put };
      return Object.defineProperty(copyOf(old), key, own(put));
    }),
    fc.nat(5).map((at): Edit => (old) => {
      if (!isOpen(old) || Array.isArray(old)) return undefined;
      const copy = copyOf(old);
      const key = Object.keys(copy)[at];
      if (key !== undefined) Reflect.deleteProperty(copy, key);
      return copy;
    }),
    fc.constant<Edit>((old) => {
      if (!isOpen(old)) return old;
      if (Array.isArray(old)) return old.toReversed();
      const entries = Object.entries(Object.getOwnPropertyDescriptors(old)).toReversed();
      const turned = Object.create(Object.getPrototypeOf(old) as object) as object;
      for (const [key, property] of entries) Object.defineProperty(turned, key, property);
      return turned;
    }),
  );

  test("what was stored of the change makes the new value of the old one", () => {
    fc.assert(
      fc.property(
        values,
        fc.array(fc.tuple(fc.array(fc.nat(4), { maxLength: 3 }), edits), { maxLength: 4 }),
        (before, changes) => {
          const after = changes.reduce((value, [path, edit]) => editAt(value, path, edit), before);
          const patched = applyPatch(before, roundTrip(diff(before, after)));
          expect(isExact(patched, after)).toBe(true);
        },
      ),
      { numRuns: 3000 },
    );
  });

  test("between any two values", () => {
    fc.assert(
      fc.property(values, values, (before, after) => {
        expect(isExact(applyPatch(before, roundTrip(diff(before, after))), after)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });
});
