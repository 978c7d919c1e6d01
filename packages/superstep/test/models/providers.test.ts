// Streams in the formats of the providers, over HTTP, through the provider packages.
import { describe, expect, test } from "vitest";
import { AIMessage, HumanMessage, ToolMessage } from "../../src/message/messages.ts";
import { startModelServer } from "superstep/testing";
import { bodyOf, modelAt, play, recording, tools } from "./wire.ts";
import { watchWarnings } from "./warnings.ts";

const warnings = watchWarnings();

describe("chat completions", () => {
  test("POA-01: calls are told apart by id, then index, whatever the indexes", async () => {
    const { message } = await play(recording("chat-odd-indexes"), "openai-chat");
    expect(message?.tool_calls).toEqual([
      { type: "tool_call", id: "call_a", name: "first", args: { n: 1 } },
      { type: "tool_call", id: "call_b", name: "second", args: { m: 2 } },
    ]);
  });

  test("POA-03: a name may come after the id and the arguments", async () => {
    const { message } = await play(recording("chat-late-name"), "openai-chat");
    expect(message?.tool_calls).toEqual([
      { type: "tool_call", id: "call_a", name: "late", args: { n: 10 } },
    ]);
  });

  test("POA-05: an empty id is no id: one is minted, and used for the call and its result", async () => {
    const { message } = await play(recording("chat-empty-ids"), "openai-chat");
    const ids = message!.tool_calls.map((call) => call.id);
    expect(ids.every((id) => id !== "")).toBe(true);
    expect(new Set(ids).size).toBe(2);
    await using server = await startModelServer({ replies: ["done"] });
    const model = await modelAt(server, "openai-chat");
    await model.invoke([
      new HumanMessage("hi"),
      message!,
      ...ids.map((id) => new ToolMessage({ content: "r", tool_call_id: id })),
    ]);
    const { messages } = bodyOf(server);
    expect((messages[1]!["tool_calls"] as { id: string }[]).map((call) => call.id)).toEqual(ids);
    expect(messages.slice(2).map((each) => each["tool_call_id"])).toEqual(ids);
  });

  test("POA-06 and POA-15: events without choices or delta are passed over; usage may come early", async () => {
    const { message, error } = await play(recording("chat-azure-usage-early"), "openai-chat");
    expect(error).toBeUndefined();
    expect(message?.content).toBe("Hello");
    expect(message?.usage_metadata).toMatchObject({
      input_tokens: 17,
      output_tokens: 4,
      total_tokens: 21,
    });
  });

  test("reasoning is kept apart from the text", async () => {
    const { message } = await play(recording("chat-reasoning"), "openai-chat");
    expect(message?.text).toBe("Four.");
    expect(message?.content).toEqual([
      { type: "reasoning", reasoning: "Let me think.", provider: { "openai-compatible": {} } },
      { type: "text", text: "Four." },
    ]);
    expect(message?.usage_metadata?.output_token_details).toEqual({ reasoning: 6 });
  });

  test("TOO-07: a cut answer runs no tools", async () => {
    const { error, message } = await play(recording("chat-cut"), "openai-chat");
    expect(error).toMatchObject({ code: "INCOMPLETE_RESPONSE", finishReason: "length" });
    expect((error as { partial: AIMessage }).partial.tool_calls).toEqual([]);
    expect(message?.text).toBe("so");
  });

  test("an answer without a reason for its end is an error", async () => {
    const { error } = await play(recording("chat-no-reason"), "openai-chat");
    expect(error).toMatchObject({ code: expect.stringMatching(/MODEL_ERROR|INCOMPLETE_RESPONSE/) });
  });

  test("an error within the stream rejects once and is not tried again", async () => {
    const { error, requests } = await play(recording("chat-error"), "openai-chat");
    expect(error).toMatchObject({ code: "MODEL_ERROR", retryable: true });
    expect(requests).toHaveLength(1);
  });

  test("a line that lacks a bracket is closed, one that is no JSON passed over; both are reported", async () => {
    const { message, error } = await play(recording("chat-bad-lines"), "openai-chat");
    expect(error).toBeUndefined();
    expect(message?.text).toBe("fine and well");
    const said = (await warnings()).join("\n");
    expect(said).toMatch(/lacked its last brackets/);
    expect(said).toMatch(/cannot be read/);
  });

  test("a connection that breaks is an error", async () => {
    const { error } = await play({ text: "one two three", breakAfter: 2 }, "openai-chat");
    expect(error).toMatchObject({ code: "MODEL_ERROR" });
  });

  test.for([
    [401, false],
    [429, true],
    [500, true],
  ] as const)(
    "status %i rejects once, as an error that tells what to do",
    async ([status, retryable]) => {
      await using server = await startModelServer({
        replies: [
          { status, json: { error: { message: "no" } }, headers: { "retry-after": "3" } },
          "unused",
        ],
      });
      const model = await modelAt(server, "openai-chat");
      await expect(model.invoke("hi")).rejects.toMatchObject({
        code: "MODEL_ERROR",
        status,
        retryable,
        retryAfterMs: 3000,
      });
      expect(server.requests).toHaveLength(1);
    },
  );

  test("POA-21: an overflow of the context is one", async () => {
    const json = { error: { message: "This model's maximum context length is 65536 tokens." } };
    await using server = await startModelServer({ replies: [{ status: 400, json }] });
    const model = await modelAt(server, "openai-chat");
    await expect(model.invoke("hi")).rejects.toMatchObject({ code: "CONTEXT_OVERFLOW" });
  });

  test("item 42: the request has its tools in a field of their own", async () => {
    await using server = await startModelServer({ replies: ["Hello"] });
    const model = await modelAt(server, "openai-chat");
    await model.bindTools(tools.slice(0, 1), { tool_choice: "any" }).invoke("hi");
    expect(server.requests[0]?.body).toEqual({
      model: "small",
      messages: [{ role: "user", content: "hi" }],
      tools: [
        {
          type: "function",
          function: {
            name: "cityAttractions",
            description: "cityAttractions",
            parameters: { type: "object", properties: {} },
          },
        },
      ],
      tool_choice: "required",
    });
  });

  test("item 43: a call without text has its raw form too", async () => {
    const call = { name: "send_email", args: { to: "zhangsan@example.com" }, id: "call_1" };
    const { message } = await play({ tool_calls: [call] }, "openai-chat");
    expect(message?.content).toBe("");
    expect(message?.tool_calls).toEqual([{ ...call, type: "tool_call" }]);
    expect(message?.additional_kwargs).toEqual({
      tool_calls: [
        {
          id: "call_1",
          type: "function",
          function: { name: "send_email", arguments: '{"to":"zhangsan@example.com"}' },
        },
      ],
    });
  });

  test("POA-10 and POA-20: text and calls are sent, foreign blocks are not", async () => {
    await using server = await startModelServer({ replies: ["Hello"] });
    const model = await modelAt(server, "openai-chat");
    await model.invoke([
      new HumanMessage("hi"),
      new AIMessage({
        content: [
          { type: "reasoning", reasoning: "hm", provider: { anthropic: { signature: "s" } } },
          { type: "text", text: "I will look" },
          { type: "tool_use", id: "c", name: "f", input: {} },
        ],
        tool_calls: [{ id: "c", name: "f", args: { a: 1 } }],
      }),
      new ToolMessage({ content: "r", tool_call_id: "c" }),
    ]);
    expect(bodyOf(server).messages).toEqual([
      { role: "user", content: "hi" },
      {
        role: "assistant",
        content: "I will look",
        tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: '{"a":1}' } }],
      },
      { role: "tool", tool_call_id: "c", content: "r" },
    ]);
  });

  test("an abort ends a request that is on its way", async () => {
    await using server = await startModelServer({
      replies: () => ({ text: "one two", delayMs: 60_000 }),
    });
    const model = await modelAt(server, "openai-chat");
    const signal = (): AbortSignal => AbortSignal.timeout(20);
    const timeout = { name: "TimeoutError" };
    await expect(model.invoke("hi", { signal: signal() })).rejects.toMatchObject(timeout);
    await expect(
      model.stream("hi", { signal: signal() })[Symbol.asyncIterator]().next(),
    ).rejects.toMatchObject(timeout);
  });
});

