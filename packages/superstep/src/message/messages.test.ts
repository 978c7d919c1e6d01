import { describe, expect, test } from "vitest";
import { brandSymbol } from "../errors/brand.ts";
import {
  isAIMessage,
  isAIMessageChunk,
  isBaseMessage,
  isHumanMessage,
  isRemoveMessage,
  isSystemMessage,
  isToolMessage,
} from "./guards.ts";
import {
  AIMessage,
  AIMessageChunk,
  BaseMessage,
  copyWith,
  HumanMessage,
  RemoveMessage,
  SystemMessage,
  ToolMessage,
} from "./messages.ts";

const json = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe("the data of a message", () => {
  test("only fields of the wire that are there are own properties", () => {
    expect(Object.entries(new HumanMessage("hi"))).toEqual([
      ["type", "human"],
      ["content", "hi"],
    ]);
    expect(json(new SystemMessage({ content: "s", id: undefined, name: null }))).toEqual({
      type: "system",
      content: "s",
    });
    expect(json(new ToolMessage("result", "c1", "search"))).toEqual({
      type: "tool",
      content: "result",
      tool_call_id: "c1",
      name: "search",
    });
    expect(json(new RemoveMessage({ id: "m1" }))).toEqual({
      type: "remove",
      content: "",
      id: "m1",
    });
  });

  test("fields that are not there answer from the prototype", () => {
    const message = new AIMessage("hi");
    expect(message.tool_calls).toEqual([]);
    expect(message.invalid_tool_calls).toEqual([]);
    expect(message.additional_kwargs).toEqual({});
    expect(message.response_metadata).toEqual({});
    expect(message.usage_metadata).toBeUndefined();
    expect(() => (message.tool_calls as unknown[]).push(1)).toThrow(TypeError);
  });

  test("an instance is frozen to any depth and what was handed in stays free", () => {
    const content = [{ type: "text", text: "a", provider: { x: [1] } }];
    const artifact = { rows: [1] };
    const message = new ToolMessage({ content, tool_call_id: "c", artifact });
    content[0]!.text = "changed";
    artifact.rows.push(2);
    expect(message.content).toEqual([{ type: "text", text: "a", provider: { x: [1] } }]);
    expect(message.artifact).toEqual({ rows: [1] });
    expect(() => Object.assign(message, { content: "b" })).toThrow(TypeError);
    expect(() => (message.artifact as { rows: number[] }).rows.push(3)).toThrow(TypeError);
    expect(Object.isFrozen(message.content)).toBe(true);
  });

  test("an artifact that is a class instance passes by reference and null is a value", () => {
    const map = new Map([["a", 1]]);
    expect(new ToolMessage({ content: "", tool_call_id: "c", artifact: map }).artifact).toBe(map);
    expect(
      "artifact" in new ToolMessage({ content: "", tool_call_id: "c", artifact: null }).toJSON(),
    ).toBe(true);
  });

  test("a message that went through JSON makes an equal message", () => {
    const message = new AIMessage({
      content: [{ type: "text", text: "a" }, "b"],
      id: "m",
      tool_calls: [{ name: "f", args: { x: 1 } }],
      usage_metadata: { input_tokens: 1, output_tokens: 2, total_tokens: 3 },
    });
    expect(new AIMessage(json(message) as AIMessage)).toStrictEqual(message);
    expect(new AIMessage({ ...message.toJSON() })).toStrictEqual(message);
  });

  test("text joins all texts and contentBlocks adds the calls", () => {
    const message = new AIMessage({
      content: ["a", { type: "image", url: "u" }, { type: "text", text: "b" }],
      tool_calls: [{ name: "f", args: {}, id: "c" }],
    });
    expect(message.text).toBe("ab");
    expect(message.contentBlocks.map((block) => block.type)).toEqual([
      "text",
      "image",
      "text",
      "tool_call",
    ]);
    expect(new HumanMessage("").contentBlocks).toEqual([]);
  });

  test("a class that users derive may have fields of its own", () => {
    class Note extends HumanMessage {
      readonly mood = "good";
    }
    const note = new Note("hi");
    expect(note.mood).toBe("good");
    expect(note).toBeInstanceOf(HumanMessage);
    expect(new HumanMessage("hi")).not.toBeInstanceOf(Note);
  });

  test("copyWith keeps the class and shares the rest", () => {
    const message = new AIMessage({ content: "a", tool_calls: [{ name: "f", args: {} }] });
    const copy = copyWith(message, { id: "m", name: "agent" });
    expect(copy).toBeInstanceOf(AIMessage);
    expect(Object.isFrozen(copy)).toBe(true);
    expect(copy.tool_calls).toBe(message.tool_calls);
    expect([copy.id, copy.name, copy.getType()]).toEqual(["m", "agent", "ai"]);
  });

  test("MSG-06: text with output_version v1 becomes a text block", () => {
    const response_metadata = { output_version: "v1" };
    const message = new AIMessage({ content: "Hi there!", response_metadata });
    expect(message.content).toEqual([{ type: "text", text: "Hi there!" }]);
    expect(new AIMessage({ contentBlocks: [{ type: "text", text: "a" }] }).toJSON()).toEqual({
      type: "ai",
      content: [{ type: "text", text: "a" }],
      response_metadata,
    });
  });

  test.each([
    [() => new HumanMessage(3 as unknown as string), "fields: got 3"],
    [() => new HumanMessage({ content: 3 } as never), "a text or a list of blocks: got 3"],
    [() => new HumanMessage({ content: [{}] } as never), "Block 0 of a message's content"],
    [() => new HumanMessage({ content: "", id: 1 } as never), "id of a message is a text: got 1"],
    [() => new ToolMessage({ content: "" } as never), "tool_call_id of a message is a text"],
    [
      () => new ToolMessage({ content: "", tool_call_id: "c", status: "ok" } as never),
      '"success" or "error"',
    ],
    [() => new AIMessage({ tool_calls: {} } as never), "tool_calls of a message is a list"],
    [() => new AIMessage({ tool_calls: [null] } as never), "A tool call is"],
    [() => new RemoveMessage({} as never), "id of a message is a text"],
    [
      () => new AIMessage({ response_metadata: "x" } as never),
      "response_metadata of a message is an object",
    ],
  ])("a field of the wrong kind is refused (%#)", (make, text) => {
    expect(make).toThrow(
      expect.objectContaining({
        code: "INVALID_MESSAGE",
        message: expect.stringContaining(text) as string,
      }),
    );
  });
});

