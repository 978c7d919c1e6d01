import {
  AIMessage,
  AIMessageChunk,
  Command,
  HumanMessage,
  RemoveMessage,
  Send,
  SuperstepError,
  SystemMessage,
  ToolMessage,
} from "superstep";

const point = /a\/b/giy;
point.lastIndex = 2;

/** What the texts of `format-1.txt` give, by name. Entries are added, never changed. */
export const values: Readonly<Record<string, unknown>> = {
  json: { text: "a\nb\ud800", list: [1, -2.5, true, null, {}], "": [] },
  undefined: undefined,
  numbers: [0, -0, Number.NaN, Infinity, -Infinity, 10n, -(2n ** 70n)],
  "undefined inside": { a: undefined, b: [undefined, 1] },
  dates: [new Date(0), new Date(Number.NaN), new Date(1_700_000_000_000)],
  "expression and address": [point, /x/, new URL("https://example.com/a?b#c")],
  "map and set": new Map<unknown, unknown>([
    ["k", new Set([1, "1", 1n])],
    [{ at: new Date(1) }, undefined],
  ]),
  bytes: {
    u8: new Uint8Array([1, 2, 255]),
    f32: new Float32Array([1.5, -0]),
    i64: new BigInt64Array([-1n]),
    view: new DataView(new ArrayBuffer(2)),
    buffer: new ArrayBuffer(3),
    node: Buffer.from("hi"),
  },
  errors: [
    new Error("a"),
    new TypeError("b", { cause: new RangeError() }),
    new AggregateError([new SyntaxError("c"), 1], "d"),
    Object.assign(new Error("e"), { code: "ENOENT", name: "Odd" }),
    new SuperstepError("UNKNOWN_NODE", "f", { fix: "g" }),
  ],
  "no prototype": Object.assign(Object.create(null), { a: 1 }),
  "own __proto__": JSON.parse('{"__proto__":{"x":1}}'),
  messages: [
    new SystemMessage("rules"),
    new HumanMessage({ content: "hi", id: "h" }),
    new AIMessage({
      content: [{ type: "text", text: "t" }],
      id: "a",
      tool_calls: [{ name: "f", args: { q: 1 }, id: "c" }],
      usage_metadata: { input_tokens: 1, output_tokens: 2, total_tokens: 3 },
    }),
    new ToolMessage({ content: "r", tool_call_id: "c", status: "error", artifact: new Date(2) }),
    new RemoveMessage({ id: "h" }),
    new AIMessageChunk({
      content: "p",
      tool_call_chunks: [{ type: "tool_call_chunk", index: 0, args: "{" }],
    }),
  ],
  "send and command": [
    new Send("n", { at: new Date(3) }),
    new Command({ update: { a: 1 }, goto: ["x", new Send("y", 1)] }),
    new Command({ resume: false }),
  ],
  "looks like types": { type: "Date", tag: [0, [0, 1], "Date"], ref: "ref" },
};