describe("Anthropic's messages", () => {
  test("a signed thought comes back byte for byte, in front of its call", async () => {
    const { message } = await play(recording("anthropic-thinking-tool"), "anthropic");
    expect(message?.content).toEqual([
      {
        type: "reasoning",
        reasoning: "I need the tool.",
        provider: { anthropic: { signature: "c2lnbmVk" } },
      },
      { type: "text", text: "Looking." },
    ]);
    expect(message?.tool_calls).toMatchObject([{ id: "toolu_1", args: { path: "a.txt" } }]);
    await using server = await startModelServer({ replies: [{ json: {}, status: 400 }] });
    const model = await modelAt(server, "anthropic");
    const answered = [message!, new ToolMessage({ content: "r", tool_call_id: "toolu_1" })];
    await expect(model.invoke([new HumanMessage("hi"), ...answered])).rejects.toBeDefined();
    expect(bodyOf(server).messages.slice(1)).toEqual([
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "I need the tool.", signature: "c2lnbmVk" },
          { type: "text", text: "Looking." },
          { type: "tool_use", id: "toolu_1", name: "read", input: { path: "a.txt" } },
        ],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "r" }] },
    ]);
  });

  test("a call without arguments has none: {}", async () => {
    const { message } = await play(recording("anthropic-no-arguments"), "anthropic");
    expect(message?.tool_calls).toMatchObject([{ name: "list", args: {} }]);
  });

  test("a refusal is seen as one, with what was said", async () => {
    const { error } = await play(recording("anthropic-refusal"), "anthropic");
    expect(error).toMatchObject({ code: "INCOMPLETE_RESPONSE", finishReason: "content-filter" });
    expect((error as Error).message).toContain("This was blocked");
  });

  test("an answer within an answer is an error: no half call runs", async () => {
    const { error, message } = await play(recording("anthropic-splice"), "anthropic");
    expect(error).toMatchObject({ code: "MODEL_ERROR" });
    expect(message?.tool_calls ?? []).toEqual([]);
  });

  test("an overload within the stream can be tried again, by somebody else", async () => {
    const { error, requests } = await play(recording("anthropic-overloaded"), "anthropic");
    expect(error).toMatchObject({ code: "MODEL_ERROR", retryable: true });
    expect(requests).toHaveLength(1);
  });

  test("PAN-07: a tool of the provider's is neither run nor answered by us, and goes back whole", async () => {
    const { message } = await play(recording("anthropic-server-tool"), "anthropic", {
      bind: (model) => model.bindTools([{ type: "web_search_20250305", name: "web_search" }]),
    });
    expect(message?.tool_calls).toEqual([]);
    const types = message?.contentBlocks.map((block) => block.type);
    expect(types).toEqual(["server_tool_call", "server_tool_call_result", "text"]);
    await using server = await startModelServer({ replies: [{ json: {}, status: 400 }] });
    const model = (await modelAt(server, "anthropic")).bindTools([
      { type: "web_search_20250305", name: "web_search" },
    ]);
    await expect(model.invoke(["hi", message!, "and?"])).rejects.toBeDefined();
    const { messages } = bodyOf(server);
    expect(messages[1]?.content).toMatchObject([
      { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "x" } },
      {
        type: "web_search_tool_result",
        tool_use_id: "srvtoolu_1",
        content: [{ url: "https://example.com", encrypted_content: "ZW5j" }],
      },
      { type: "text", text: "Found it." },
    ]);
  });
});