describe("tool calls of an AI message", () => {
  test("item 62: args are an object and a missing or empty id is minted", () => {
    const message = new AIMessage({
      tool_calls: [
        { name: "f", args: { a: 1 } },
        { name: "g", args: {}, id: "" },
      ],
    });
    const [first, second] = message.tool_calls;
    expect(first!.args).toEqual({ a: 1 });
    expect(first!.id).toMatch(/^call_\w{10,}$/);
    expect(second!.id).toMatch(/^call_\w{10,}$/);
    expect(first!.id).not.toBe(second!.id);
  });

  test("an id that occurs twice in one message is made unique", () => {
    const call = { name: "f", args: {}, id: "c" };
    const ids = new AIMessage({ tool_calls: [call, call, call] }).tool_calls.map(({ id }) => id);
    expect(ids).toEqual(["c", "c_2", "c_3"]);
  });

  test("item 43: raw calls in additional_kwargs are parsed and stay there", () => {
    const raw = { id: "c", type: "function", function: { name: "f", arguments: '{"a":1}' } };
    const message = new AIMessage({ content: "", additional_kwargs: { tool_calls: [raw] } });
    expect(message.tool_calls).toEqual([{ name: "f", args: { a: 1 }, id: "c", type: "tool_call" }]);
    expect(message.additional_kwargs["tool_calls"]).toEqual([raw]);
    expect(
      new AIMessage({ tool_calls: [], additional_kwargs: { tool_calls: [raw] } }).tool_calls,
    ).toEqual([]);
  });

  test("calls among standard blocks are the message's calls", () => {
    const block = { type: "tool_call", id: "c", name: "f", args: {} };
    const message = new AIMessage({ contentBlocks: [block] });
    expect(message.tool_calls).toEqual([block]);
    expect(message.contentBlocks).toEqual([block]);
  });

  test("provider data stays on its call", () => {
    const provider = { google: { signature: "s" } };
    const message = new AIMessage({ tool_calls: [{ name: "f", args: {}, id: "c", provider }] });
    expect(message.tool_calls[0]!.provider).toEqual(provider);
  });

  test("invalid calls get an id, so that they can be answered", () => {
    const { invalid_tool_calls } = new AIMessage({
      tool_calls: [{ name: "f", args: {}, id: "c" }],
      invalid_tool_calls: [
        { id: undefined, name: "g", args: "{", error: "Malformed args." },
        { id: "c", name: "g", args: "{", error: "cut" },
      ],
    });
    expect(invalid_tool_calls[0]!.id).toMatch(/^call_/);
    expect(invalid_tool_calls[1]).toEqual({
      id: "c_2",
      name: "g",
      args: "{",
      error: "cut",
      type: "invalid_tool_call",
    });
  });
});

