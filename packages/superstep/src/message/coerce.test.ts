import { describe, expect, test } from "vitest";
import { coerceMessage, coerceMessages } from "./coerce.ts";
import { AIMessage, AIMessageChunk, HumanMessage, type ToolMessage } from "./messages.ts";

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe("item 58: the forms of a message", () => {
  test.each([
    ["hi", { type: "human", content: "hi" }],
    [["human", "hi"], { type: "human", content: "hi" }],
    [["user", "hi"], { type: "human", content: "hi" }],
    [["assistant", "hi"], { type: "ai", content: "hi" }],
    [["ai", [{ type: "text", text: "a" }]], { type: "ai", content: [{ type: "text", text: "a" }] }],
    [["system", "hi"], { type: "system", content: "hi" }],
    [
      { role: "user", content: "hi", name: "bob", id: "m" },
      { name: "bob", id: "m" },
    ],
    [
      ["developer", "hi"],
      { type: "system", content: "hi", additional_kwargs: { __openai_role__: "developer" } },
    ],
    [
      { role: "developer", content: "hi", additional_kwargs: { a: 1 } },
      { type: "system", additional_kwargs: { a: 1, __openai_role__: "developer" } },
    ],
    [
      { role: "tool", content: "r", tool_call_id: "c", name: "f" },
      { type: "tool", tool_call_id: "c", name: "f" },
    ],
    [
      { type: "human", content: "hi", example: false },
      { type: "human", content: "hi" },
    ],
    [
      { type: "message", role: "user", content: "hi" },
      { type: "human", content: "hi" },
    ],
    [
      { type: "remove", content: "", id: "m" },
      { type: "remove", id: "m" },
    ],
    [
      { type: "human", data: { content: "stored", id: "m" } },
      { content: "stored", id: "m" },
    ],
    [
      { role: "user", content: "hi", locale: "de", nothing: null },
      { type: "human", content: "hi", additional_kwargs: { locale: "de" } },
    ],
    [
      { type: "ai", content: "a", id: null, name: null, usage_metadata: null, tool_calls: [] },
      { type: "ai", content: "a" },
    ],
  ])("%j", (input, expected) => {
    expect(plain(coerceMessage(input))).toMatchObject(expected);
  });

  test("item 44: OpenAI's tool calls are parsed and bad JSON becomes an invalid call", () => {
    const message = coerceMessage({
      role: "assistant",
      content: null,
      tool_calls: [
        { id: "a", type: "function", function: { name: "f", arguments: '{"x":1}' } },
        { id: "b", type: "function", function: { name: "g", arguments: '{"x":' } },
      ],
    });
    expect(plain(message)).toEqual({
      type: "ai",
      content: "",
      tool_calls: [{ type: "tool_call", id: "a", name: "f", args: { x: 1 } }],
      invalid_tool_calls: [
        { type: "invalid_tool_call", id: "b", name: "g", args: '{"x":', error: "Malformed args." },
      ],
    });
  });

  test("a serialised LangChain message is read as data", () => {
    const message = coerceMessage({
      lc: 1,
      type: "constructor",
      id: ["langchain_core", "messages", "AIMessageChunk"],
      kwargs: {
        content: "a",
        tool_call_chunks: [{ type: "tool_call_chunk", id: "c", index: 0, name: "f", args: "{}" }],
      },
    });
    expect(message).toBeInstanceOf(AIMessage);
    expect(message).not.toBeInstanceOf(AIMessageChunk);
    expect(plain(message)).toMatchObject({ tool_calls: [{ id: "c", name: "f", args: {} }] });
    expect(() =>
      coerceMessage({ lc: 1, type: "constructor", id: ["x", "OpenAI"], kwargs: {} }),
    ).toThrow(expect.objectContaining({ code: "INVALID_MESSAGE" }));
  });

  test("an instance of LangChain is read by its fields, getters included", () => {
    class ForeignAI {
      lc_kwargs = {};
      content = "a";
      additional_kwargs = {};
      get tool_calls(): object[] {
        return [{ name: "f", args: { a: 1 }, id: "c", type: "tool_call" }];
      }
      _getType(): string {
        return "ai";
      }
    }
    expect(plain(coerceMessage(new ForeignAI()))).toEqual({
      type: "ai",
      content: "a",
      additional_kwargs: {},
      tool_calls: [{ name: "f", args: { a: 1 }, id: "c", type: "tool_call" }],
    });
    const generic = { content: "a", role: "developer", getType: () => "generic" };
    expect(coerceMessage(generic).type).toBe("system");
    expect(() => coerceMessage({ content: "a", getType: () => "function" })).toThrow(
      "unknown type",
    );
  });

  test("our instances come back as they are, and a piece of a stream is finished", () => {
    const message = new HumanMessage("hi");
    expect(coerceMessages([message])[0]).toBe(message);
    const piece = { type: "tool_call_chunk", id: "c", name: "f", args: '{"a":1}' } as const;
    const chunk = new AIMessageChunk({ content: "a", id: "m", tool_call_chunks: [piece] });
    const whole = coerceMessage(chunk);
    expect(whole).not.toBeInstanceOf(AIMessageChunk);
    expect(plain(whole)).toEqual({
      type: "ai",
      content: "a",
      id: "m",
      tool_calls: [{ type: "tool_call", id: "c", name: "f", args: { a: 1 } }],
    });
    expect(coerceMessage(plain(chunk))).toStrictEqual(whole);
  });

  test("one message is a list of one, and an array at the top is always the list", () => {
    expect(coerceMessages("hi")).toEqual([new HumanMessage("hi")]);
    expect(coerceMessages(["system", "hi"]).map(({ type }) => type)).toEqual(["human", "human"]);
  });

  test("POA-05: a minted id is used in the call and in the result", () => {
    const [call, first, second] = coerceMessages([
      { role: "assistant", tool_calls: [raw("f"), raw("g")] },
      { role: "tool", content: "1", tool_call_id: "" },
      { role: "tool", content: "2", tool_call_id: "" },
    ]) as [AIMessage, ToolMessage, ToolMessage];
    expect(call.tool_calls.map(({ id }) => id)).toEqual([first.tool_call_id, second.tool_call_id]);
    expect(first.tool_call_id).not.toBe("");
  });
});

function raw(name: string): object {
  return { id: "", type: "function", function: { name, arguments: "{}" } };
}

test.each([
  [3, "No message: got 3"],
  [null, "No message: got null"],
  [undefined, "No message: got undefined"],
  [{}, "An object without a role or type"],
  [{ role: "robot", content: "x" }, 'An unknown role: got "robot"'],
  [["robot", "x"], "A message as a list is [role, content]"],
  [["user", "x", "y"], "A message as a list is [role, content]"],
  [{ role: "user" }, "The content of a message of type human"],
  [{ role: "user", content: [3] }, "Block 0 of a message's content has no type: got 3"],
  [{ role: "tool", content: "x" }, "tool_call_id of a message is a text"],
  [{ type: "remove", content: "" }, "id of a message is a text"],
])("what is no message is refused by index, with what it is: %j", (bad, text) => {
  expect(() => coerceMessages(["ok", bad])).toThrow(
    expect.objectContaining({
      code: "INVALID_MESSAGE",
      message: expect.stringContaining(`Message at index 1: ${text}`) as string,
      fix: expect.stringContaining("[role, content]") as string,
    }),
  );
});
