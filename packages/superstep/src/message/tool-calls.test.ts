import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parseToolArguments, ToolCallAssembler } from "./tool-calls.ts";
import type { FinishedCalls } from "./tool-calls.ts";
import type { ToolCallChunk } from "./types.ts";

type Piece = Omit<ToolCallChunk, "type">;

function assembler(...pieces: readonly Piece[]): ToolCallAssembler {
  const calls = new ToolCallAssembler();
  for (const piece of pieces) calls.add({ type: "tool_call_chunk", ...piece });
  return calls;
}

const finish = (...pieces: readonly Piece[]): FinishedCalls => assembler(...pieces).finish();
/** name(args) of each call that can be executed. */
const calls = (...pieces: readonly Piece[]): string[] =>
  finish(...pieces).tool_calls.map(({ name, args }) => `${name} ${JSON.stringify(args)}`);

describe("arguments", () => {
  test.each([
    ["", {}],
    ["  \n", {}],
    ["null", {}],
    [null, {}],
    [undefined, {}],
    ["{}", {}],
    [{ a: 1 }, { a: 1 }],
    ['{"a":0}', { a: 0 }],
    ['{}{"key":"value"}', { key: "value" }],
    ['{} \n{"key":"value"}', { key: "value" }],
    ["{}{}", {}],
  ])("TOO-04, TOO-05: %j are %j", (text, args) => {
    expect(parseToolArguments(text)).toEqual(args);
  });

  test.each(["{", "[]", "3", '"text"', "false", '{"a":1}{"a":2}', "{}x", [], 0, false])(
    "%j are none",
    (text) => {
      expect(parseToolArguments(text)).toBeUndefined();
    },
  );

  test("a key named __proto__ is only a key", () => {
    const args = parseToolArguments('{"__proto__":{"polluted":1}}')!;
    expect(Object.keys(args)).toEqual(["__proto__"]);
    expect(Object.getPrototypeOf(args)).toBe(Object.prototype);
  });
});