describe("Gemini", () => {
  test("a signature stays on its call and goes back on it; an empty text is no part", async () => {
    const { message } = await play(recording("gemini-signed-call"), "gemini");
    expect(message?.content).toBe("");
    expect(message?.tool_calls).toMatchObject([
      {
        name: "weather",
        args: { city: "Kyiv" },
        provider: { google: { thoughtSignature: "c2ln" } },
      },
    ]);
    // Counts of one answer come with each event: the last counts, they are not added up.
    expect(message?.usage_metadata).toMatchObject({
      input_tokens: 9,
      output_tokens: 9,
      total_tokens: 18,
      output_token_details: { reasoning: 4 },
    });
    await using server = await startModelServer({ replies: [{ json: {}, status: 400 }] });
    const model = await modelAt(server, "gemini");
    const [call] = message!.tool_calls;
    const result = new ToolMessage({ content: "mild", tool_call_id: call!.id });
    await expect(model.invoke(["hi", message!, result])).rejects.toBeDefined();
    const { contents } = bodyOf(server);
    expect(contents[1]?.parts).toMatchObject([
      {
        functionCall: { name: "weather", args: { city: "Kyiv" } },
        thoughtSignature: "c2ln",
      },
    ]);
  });

  test("PGE-05: results in a row are one message", async () => {
    await using server = await startModelServer({ replies: [{ json: {}, status: 400 }] });
    const model = await modelAt(server, "gemini");
    const answer = new AIMessage({
      content: "",
      tool_calls: [
        { id: "a", name: "f", args: {} },
        { id: "b", name: "g", args: {} },
      ],
    });
    const results = ["a", "b"].map((id) => new ToolMessage({ content: id, tool_call_id: id }));
    await expect(model.invoke(["hi", answer, ...results])).rejects.toBeDefined();
    const { contents } = bodyOf(server);
    expect(contents.map(({ role, parts }) => [role, parts.length])).toEqual([
      ["user", 1],
      ["model", 2],
      ["user", 2],
    ]);
  });

  test("a signature that comes on an empty text belongs to the text before it", async () => {
    const { message } = await play(recording("gemini-signed-text"), "gemini");
    expect(message?.content).toEqual([
      { type: "text", text: "Hello", provider: { google: { thoughtSignature: "c2ln" } } },
    ]);
  });

  test("an answer that was filtered is an error", async () => {
    const { error } = await play(recording("gemini-safety"), "gemini");
    expect(error).toMatchObject({ code: "INCOMPLETE_RESPONSE", finishReason: "content-filter" });
  });
});

