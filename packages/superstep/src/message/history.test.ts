import { describe, expect, test } from "vitest";
import { findOrphans, pendingToolCalls, repairHistory, validateChatHistory } from "./history.ts";
import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  RemoveMessage,
  ToolMessage,
} from "./messages.ts";
import { addMessages } from "./reducer.ts";
import type { MessageData } from "./types.ts";

const ai = (...ids: readonly string[]): AIMessage =>
  new AIMessage({
    id: `ai-${ids.join()}`,
    tool_calls: ids.map((id) => ({ id, name: "f", args: {} })),
  });
const result = (id: string, message?: string): ToolMessage =>
  new ToolMessage({ content: "r", tool_call_id: id, ...(message && { id: message }) });
const user = new HumanMessage({ content: "hi", id: "user" });
const json = (messages: readonly BaseMessage[]): MessageData[] =>
  JSON.parse(JSON.stringify(messages)) as MessageData[];

describe("item 19: the history of a chat", () => {
  test("a complete one passes, wherever after the call the result stands", () => {
    validateChatHistory([]);
    validateChatHistory([user, ai("a", "b"), result("b"), result("a"), new AIMessage("done")]);
    validateChatHistory([ai("a"), user, result("a")]);
    validateChatHistory(json([ai("a"), result("a")]));
  });

  test("item 95: the text names the first three orphans and says why", () => {
    const args = { q: "x" };
    const call = (id: string): object => ({ name: "search", args, id, type: "tool_call" });
    const message = new AIMessage({
      tool_calls: ["a", "b", "c", "d"].map((id) => ({ name: "search", args, id })),
    });
    expect(() => validateChatHistory([user, message])).toThrow(
      expect.objectContaining({
        code: "INVALID_CHAT_HISTORY",
        message:
          "Found AIMessages with tool_calls that do not have a corresponding ToolMessage. Here are " +
          `the first few of those tool calls: ${JSON.stringify([call("a"), call("b"), call("c")])}.` +
          "\n\nEvery tool call (LLM requesting to call a tool) in the message history MUST have a " +
          "corresponding ToolMessage (result of a tool invocation to return to the LLM) - this is " +
          "required by most LLM providers.",
        docs: "docs/errors.md#invalid_chat_history",
      }),
    );
  });

  test("a result without a call, or a second result, is refused too", () => {
    const refused = expect.objectContaining({
      code: "INVALID_CHAT_HISTORY",
      message: expect.stringMatching(/^Found ToolMessages .*"tool_call_id":"a"/) as string,
    });
    expect(() => validateChatHistory([result("a")])).toThrow(refused);
    expect(() => validateChatHistory([ai("a"), result("a"), result("a")])).toThrow(refused);
    expect(() => validateChatHistory([result("a"), ai("a")])).toThrow("Found AIMessages");
  });

  test("an id that is used again needs a result again", () => {
    validateChatHistory([ai("a"), result("a"), ai("a"), result("a")]);
    expect(() => validateChatHistory([ai("a"), result("a"), ai("a")])).toThrow("Found AIMessages");
    const { calls } = findOrphans([ai("a"), ai("a"), result("a")]);
    expect(calls.map(({ position }) => position)).toEqual([0]);
  });

  test("a call that could not be executed may have a result and needs none", () => {
    const broken = new AIMessage({
      invalid_tool_calls: [{ id: "x", name: "f", args: "{", error: "Malformed args." }],
    });
    validateChatHistory([broken, user]);
    validateChatHistory([broken, result("x"), user]);
    const list = addMessages([], [broken]);
    validateChatHistory(list);
    validateChatHistory(addMessages(list, result("x")));
  });

  test("arguments that are no JSON do not hide the error", () => {
    const message = new AIMessage({ tool_calls: [{ name: "f", args: { n: 1n }, id: "a" }] });
    expect(() => validateChatHistory([message])).toThrow("Found AIMessages with tool_calls");
  });

  test("item 78: a result that is removed later is missed although the history was checked", () => {
    let list = addMessages([], [user, ai("a"), result("a", "r")]);
    validateChatHistory(list);
    list = addMessages(list, new RemoveMessage({ id: "r" }));
    expect(() => validateChatHistory(list)).toThrow("Found AIMessages");
    const replaced = addMessages(addMessages([], [user, ai("a"), result("a", "r")]), [
      new ToolMessage({ content: "r", tool_call_id: "other", id: "r" }),
    ]);
    expect(() => validateChatHistory(replaced)).toThrow("Found AIMessages");
  });

  test("checking a history that grew costs what it grew by", () => {
    const turn = (n: number): BaseMessage[] => [ai(`c${n}`), result(`c${n}`, `r${n}`)];
    let list = addMessages([], Array.from({ length: 1500 }, (_, n) => turn(n)).flat());
    const least = (body: (n: number) => void): number => {
      let best = Number.POSITIVE_INFINITY;
      for (let n = 0; n < 50; n++) {
        const start = performance.now();
        body(n);
        best = Math.min(best, performance.now() - start);
      }
      return best;
    };
    const full = least(() => {
      findOrphans(list);
    });
    validateChatHistory(list);
    for (let n = 0; n < 50; n++) {
      list = addMessages(list, turn(2000 + n));
      validateChatHistory(list);
    }
    const grown = least(() => {
      validateChatHistory(list);
    });
    expect(grown).toBeLessThan(full / 10);
    expect(() => validateChatHistory(addMessages(list, ai("open")))).toThrow("Found AIMessages");
  });
});

