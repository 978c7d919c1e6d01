import { describe, expect, test } from "vitest";
import { type AIMessage, HumanMessage } from "../../src/message/messages.ts";
import { fromAiSdk } from "../../src/model/ai-sdk.ts";
import type { AiSdkModel } from "../../src/model/ai-sdk-shapes.ts";
import { finish, promptOf, provided, requestOf, versions } from "./provided.ts";
import { watchWarnings } from "./warnings.ts";

const warnings = watchWarnings();

describe.for(versions)("an answer of specification %s", (version) => {
  const streamed: readonly object[] = [
    { type: "stream-start", warnings: [] },
    { type: "response-metadata", id: "r1", modelId: "m-2025", timestamp: new Date(0) },
    { type: "reasoning-start", id: "0", providerMetadata: { openai: { itemId: "rs" } } },
    { type: "reasoning-delta", id: "0", delta: "Let me " },
    { type: "reasoning-delta", id: "0", delta: "think" },
    {
      type: "reasoning-end",
      id: "0",
      providerMetadata: { openai: { itemId: "rs", encrypted: "e" } },
    },
    { type: "text-start", id: "1" },
    { type: "text-delta", id: "1", delta: "Hel" },
    { type: "text-delta", id: "1", delta: "lo" },
    { type: "text-end", id: "1" },
    { type: "tool-input-start", id: "c1", toolName: "add" },
    { type: "tool-input-delta", id: "c1", delta: '{"a"' },
    { type: "tool-input-delta", id: "c1", delta: ":1}" },
    { type: "tool-input-end", id: "c1" },
    {
      type: "tool-call",
      toolCallId: "c1",
      toolName: "add",
      input: '{"a":1}',
      providerMetadata: { openai: { itemId: "fc" } },
    },
    { type: "source", sourceType: "url", id: "s1", url: "https://example.com" },
    {
      type: "file",
      mediaType: "image/png",
      data: version === "v4" ? { type: "data", data: "aGk=" } : "aGk=",
    },
    finish(version, "tool-calls", "tool_calls"),
  ];
  const content = [
    {
      type: "reasoning",
      text: "Let me think",
      providerMetadata: { openai: { itemId: "rs", encrypted: "e" } },
    },
    { type: "text", text: "Hello" },
    ...streamed.slice(14, 17),
  ];

  test("becomes the same message, streamed and whole", async () => {
    const { model } = provided(version, {
      parts: streamed,
      result: {
        content,
        response: { id: "r1", modelId: "m-2025" },
        finishReason:
          version === "v2" ? "tool-calls" : { unified: "tool-calls", raw: "tool_calls" },
      },
    });
    const chat = fromAiSdk(model);
    const whole = await chat.invoke("hi");
    const chunks = [];
    for await (const chunk of chat.stream("hi")) chunks.push(chunk);
    const { id, ...pieces } = chunks[0]!
      .concat(...chunks.slice(1))
      .toMessage()
      .toJSON();
    expect(id).toMatch(/^msg_/);
    const { id: _, ...message } = whole.toJSON();
    expect(pieces).toEqual(message);
    const image = { type: "image", mimeType: "image/png", data: "aGk=", provider: { openai: {} } };
    expect(message).toEqual({
      type: "ai",
      content: [
        {
          type: "reasoning",
          reasoning: "Let me think",
          provider: { openai: { itemId: "rs", encrypted: "e" } },
        },
        { type: "text", text: "Hello" },
        { type: "tool_call", id: "c1", name: "add", args: { a: 1 } },
        image,
      ],
      tool_calls: [
        {
          type: "tool_call",
          id: "c1",
          name: "add",
          args: { a: 1 },
          provider: { openai: { itemId: "fc" } },
        },
      ],
      additional_kwargs: {
        tool_calls: [
          { id: "c1", type: "function", function: { name: "add", arguments: '{"a":1}' } },
        ],
      },
      response_metadata: {
        model_provider: "openai",
        model_name: "m-2025",
        finish_reason: version === "v2" ? "tool-calls" : "tool_calls",
        id: "r1",
        sources: [{ sourceType: "url", id: "s1", url: "https://example.com" }],
      },
      usage_metadata: {
        input_tokens: 10,
        output_tokens: 5,
        total_tokens: 20,
        input_token_details: { cache_read: 2 },
        output_token_details: { reasoning: 3 },
      },
    });
  });

  test("keeps what the provider ran itself as blocks, which nobody else answers", async () => {
    const { model, requests } = provided(version, {
      provider: "anthropic.messages",
      parts: [
        { type: "tool-input-start", id: "s1", toolName: "search", providerExecuted: true },
        { type: "tool-input-delta", id: "s1", delta: '{"q":1}' },
        {
          type: "tool-call",
          toolCallId: "s1",
          toolName: "search",
          input: '{"q":1}',
          providerExecuted: true,
        },
        { type: "tool-result", toolCallId: "s1", toolName: "search", result: 0, preliminary: true },
        {
          type: "tool-result",
          toolCallId: "s1",
          toolName: "search",
          result: [{ hit: 1 }],
          providerExecuted: true,
        },
        { type: "text-start", id: "1" },
        { type: "text-delta", id: "1", delta: "Found." },
        { type: "text-end", id: "1" },
        finish(version),
      ],
    });
    const chat = fromAiSdk(model);
    let message: AIMessage | undefined;
    for await (const chunk of chat.stream("hi")) {
      message = message ? (message as typeof chunk).concat(chunk) : chunk;
    }
    const answer = (message as unknown as { toMessage(): AIMessage }).toMessage();
    expect(answer.tool_calls).toEqual([]);
    expect(answer.content).toEqual([
      {
        type: "server_tool_call",
        id: "s1",
        name: "search",
        args: { q: 1 },
        provider: { anthropic: {} },
      },
      {
        type: "server_tool_call_result",
        tool_call_id: "s1",
        name: "search",
        status: "success",
        output: [{ hit: 1 }],
        provider: { anthropic: {} },
      },
      { type: "text", text: "Found." },
    ]);
    await chat.invoke([new HumanMessage("hi"), answer, new HumanMessage("and?")]);
    expect(requests.at(-1)?.prompt[1]).toEqual({
      role: "assistant",
      content: [
        {
          type: "tool-call",
          toolCallId: "s1",
          toolName: "search",
          input: { q: 1 },
          providerExecuted: true,
        },
        {
          type: "tool-result",
          toolCallId: "s1",
          toolName: "search",
          output: { type: "json", value: [{ hit: 1 }] },
        },
        { type: "text", text: "Found." },
      ],
    });
    // PAN-12: another provider gets the text only.
    expect(await promptOf([new HumanMessage("hi"), answer], { version })).toEqual([
      { role: "user", content: [{ type: "text", text: "hi" }] },
      { role: "assistant", content: [{ type: "text", text: "Found." }] },
    ]);
  });

  test("an error within the stream rejects once, as what it is", async () => {
    const { model } = provided(version, {
      parts: [
        { type: "text-delta", id: "1", delta: "so" },
        { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
        finish(version, "error"),
      ],
    });
    const got: string[] = [];
    const reading = (async () => {
      for await (const chunk of fromAiSdk(model).stream("hi")) got.push(chunk.text);
    })();
    await expect(reading).rejects.toMatchObject({
      code: "MODEL_ERROR",
      status: 529,
      retryable: true,
    });
    expect(got).toEqual(["so"]);
  });
});

describe("an answer", () => {
  test("of another version of the specification is refused where the model is made", () => {
    expect(() => fromAiSdk(provided("v1").model)).toThrow(
      expect.objectContaining({ code: "INVALID_MODEL" }) as Error,
    );
    expect(() => fromAiSdk("gpt-5" as unknown as AiSdkModel)).toThrow(/expected: got "gpt-5"/);
  });

  test("PGE: a signature on an empty text stays on its part and goes back on it", async () => {
    const { model, requests } = provided("v4", {
      provider: "google.generative-ai",
      parts: [
        { type: "text-start", id: "0", providerMetadata: { google: { thoughtSignature: "sig" } } },
        { type: "text-end", id: "0" },
        {
          type: "tool-call",
          toolCallId: "c",
          toolName: "f",
          input: "{}",
          providerMetadata: { google: { thoughtSignature: "sig2" } },
        },
        finish("v4"),
      ],
    });
    const chat = fromAiSdk(model);
    const chunks = [];
    for await (const chunk of chat.stream("hi")) chunks.push(chunk);
    const answer = chunks[0]!.concat(...chunks.slice(1)).toMessage();
    expect(answer.content).toEqual([
      { type: "text", text: "", provider: { google: { thoughtSignature: "sig" } } },
    ]);
    await chat.invoke([answer]);
    const parts = requests.at(-1)?.prompt[0]?.content;
    expect(parts).toMatchObject([
      { type: "text", text: "", providerOptions: { google: { thoughtSignature: "sig" } } },
      { type: "tool-call", providerOptions: { google: { thoughtSignature: "sig2" } } },
    ]);
    // PGE-01: the twin backend finds it under its own name.
    const twin = await promptOf([answer], { provider: "google.vertex.chat" });
    expect(twin?.[0]?.content[1]).toMatchObject({
      providerOptions: { vertex: { thoughtSignature: "sig2" } },
    });
    // Another vendor gets neither the signature nor the empty text.
    const other = await promptOf([answer]);
    expect(other?.[0]?.content).toEqual([
      { type: "tool-call", toolCallId: "c", toolName: "f", input: {} },
    ]);
  });

  test("a tool that takes a plain text gets it as input, and it goes back as a text", async () => {
    const { model, requests } = provided("v4", {
      provider: "openai.responses",
      parts: [
        { type: "tool-input-start", id: "c", toolName: "sql", inputEncoding: "text" },
        { type: "tool-input-delta", id: "c", delta: "SELECT 1" },
        { type: "tool-input-end", id: "c" },
        { type: "tool-call", toolCallId: "c", toolName: "sql", input: '"SELECT 1"' },
        finish("v4", "tool-calls"),
      ],
    });
    const chat = fromAiSdk(model);
    const chunks = [];
    for await (const chunk of chat.stream("hi")) chunks.push(chunk);
    const answer = chunks[0]!.concat(...chunks.slice(1)).toMessage();
    expect(answer.tool_calls).toMatchObject([{ name: "sql", args: { input: "SELECT 1" } }]);
    await chat.invoke([answer]);
    expect(requests.at(-1)?.prompt[0]?.content).toEqual([
      { type: "tool-call", toolCallId: "c", toolName: "sql", input: "SELECT 1" },
    ]);
  });

  test("a line that cannot be read is reported and passed over", async () => {
    const bad = Object.assign(new Error("no JSON"), { name: "AI_JSONParseError" });
    const { model } = provided("v4", {
      parts: [
        { type: "error", error: bad },
        { type: "text-delta", id: "1", delta: "fine" },
        finish("v4"),
      ],
    });
    const texts = [];
    for await (const chunk of fromAiSdk(model).stream("hi")) texts.push(chunk.text);
    expect(texts.join("")).toBe("fine");
    expect(await warnings()).toEqual([expect.stringContaining("sent a line that cannot be read")]);
  });

  test("but amid the arguments of a call it is an error, since they might say something else", async () => {
    const bad = Object.assign(new Error("no JSON"), { name: "AI_JSONParseError" });
    const { model } = provided("v4", {
      parts: [
        { type: "tool-input-start", id: "c", toolName: "f" },
        { type: "tool-input-delta", id: "c", delta: '{"a":1' },
        { type: "error", error: bad },
        { type: "tool-input-delta", id: "c", delta: "}" },
        { type: "tool-call", toolCallId: "c", toolName: "f", input: '{"a":1}' },
        finish("v4"),
      ],
    });
    const reading = (async () => {
      for await (const _ of fromAiSdk(model).stream("hi"));
    })();
    await expect(reading).rejects.toMatchObject({ code: "MODEL_ERROR", retryable: true });
  });

  test("what a package warns of is passed on once", async () => {
    const warning = { type: "unsupported", feature: "topK", details: "not for this model" };
    const { model } = provided("v4", { result: { warnings: [warning] } });
    const chat = fromAiSdk(model);
    await chat.invoke("hi");
    await chat.invoke("hi");
    expect(await warnings()).toEqual(["openai:m: unsupported: topK: not for this model"]);
  });

  test("the unknown is kept as it is", async () => {
    const { model, requests } = provided("v4", {
      provider: "openai.responses",
      result: {
        content: [
          {
            type: "custom",
            kind: "openai.compaction",
            providerMetadata: { openai: { itemId: "cmp", encryptedContent: "x" } },
          },
        ],
      },
    });
    const chat = fromAiSdk(model);
    const answer = await chat.invoke("hi");
    expect(answer.content).toEqual([
      {
        type: "non_standard",
        value: { type: "custom", kind: "openai.compaction" },
        provider: { openai: { itemId: "cmp", encryptedContent: "x" } },
      },
    ]);
    await chat.invoke([answer, "go on"]);
    expect(requests.at(-1)?.prompt[0]?.content).toEqual([
      {
        type: "custom",
        kind: "openai.compaction",
        providerOptions: { openai: { itemId: "cmp", encryptedContent: "x" } },
      },
    ]);
  });
});

describe("a request", () => {
  const tools = [
    {
      type: "function",
      function: { name: "f", description: "F", parameters: { type: "object" }, strict: true },
    },
    { type: "function", function: { name: "bare" } },
  ] as const;

  test("PAN-02: has no key for what nobody set", async () => {
    const request = await requestOf({ temperature: 0, topP: undefined });
    expect(Object.keys(request ?? {}).toSorted()).toEqual(["abortSignal", "prompt", "temperature"]);
  });

  test("item 42: tools go in a field of their own, with JSON Schema, and not into the prompt", async () => {
    const request = await requestOf({ tools, tool_choice: "any" });
    expect(request?.tools).toEqual([
      {
        type: "function",
        name: "f",
        description: "F",
        inputSchema: { type: "object" },
        strict: true,
      },
      {
        type: "function",
        name: "bare",
        inputSchema: { type: "object", properties: {}, additionalProperties: false },
      },
    ]);
    expect(request?.toolChoice).toEqual({ type: "required" });
    expect(JSON.stringify(request?.prompt)).not.toContain("bare");
  });

  test("settings have AI SDK's names", async () => {
    const schema = { type: "object" };
    expect(
      await requestOf({
        maxTokens: 1,
        stop: ["x"],
        seed: 2,
        topK: 3,
        presencePenalty: 0.1,
        frequencyPenalty: 0.2,
        headers: { a: "b" },
        providerOptions: { openai: { user: "u" } },
        responseFormat: { name: "r", schema },
      }),
    ).toMatchObject({
      maxOutputTokens: 1,
      stopSequences: ["x"],
      seed: 2,
      topK: 3,
      presencePenalty: 0.1,
      frequencyPenalty: 0.2,
      headers: { a: "b" },
      providerOptions: { openai: { user: "u" } },
      responseFormat: { type: "json", name: "r", schema },
    });
  });

  test.for([
    ["auto", { type: "auto" }],
    ["none", { type: "none" }],
    ["required", { type: "required" }],
    ["f", { type: "tool", toolName: "f" }],
    [
      { type: "function", function: { name: "f" } },
      { type: "tool", toolName: "f" },
    ],
    [
      { type: "tool", name: "f" },
      { type: "tool", toolName: "f" },
    ],
    [{ type: "any" }, { type: "required" }],
  ] as const)("tool_choice %j is sent as %j", async ([choice, sent]) => {
    const request = await requestOf({ tools, tool_choice: choice as string });
    expect(request?.toolChoice).toEqual(sent);
  });

  test("tool_choice of a tool that is not bound is refused with the names that are", async () => {
    await expect(requestOf({ tools, tool_choice: "g" })).rejects.toMatchObject({
      code: "INVALID_OPTION",
      fix: expect.stringContaining('"f", "bare"'),
    });
  });

  test.for([
    ["openai.chat", { openai: { parallelToolCalls: false } }],
    ["anthropic.messages", { anthropic: { disableParallelToolUse: true } }],
    ["my-gateway.chat", { "my-gateway": { parallel_tool_calls: false } }],
  ] as const)("parallel_tool_calls has the name that %s gives it", async ([provider, options]) => {
    const request = await requestOf({ tools, parallel_tool_calls: false }, { provider });
    expect(request?.providerOptions).toEqual(options);
    const none = await requestOf({ parallel_tool_calls: false }, { provider });
    expect(none?.providerOptions).toBeUndefined();
  });

  test("a provider's own tool is sent as the package makes it, or as the API has it", async () => {
    const made = { type: "provider", id: "anthropic.web_search_20250305", args: { maxUses: 1 } };
    const raw = { type: "web_search_20250305", name: "web_search", max_uses: 2 };
    const world = { provider: "anthropic.messages" };
    expect((await requestOf({ tools: [made, raw] }, world))?.tools).toEqual([
      {
        type: "provider",
        id: "anthropic.web_search_20250305",
        name: "web_search_20250305",
        args: { maxUses: 1 },
      },
      {
        type: "provider",
        id: "anthropic.web_search_20250305",
        name: "web_search",
        args: { maxUses: 2 },
      },
    ]);
    const old = await requestOf({ tools: [raw] }, { ...world, version: "v2" });
    expect(old?.tools?.[0]?.type).toBe("provider-defined");
  });
});