describe("guards", () => {
  const samples = [
    [new HumanMessage("a"), isHumanMessage, HumanMessage],
    [new SystemMessage("a"), isSystemMessage, SystemMessage],
    [new AIMessage("a"), isAIMessage, AIMessage],
    [new ToolMessage("a", "c"), isToolMessage, ToolMessage],
    [new RemoveMessage({ id: "m" }), isRemoveMessage, RemoveMessage],
  ] as const;

  test("each takes its own type, as an instance and as plain data, and no other", () => {
    for (const [message, guard, constructor] of samples) {
      expect(constructor.isInstance(json(message))).toBe(true);
      for (const [other] of samples) {
        expect(guard(other)).toBe(other === message);
        expect(guard(json(other))).toBe(other === message);
        expect(other instanceof constructor).toBe(other === message);
      }
      expect(isBaseMessage(json(message))).toBe(true);
      expect(message).toBeInstanceOf(BaseMessage);
    }
  });

  test("what is no message is none", () => {
    for (const value of [undefined, null, "a", 1, {}, [], { type: "human" }, { content: "a" }]) {
      expect(isBaseMessage(value)).toBe(false);
      expect(value instanceof BaseMessage).toBe(false);
    }
    expect(isToolMessage({ type: "tool", content: "a" })).toBe(false);
  });

  test("a piece of a stream is an AI message too", () => {
    const chunk = new AIMessageChunk("a");
    expect(chunk).toBeInstanceOf(AIMessage);
    expect(isAIMessage(chunk) && isAIMessageChunk(chunk)).toBe(true);
    expect(isAIMessageChunk(new AIMessage("a"))).toBe(false);
    expect(AIMessageChunk.isInstance(new AIMessage("a"))).toBe(false);
    expect(new AIMessage("a")).not.toBeInstanceOf(AIMessageChunk);
  });

  test("ENV-02: messages of another copy of the package are recognised", () => {
    class OtherCopy {
      readonly type = "tool";
      readonly content = "a";
      readonly tool_call_id = "c";
    }
    for (const name of ["message", "ToolMessage"]) {
      Object.defineProperty(OtherCopy.prototype, brandSymbol(name), { value: true });
    }
    const other = new OtherCopy();
    expect(isToolMessage(other)).toBe(true);
    expect(other).toBeInstanceOf(ToolMessage);
    expect(other).not.toBeInstanceOf(AIMessage);
  });
});