describe("G5: repair", () => {
  test("a history in order comes back as it is", () => {
    const list = [user, ai("a"), result("a")];
    expect(repairHistory(list)).toEqual({ messages: list, answered: [], dropped: [] });
    expect(repairHistory(list).messages).toBe(list);
  });

  test("calls without a result are answered after the results that are there", () => {
    const list: MessageData[] = [user, ai("a", "b", "c"), result("b"), user, ai("d")];
    const { messages, answered, dropped } = repairHistory(list);
    expect(messages.map((message) => message.tool_call_id ?? message.type)).toEqual([
      "human",
      "ai",
      "b",
      "a",
      "c",
      "human",
      "ai",
      "d",
    ]);
    expect(answered.map(({ tool_call_id }) => tool_call_id)).toEqual(["a", "c", "d"]);
    expect(answered[0]!.toJSON()).toMatchObject({
      type: "tool",
      name: "f",
      status: "error",
      content:
        "Tool call f with id a was cancelled - another message came in before it could be completed.",
    });
    expect(dropped).toEqual([]);
    validateChatHistory(messages);
    expect(repairHistory(messages).messages).toBe(messages);
    expect(repairHistory(list).answered).toEqual(answered);
  });

  test("ENV-02: results without a call are left out, also of plain data", () => {
    const list = json([result("x"), user, ai("a"), result("a"), result("a")]);
    const { messages, dropped } = repairHistory(list);
    expect(messages).toEqual([list[1], list[2], list[3]]);
    expect(dropped).toEqual([list[0], list[4]]);
    expect(list).toHaveLength(5);
  });

  test("the repaired history can be written back", () => {
    const list = addMessages([], [user, ai("a"), user.text]);
    const { messages } = repairHistory(list);
    const stored = addMessages(list, [
      new RemoveMessage({ id: "__remove_all__" }),
      ...(messages as BaseMessage[]),
    ]);
    expect(stored).toEqual(messages);
  });
});

describe("item 46: the counts of the decision", () => {
  test("calls of the last AI message, those answered after it, and the rest", () => {
    const last = ai("b", "c");
    const before = [user, ai("a"), result("a"), last];
    const counts = (list: readonly BaseMessage[]): (number | string)[] => {
      const { calls, answered, pending, pendingCalls } = pendingToolCalls(list);
      return [calls, answered, pending, pendingCalls.map(({ id }) => id).join()];
    };
    expect(counts(before)).toEqual([2, 0, 2, "b,c"]);
    expect(counts([...before, result("c")])).toEqual([2, 1, 1, "b"]);
    expect(counts([...before, result("c"), result("b")])).toEqual([2, 2, 0, ""]);
    expect(pendingToolCalls(before).message).toBe(last);
  });

  test("without calls, or without an answer of the model, nothing is pending", () => {
    const none = { calls: 0, answered: 0, pending: 0, pendingCalls: [] };
    expect(pendingToolCalls([user])).toEqual({ ...none, message: undefined });
    const done = new AIMessage("done");
    expect(pendingToolCalls([user, ai("a"), result("a"), done])).toEqual({
      ...none,
      message: done,
    });
    expect(pendingToolCalls(json([ai("a")])).pending).toBe(1);
  });
});
