import { runInNewContext } from "node:vm";
import {
  AIMessage,
  AIMessageChunk,
  Command,
  GraphRecursionError,
  HumanMessage,
  RemoveMessage,
  Send,
  SuperstepError,
  SystemMessage,
  ToolMessage,
} from "superstep";
import { describe, expect, test, vi } from "vitest";
import { AggregateTaskError, ThreadBusyError } from "../../src/errors/errors.ts";
import { decode, encode } from "../../src/json/codec.ts";
import { expectExact, isExact, roundTrip } from "./world.ts";

describe("exactly what was stored comes back", () => {
  test.each<[string, unknown]>([
    ["null", null],
    ["undefined", undefined],
    ["false", false],
    ["zero", 0],
    ["minus zero", -0],
    ["NaN", Number.NaN],
    ["infinities", [Infinity, -Infinity]],
    ["an empty text", ""],
    ["a lone surrogate", "a\ud800b\udc00"],
    ["NUL, line ends and separators", "\0\n\r\u2028\u2029"],
    ["a BigInt", 10n],
    ["a negative BigInt", -(2n ** 200n)],
    ["an empty list", []],
    ["an empty record", {}],
    ["falsy values in a record", { a: false, b: 0, c: "", d: null, e: [], f: undefined }],
    ["undefined in a list", [undefined, 1, undefined]],
    ["dates", [new Date(0), new Date(-1), new Date(8.64e15), new Date(Number.NaN)]],
    ["expressions", [/a\/b[/]/giu, new RegExp("(?<x>.)", "dsvy")]],
    ["an address", new URL("https://user:p%20w@example.com:8080/a/../b?c=d#e")],
    ["an empty map and set", [new Map(), new Set()]],
    [
      "a map with keys of all kinds",
      new Map<unknown, unknown>([
        [{ a: 1n }, new Date(1)],
        [Number.NaN, -0],
        [undefined, undefined],
      ]),
    ],
    ["a set of sets", new Set<unknown>([new Set([1]), [new Set([undefined])]])],
    ["a record without a prototype", Object.assign(Object.create(null), { a: 1, b: new Date(2) })],
    ["an error", new Error("broken")],
    ["an error without a message", new Error()],
    ["an error with an empty message", new Error("")],
    [
      "an error with a cause",
      new TypeError("outer", { cause: new RangeError("inner", { cause: { at: new Date(3) } }) }),
    ],
    ["an error whose cause is undefined", new Error("x", { cause: undefined })],
    ["an error with a code", Object.assign(new Error("no such file"), { code: "ENOENT" })],
    ["an error with another name", Object.assign(new Error("x"), { name: "Odd" })],
    ["an aggregate", new AggregateError([new SyntaxError("a"), 1, undefined], "all failed")],
    ["an error of ours", new SuperstepError("UNKNOWN_NODE", "No node.", { fix: "Add it." })],
    ["a named error of ours", new GraphRecursionError("Too far.", { fix: "Raise it.", cause: 1 })],
    [
      "our aggregate",
      new AggregateTaskError("two", [new Error("a"), new Error("b")], { fix: "-" }),
    ],
    ["a busy thread", new ThreadBusyError({ threadId: "t", runId: "r" })],
    ["a key with a dot and one that is empty", { "a.b": new Date(0), "": 1n, "0": undefined }],
    [
      "own __proto__ keys",
      JSON.parse('{"__proto__":{"x":1,"__proto__":null},"y":{"__proto__":[]}}'),
    ],
  ])("%s", (_, value) => {
    expectExact(value);
    expectExact({ inside: [value, { deeper: value }] });
  });

  test("CHK-02: a BigInt beside other channels", () => {
    expect(roundTrip({ v: 10n, log: ["x"] })).toStrictEqual({ v: 10n, log: ["x"] });
  });

  test("CHK-03: typed arrays, Buffer, ArrayBuffer, DataView keep type and bytes", () => {
    const bytes = new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]);
    const views = [
      new Float32Array([1.5]),
      new Float64Array([Number.NaN, -0, 1e300]),
      new BigInt64Array([-1n]),
      new BigUint64Array([2n ** 64n - 1n]),
      new Int8Array([-1]),
      new Uint8ClampedArray([255]),
      new Int16Array([-300]),
      new Uint16Array([65_535]),
      new Int32Array([-70_000]),
      new Uint32Array([4_000_000_000]),
      new Uint8Array(),
      new Uint8Array(bytes.buffer, 3, 5),
      new DataView(bytes.buffer, 4, 8),
      bytes.buffer,
      Buffer.from("hi"),
      Buffer.alloc(0),
    ];
    for (const view of views) expectExact(view);
    expectExact({ views, numbers: [Number.NaN, Infinity, -0] });
    expect(Buffer.isBuffer(roundTrip(Buffer.from("hi")))).toBe(true);
  });

  test("a part of a buffer comes back as that part alone, in memory of its own", () => {
    const whole = new Uint8Array(1000).fill(7);
    const back = roundTrip(whole.subarray(10, 12));
    expect([...back]).toEqual([7, 7]);
    expect(back.buffer.byteLength).toBe(2);
    expect(encode(whole.subarray(10, 12)).length).toBeLessThan(40);
  });

  test("large bytes, with and without the Buffer of Node", () => {
    const bytes = Uint8Array.from({ length: 100_001 }, (_, index) => (index * 31) & 255);
    const text = encode(bytes);
    vi.stubGlobal("Buffer", undefined);
    try {
      expect(encode(bytes)).toBe(text);
      expect(isExact(decode(text), bytes)).toBe(true);
      expect(decode('1"aGk="\n"Buffer"')).toStrictEqual(new Uint8Array([104, 105]));
    } finally {
      vi.unstubAllGlobals();
    }
    expect(isExact(decode(text), bytes)).toBe(true);
  });

  test("the place where an expression goes on", () => {
    const expression = /a/g;
    expression.lastIndex = 3;
    expectExact(expression);
  });

  test("JSON is stored as it is, in one line, and a key may have any name", () => {
    const value = JSON.parse(
      '{"constructor":{"prototype":1},"toString":[],"__proto__":{}}',
    ) as object;
    expect(encode(value)).toBe(`1${JSON.stringify(value)}`);
    expect(isExact(roundTrip(value), value)).toBe(true);
  });

  test("keys keep their order, whatever is in them", () => {
    const record = { z: 1, a: undefined, m: new Date(0), b: [1n], 1: -0 };
    expect(Object.keys(roundTrip(record))).toEqual(["1", "z", "a", "m", "b"]);
  });

  test("an error of a user's class comes back as the nearest class that is known, with its name", () => {
    class QuotaError extends RangeError {
      override name = "QuotaError";
      readonly code = 429;
      readonly socket = () => {};
    }
    const back = roundTrip(new QuotaError("used up", { cause: "limit" }));
    expect(Object.getPrototypeOf(back)).toBe(RangeError.prototype);
    expect(back).toMatchObject({
      name: "QuotaError",
      message: "used up",
      code: 429,
      cause: "limit",
    });
    expect(back).not.toHaveProperty("socket");
  });

  test("the reason of an abort", () => {
    const back = roundTrip(AbortSignal.abort().reason as DOMException);
    expect(back).toBeInstanceOf(DOMException);
    expect([back.name, back.code]).toEqual(["AbortError", 20]);
  });

  test("no stack is stored, and the one of a decoded error does not lead to the decoder", () => {
    const text = encode(new Error("here"));
    expect(text).not.toContain("round-trip");
    expect((decode(text) as Error).stack).toBe("Error: here");
  });

  test("objects of another realm come back as those of this one", () => {
    const foreign = runInNewContext(
      "({ list: [1, { a: undefined }], at: new Date(5), map: new Map([[1, new Set([2n])]]), " +
        "bytes: new Uint8Array([1]), error: new TypeError('t'), re: /x/g })",
    ) as Record<string, unknown>;
    expect(roundTrip(foreign)).toStrictEqual({
      list: [1, { a: undefined }],
      at: new Date(5),
      map: new Map([[1, new Set([2n])]]),
      bytes: new Uint8Array([1]),
      error: new TypeError("t"),
      re: /x/g,
    });
  });

  test("under a faked clock a Date is still a Date", () => {
    vi.useFakeTimers();
    try {
      expect(roundTrip(new Date(5)).getTime()).toBe(5);
    } finally {
      vi.useRealTimers();
    }
  });

  test("what is decoded is new and not frozen; the original stays as it was", () => {
    const original = Object.freeze({ list: Object.freeze([new Date(1), undefined]) });
    const back = roundTrip(original);
    expect(Object.isFrozen(back) || Object.isFrozen(back.list)).toBe(false);
    expect(original).toStrictEqual({ list: [new Date(1), undefined] });
  });

  test("getters are read, and toJSON is a key like any other", () => {
    const record = {
      toJSON: "mine",
      get now() {
        return new Date(4);
      },
    };
    expect(roundTrip(record)).toStrictEqual({ toJSON: "mine", now: new Date(4) });
  });
});