describe("OpenAI's responses", () => {
  test("an encrypted thought is kept and goes back before its call", async () => {
    const { message } = await play(recording("responses-reasoning-call"), "openai-responses");
    expect(message?.content).toEqual([
      {
        type: "reasoning",
        reasoning: "",
        provider: { openai: { itemId: "rs_1", reasoningEncryptedContent: "ZW5j" } },
      },
    ]);
    expect(message?.tool_calls).toMatchObject([
      { id: "call_1", name: "read", args: { path: "a" } },
    ]);
    expect(message?.usage_metadata?.total_tokens).toBe(14);
    await using server = await startModelServer({ replies: [{ json: {}, status: 400 }] });
    const model = (await modelAt(server, "openai-responses")).bind({
      providerOptions: { openai: { store: false, include: ["reasoning.encrypted_content"] } },
    });
    const result = new ToolMessage({ content: "r", tool_call_id: "call_1" });
    await expect(model.invoke(["hi", message!, result])).rejects.toBeDefined();
    const { input } = bodyOf(server);
    expect(input.map((item) => item["type"] ?? item["role"])).toEqual([
      "user",
      "reasoning",
      "function_call",
      "function_call_output",
    ]);
    expect(input[1]).toMatchObject({ encrypted_content: "ZW5j" });
  });

  test("a failed answer rejects once, and says that waiting is of no use", async () => {
    const { error, requests } = await play(recording("responses-failed"), "openai-responses");
    expect(error).toMatchObject({ code: "MODEL_ERROR", retryable: false });
    expect(requests).toHaveLength(1);
  });

  test("a cut answer is incomplete", async () => {
    const { error } = await play(recording("responses-incomplete"), "openai-responses");
    expect(error).toMatchObject({ code: "INCOMPLETE_RESPONSE", finishReason: "length" });
    expect((error as { partial: AIMessage }).partial.text).toBe("so");
  });
});
