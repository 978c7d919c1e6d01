import { anthropic } from "@ai-sdk/anthropic";
import { deepseek } from "@ai-sdk/deepseek";
import { google } from "@ai-sdk/google";
import { openai } from "@ai-sdk/openai";
import { describe, expectTypeOf, test } from "vitest";
import { fromAiSdk, initChatModel } from "superstep/models";
import { FakeChatModel } from "superstep/testing";
import type { AIMessage, AIMessageChunk } from "../../src/message/messages.ts";
import type { ChatModel, ToolDefinition } from "../../src/model/types.ts";

const tool = {
  type: "function",
  function: { name: "f", parameters: { type: "object" } },
} satisfies ToolDefinition;

describe("models", () => {
  test("any model of a provider package fits, without a cast", () => {
    expectTypeOf(fromAiSdk(openai("gpt-5"))).toExtend<ChatModel>();
    expectTypeOf(fromAiSdk(openai.chat("gpt-5"))).toExtend<ChatModel>();
    expectTypeOf(fromAiSdk(anthropic("claude-sonnet-4-5"))).toExtend<ChatModel>();
    expectTypeOf(fromAiSdk(google("gemini-3-pro-preview"))).toExtend<ChatModel>();
    expectTypeOf(fromAiSdk(deepseek("deepseek-chat"))).toExtend<ChatModel>();
    // @ts-expect-error -- a name is no model
    fromAiSdk("gpt-5");
  });

  test("answers are messages, and pieces of them", async () => {
    const model = await initChatModel("gpt-5", { temperature: 0 });
    expectTypeOf(await model.invoke("hi")).toEqualTypeOf<AIMessage>();
    for await (const piece of model.stream([["user", "hi"]])) {
      expectTypeOf(piece).toEqualTypeOf<AIMessageChunk>();
    }
    expectTypeOf(model.bindTools([tool]).bind({ seed: 1 }).invoke).toBeCallableWith("hi");
  });

  test("provider packages' own tools are bound as they are", () => {
    const model = fromAiSdk(anthropic("claude-sonnet-4-5"));
    model.bindTools([anthropic.tools.webSearch_20250305({ maxUses: 1 }), tool]);
    model.bindTools([{ type: "web_search_20250305", name: "web_search" }]);
    // @ts-expect-error -- an unknown option
    void model.invoke("hi", { temprature: 0 });
    // @ts-expect-error -- a number
    model.bind({ temperature: "low" });
  });
});

describe("the scripted model", () => {
  test("is a model, and its copies are scripted models too", () => {
    const model = new FakeChatModel({
      responses: ["a", { role: "assistant", content: "b" }, new Error("c"), () => "d"],
    });
    expectTypeOf(model).toExtend<ChatModel>();
    expectTypeOf(model.bindTools([tool])).toEqualTypeOf<FakeChatModel>();
    expectTypeOf(model.bind({}).withConfig({})).toEqualTypeOf<FakeChatModel>();
    // @ts-expect-error -- a number is no answer
    void new FakeChatModel({ responses: [1] });
  });
});