describe("messages, sends and commands", () => {
  const messages = [
    new HumanMessage("hi"),
    new SystemMessage({
      content: "rules",
      id: "s",
      name: "n",
      additional_kwargs: { a: [1, { b: -0 }] },
    }),
    new AIMessage({
      content: [{ type: "text", text: "t" }],
      id: "a",
      tool_calls: [{ name: "f", args: { at: 1 }, id: "c" }],
      invalid_tool_calls: [{ id: undefined, name: "g", args: "{", error: "e" }],
      usage_metadata: { input_tokens: 1, output_tokens: 2, total_tokens: 3 },
      response_metadata: { model: "m" },
    }),
    new AIMessage({ content: "x", response_metadata: { output_version: "v1" } }),
    new AIMessageChunk({
      content: "p",
      tool_call_chunks: [{ type: "tool_call_chunk", index: 0, name: "f", args: '{"a' }],
    }),
    new ToolMessage({
      content: "r",
      tool_call_id: "c",
      status: "error",
      artifact: { rows: new Map([[1, 2n]]) },
    }),
    new RemoveMessage({ id: "a" }),
  ];

  test("come back as frozen instances of their class, with the fields that they had", () => {
    const back = roundTrip(messages);
    expect(back).toStrictEqual(messages);
    for (const [index, message] of back.entries()) {
      const original = messages[index] as object;
      expect(Object.getPrototypeOf(message)).toBe(Object.getPrototypeOf(original));
      expect(Object.keys(message)).toEqual(Object.keys(original));
      expect(Object.isFrozen(message)).toBe(true);
    }
    const call = (back[2] as AIMessage).tool_calls[0] as { args: object };
    expect(Object.isFrozen(call.args)).toBe(true);
    expect((back[4] as AIMessageChunk).concat()).toBeInstanceOf(AIMessageChunk);
  });

  test("a long history has one tag", () => {
    const history = Array.from({ length: 1000 }, (_, index) =>
      index % 2 ? new AIMessage(`a${index}`) : new HumanMessage(`h${index}`),
    );
    const text = encode({ messages: history });
    expect(text.slice(text.indexOf("\n") + 1)).toBe('[0,"messages",[0,[0,999],"message"]]');
    expect(roundTrip(history)).toStrictEqual(history);
  });

  test("a message as plain data stays plain data", () => {
    const data = new HumanMessage("hi").toJSON();
    expect(Object.getPrototypeOf(roundTrip(data))).toBe(Object.prototype);
  });

  test("sends and commands, nested", () => {
    const at = new Date(7);
    const command = new Command({
      update: { messages: [new HumanMessage("x")], gone: undefined },
      goto: [new Send("a", { at, tags: new Set(["p"]) }), "b"],
    });
    for (const value of [command, new Send("n", undefined), new Command({ resume: false })]) {
      expect(roundTrip(value)).toStrictEqual(value);
      expect(roundTrip([value])[0]).toBeInstanceOf(value.constructor);
    }
    expect(roundTrip(command)).toBeInstanceOf(Command);
  });
});

describe("references", () => {
  const list = [new HumanMessage("hi")];
  const refs = new Map<object, string>([[list, "messages"]]);

  test("an object that is found by identity is stored by its name", () => {
    const text = encode([new Send("n", { messages: list, copy: [...list] })], { refs });
    const [send] = decode(text, { refs: () => list }) as [
      Send<string, { messages: unknown; copy: unknown }>,
    ];
    expect(send.args.messages).toBe(list);
    expect(send.args.copy).toStrictEqual(list);
    expect(text).toContain('"messages":"messages"');
  });

  test("data that looks like a reference stays data", () => {
    const text = encode({ messages: "messages", type: "ref" }, { refs });
    expect(decode(text, { refs: () => list })).toEqual({ messages: "messages", type: "ref" });
  });
});
