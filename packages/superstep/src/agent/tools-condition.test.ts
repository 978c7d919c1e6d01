import { expect, test } from "vitest";
import { END } from "../engine/command.ts";
import { AIMessage, HumanMessage, ToolMessage } from "../message/messages.ts";
import { toolsCondition } from "./tools-condition.ts";

const calling = new AIMessage({ content: "", tool_calls: [{ id: "1", name: "a", args: {} }] });

test("an answer that calls tools leads to the tools", () => {
  expect(toolsCondition({ messages: [calling] })).toBe("tools");
  expect(toolsCondition([new HumanMessage("hi"), calling])).toBe("tools");
  expect(toolsCondition([JSON.parse(JSON.stringify(calling))])).toBe("tools");
  expect(
    toolsCondition([
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "1", type: "function", function: { name: "a", arguments: "{}" } }],
      },
    ]),
  ).toBe("tools");
});

test("item 50: anything else leads to the end", () => {
  expect(toolsCondition([new AIMessage("done")])).toBe(END);
  expect(toolsCondition([calling, new ToolMessage({ content: "x", tool_call_id: "1" })])).toBe(END);
  expect(toolsCondition([new HumanMessage("hi")])).toBe(END);
  expect(toolsCondition({ messages: [] })).toBe(END);
});

test("G8: a call that does not parse leads to the tools too, where it is answered", () => {
  const invalid = new AIMessage({
    content: "",
    invalid_tool_calls: [{ id: "1", name: "a", args: "{", error: "Malformed args." }],
  });
  expect(toolsCondition([invalid])).toBe("tools");
});

test("without messages it says so", () => {
  expect(() => toolsCondition({} as { messages: [] })).toThrow(
    expect.objectContaining({ code: "INVALID_INPUT" }),
  );
});
