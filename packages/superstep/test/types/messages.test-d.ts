import { describe, expectTypeOf, test } from "vitest";
import { concatChunks } from "../../src/message/chunks.ts";
import { coerceMessages, type MessagesInput } from "../../src/message/coerce.ts";
import {
  isAIMessage,
  isAIMessageChunk,
  isHumanMessage,
  isToolMessage,
} from "../../src/message/guards.ts";
import { pendingToolCalls, repairHistory } from "../../src/message/history.ts";
import {
  AIMessage,
  type AIMessageChunk,
  BaseMessage,
  HumanMessage,
  RemoveMessage,
  ToolMessage,
} from "../../src/message/messages.ts";
import { addMessages, messagesStateReducer } from "../../src/message/reducer.ts";
import type { AIMessageData, MessageData, ToolCall } from "../../src/message/types.ts";
import { Annotation } from "superstep";

declare const message: BaseMessage;
declare const piece: HumanMessage | AIMessageChunk;
declare const anything: unknown;

describe("messages", () => {
  test("the type tells them apart", () => {
    if (message.type === "tool") expectTypeOf(message).toEqualTypeOf<ToolMessage>();
    if (message.type === "ai")
      expectTypeOf(message.tool_calls).toEqualTypeOf<readonly ToolCall[]>();
    expectTypeOf(new HumanMessage("hi").getType()).toEqualTypeOf<"human">();
    expectTypeOf(message.getType()).toEqualTypeOf<"human" | "ai" | "system" | "tool" | "remove">();
  });

  test("guards narrow a message to its class and anything else to its data", () => {
    if (isAIMessage(message)) expectTypeOf(message).toEqualTypeOf<AIMessage>();
    else expectTypeOf(message.type).toEqualTypeOf<"human" | "system" | "tool" | "remove">();
    if (isHumanMessage(message)) expectTypeOf(message).toEqualTypeOf<HumanMessage>();
    if (isAIMessage(anything)) expectTypeOf(anything).toEqualTypeOf<AIMessageData>();
    if (isToolMessage(anything)) expectTypeOf(anything.tool_call_id).toEqualTypeOf<string>();
    if (ToolMessage.isInstance(message)) expectTypeOf(message).toEqualTypeOf<ToolMessage>();
    if (anything instanceof AIMessage) expectTypeOf(anything.tool_calls).not.toBeAny();
    if (anything instanceof BaseMessage) expectTypeOf(anything.text).toEqualTypeOf<string>();
    if (isAIMessageChunk(piece)) expectTypeOf(piece).toEqualTypeOf<AIMessageChunk>();
  });

  test("every message is message data", () => {
    expectTypeOf<BaseMessage>().toExtend<MessageData>();
    expectTypeOf<AIMessageChunk>().toExtend<AIMessage>();
    expectTypeOf(new AIMessage("a").toJSON().type).toEqualTypeOf<"ai">();
    expectTypeOf(concatChunks([]).toMessage()).toEqualTypeOf<AIMessage>();
  });

  test("constructors take LangChain's forms and no others", () => {
    void new AIMessage({ content: "a", tool_calls: [{ name: "f", args: { a: 1 } }] });
    void new AIMessage({ ...new AIMessage("a").toJSON(), name: "agent" });
    void new AIMessage({ contentBlocks: [{ type: "text", text: "a" }] });
    void new ToolMessage("text", "call");
    void new ToolMessage({ content: "a", tool_call_id: "c", status: "error", artifact: 3 });
    void new HumanMessage([{ type: "text", text: "a" }]);
    void new RemoveMessage({ id: "m" });
    // @ts-expect-error a tool message answers a call
    void new ToolMessage({ content: "a" });
    // @ts-expect-error args are an object
    void new AIMessage({ tool_calls: [{ name: "f", args: "{}" }] });
    // @ts-expect-error content is a text or blocks
    void new HumanMessage({ content: 3 });
    // @ts-expect-error messages are immutable
    new HumanMessage("a").content = "b";
  });

  test("input of messages", () => {
    expectTypeOf<string>().toExtend<MessagesInput>();
    expectTypeOf<BaseMessage[]>().toExtend<MessagesInput>();
    expectTypeOf<MessageData[]>().toExtend<MessagesInput>();
    expectTypeOf<{ role: string; content: string }[]>().toExtend<MessagesInput>();
    expectTypeOf<[string, string][]>().toExtend<MessagesInput>();
    expectTypeOf<number>().not.toExtend<MessagesInput>();
    expectTypeOf(coerceMessages("hi")).toEqualTypeOf<BaseMessage[]>();
    void addMessages([], [["user", "hi"], { role: "assistant", content: null }, "x"]);
  });

  test("the reducer fits a state key", () => {
    const State = Annotation.Root({
      messages: Annotation<BaseMessage[], MessagesInput>({
        reducer: messagesStateReducer,
        default: () => [],
      }),
      plain: Annotation<BaseMessage[]>({ reducer: addMessages, default: () => [] }),
    });
    expectTypeOf<(typeof State.State)["messages"]>().toEqualTypeOf<BaseMessage[]>();
    expectTypeOf<(typeof State.Update)["plain"]>().toEqualTypeOf<BaseMessage[] | undefined>();
  });

  test("history keeps the kind of its messages", () => {
    const list: BaseMessage[] = [];
    expectTypeOf(repairHistory(list).messages).toEqualTypeOf<readonly BaseMessage[]>();
    expectTypeOf(pendingToolCalls(list).pendingCalls).toEqualTypeOf<readonly ToolCall[]>();
  });
});