describe("pieces of calls find their call", () => {
  test("STR-17: by id when there is no index", () => {
    const id = "tooluse_abc123";
    const chunks = assembler(
      { id, name: "create_item", args: "" },
      { id, args: '{"boa' },
      { id, args: 'rdId":' },
    ).chunks();
    expect(chunks).toEqual([
      { type: "tool_call_chunk", id, name: "create_item", args: '{"boardId":' },
    ]);
  });

  test("STR-17: two ids interleaved are two calls", () => {
    expect(
      calls(
        { id: "a", name: "f", args: "{" },
        { id: "b", name: "g", args: '{"y"' },
        { id: "a", args: '"x":1}' },
        { id: "b", args: ":2}" },
      ),
    ).toEqual(['f {"x":1}', 'g {"y":2}']);
  });

  test.each([
    [
      "a single call with index 1",
      [
        { index: 1, id: "a", name: "f", args: "" },
        { index: 1, args: '{"x":1}' },
      ],
      ['f {"x":1}'],
    ],
    [
      "sparse indexes",
      [
        { index: 7, id: "a", name: "f", args: "{" },
        { index: 3, id: "b", name: "g", args: "{" },
        { index: 7, args: '"x":1}' },
        { index: 3, args: '"y":2}' },
      ],
      ['f {"x":1}', 'g {"y":2}'],
    ],
    [
      "an index that is used again with another id",
      [
        { index: 0, id: "a", name: "f", args: "{}" },
        { index: 0, id: "b", name: "g", args: "{" },
        { index: 0, args: '"y":2}' },
      ],
      ["f {}", 'g {"y":2}'],
    ],
    [
      "whole calls of gateways that number each of them 0 and give no id",
      [
        { index: 0, id: "", name: "f", args: '{"x":1}' },
        { index: 0, id: "", name: "f", args: '{"x":2}' },
        { index: 0, id: "", name: "g", args: "{}" },
      ],
      ['f {"x":1}', 'f {"x":2}', "g {}"],
    ],
    [
      "no index on what follows",
      [
        { index: 0, id: "a", name: "f", args: "{" },
        { args: '"x":1}' },
        { id: "b", name: "g" },
        { args: "{}" },
      ],
      ['f {"x":1}', "g {}"],
    ],
    [
      "an index that comes late",
      [
        { id: "a", name: "f", args: "{" },
        { index: 0, args: '"x":1}' },
      ],
      ['f {"x":1}'],
    ],
    [
      "empty ids on what follows",
      [
        { index: 0, id: "a", name: "f", args: "" },
        { index: 0, id: "", name: "", args: '{"x":1}' },
      ],
      ['f {"x":1}'],
    ],
    [
      "an id that comes late",
      [
        { index: 0, name: "f", args: "{" },
        { index: 0, id: "a", args: "}" },
      ],
      ["f {}"],
    ],
    [
      "a name that is repeated",
      [
        { index: 0, name: "f", args: '{"x"' },
        { index: 0, name: "f", args: ":1" },
        { index: 0, name: "f", args: "}" },
        { index: 0, name: "f", args: "" },
      ],
      ['f {"x":1}'],
    ],
    ["pieces that hold nothing", [{ index: 0, id: "", args: "" }, { index: 1 }], []],
  ])("POA-01: %s", (_, pieces, expected) => {
    expect(calls(...pieces)).toEqual(expected);
  });

  test("POA-03: a name after the id and arguments", () => {
    expect(calls({ id: "a", args: "{" }, { name: "f", args: '"x":1' }, { args: "}" })).toEqual([
      'f {"x":1}',
    ]);
  });

  test("TOO-05: '{}' before the real object, and alone", () => {
    expect(calls({ id: "a", name: "f", args: "{}" }, { id: "a", args: '{"key":"value"}' })).toEqual(
      ['f {"key":"value"}'],
    );
    expect(calls({ id: "a", name: "f", args: "{}" })).toEqual(["f {}"]);
  });

  test("TOO-06: nothing is finished before the stream is", () => {
    const open = assembler({ id: "a", name: "f", args: '{"query":"test"' });
    open.add({ type: "tool_call_chunk", id: "a", args: ', "limit":1' });
    open.add({ type: "tool_call_chunk", id: "a", args: "0}" });
    expect(open.finish().tool_calls[0]!.args).toEqual({ query: "test", limit: 10 });
  });

  test("POA-05: a missing or empty id is minted, and an id that occurs twice is made unique", () => {
    const { tool_calls } = finish({ id: "", name: "f", args: "{}" }, { id: "b", name: "g" });
    expect(tool_calls[0]!.id).toMatch(/^call_\w+$/);
    expect(tool_calls[1]).toMatchObject({ id: "b", args: {} });
  });

  test("what cannot be executed is an invalid call", () => {
    const { tool_calls, invalid_tool_calls } = finish(
      { index: 0, id: "a", name: "f", args: '{"x":' },
      { index: 1, id: "b", args: "{}" },
      { index: 2, id: "c", name: "g", args: "{}" },
    );
    expect(tool_calls.map(({ id }) => id)).toEqual(["c"]);
    expect(invalid_tool_calls).toEqual([
      { type: "invalid_tool_call", id: "a", name: "f", args: '{"x":', error: "Malformed args." },
      {
        type: "invalid_tool_call",
        id: "b",
        name: undefined,
        args: "{}",
        error: "The call names no tool.",
      },
    ]);
  });

  test("provider data of the pieces is kept on the call", () => {
    const { tool_calls } = finish(
      { id: "a", name: "f", provider: { google: { signature: "s" } } },
      { id: "a", args: "{}" },
    );
    expect(tool_calls[0]!.provider).toEqual({ google: { signature: "s" } });
  });
});

const recordings = process.env["SUPERSTEP_RECORDINGS"] ?? "";
const recorded = `${recordings}/01-openai-compat-nonzero-index/anthropic-fallback-tool-call.sse`;

test.skipIf(recordings === "" || !existsSync(recorded))(
  "POA-01: the recording with index 1 only gives read_file (needs SUPERSTEP_RECORDINGS)",
  () => {
    const pieces = readFileSync(recorded, "utf8")
      .split("\n")
      .filter((line) => line.startsWith("data: {"))
      .flatMap((line) => deltaCalls(JSON.parse(line.slice(6))));
    expect(finish(...pieces).tool_calls).toEqual([
      { type: "tool_call", id: "toolu_sanitized", name: "read_file", args: { path: "a.txt" } },
    ]);
  },
);

interface Delta {
  readonly index: number;
  readonly id?: string;
  readonly function: { readonly name?: string; readonly arguments: string };
}

function deltaCalls(event: unknown): Piece[] {
  const { choices } = event as { choices: { delta: { tool_calls?: Delta[] } }[] };
  return choices
    .flatMap(({ delta }) => delta.tool_calls ?? [])
    .map((call) => ({
      index: call.index,
      id: call.id,
      name: call.function.name,
      args: call.function.arguments,
    }));
}
