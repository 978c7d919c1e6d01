// Real answers of providers, recorded, over HTTP and through the provider packages. The folder with
// the recordings is named by SUPERSTEP_RECORDINGS; without it these tests are skipped.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { startModelServer, type WireFormat } from "superstep/testing";
import type { AIMessage } from "../../src/message/messages.ts";
import { bodyOf, modelAt, play, tools } from "./wire.ts";

const folder = process.env["SUPERSTEP_RECORDINGS"];
if (folder === undefined) {
  process.stderr.write("SUPERSTEP_RECORDINGS is not set: tests with recordings are skipped.\n");
}

function read(path: string): string {
  return readFileSync(join(folder!, path), "utf8");
}

/** The message that a recording becomes; it must be complete. */
async function answer(path: string, format: WireFormat, name?: string): Promise<AIMessage> {
  const { message, error } = await played(path, format, name);
  if (error !== undefined) throw error;
  return message!;
}

function played(path: string, format: WireFormat, name?: string) {
  const text = read(path);
  const reply = path.endsWith(".sse") ? { sse: text } : { chunks: text, format };
  return play(reply, format, name === undefined ? {} : { name });
}

/** What `invoke` makes of an answer that came whole. */
async function whole(path: string, name: string): Promise<AIMessage> {
  await using server = await startModelServer({ replies: [{ json: read(path) }] });
  const model = await modelAt(server, "openai-chat", name);
  return await model.bindTools(tools).invoke("hi");
}

function reasoningOf(message: AIMessage): string {
  if (typeof message.content === "string") return "";
  const thoughts = message.content.filter((block) => block.type === "reasoning");
  return thoughts.map((block) => String(block["reasoning"])).join("");
}

function usageOf(message: AIMessage): readonly (number | undefined)[] {
  const usage = message.usage_metadata;
  const { input_tokens, output_tokens, total_tokens, output_token_details } = usage ?? {};
  return [input_tokens, output_tokens, total_tokens, output_token_details?.reasoning];
}

function callsOf(message: AIMessage): readonly (readonly [string, unknown])[] {
  return message.tool_calls.map((call) => [call.name, call.args] as const);
}

/** The fields that there are, blocks and calls by type: what a streamed answer shares with a whole. */
function shapeOf(message: AIMessage): unknown {
  const { content, tool_calls, usage_metadata, additional_kwargs } = message;
  return {
    fields: Object.keys(message.toJSON()).toSorted(),
    content: typeof content === "string" ? "text" : content.map((block) => Object.keys(block)),
    calls: tool_calls.map((call) => Object.keys(call).toSorted()),
    kwargs: Object.keys(additional_kwargs),
    usage: Object.keys(usage_metadata ?? {}),
  };
}

describe.skipIf(folder === undefined)("chat completions through gateways (01)", () => {
  const at = "01-openai-compat-nonzero-index";

  test("the only call has index 1", async () => {
    const message = await answer(`${at}/anthropic-fallback-tool-call.sse`, "openai-chat");
    expect(message.content).toBe("Reading it.");
    expect(message.tool_calls).toMatchObject([
      { id: "toolu_sanitized", name: "read_file", args: { path: "a.txt" } },
    ]);
    expect(message.response_metadata["finish_reason"]).toBe("tool_calls");
    expect(message.usage_metadata).toBeUndefined();
  });

  test("xAI: reasoning apart from the content, and the total that the provider gave", async () => {
    const message = await answer(`${at}/xai-tool-call.chunks.txt`, "openai-chat");
    expect(reasoningOf(message)).toHaveLength(1069);
    expect(message.text).toBe("");
    expect(callsOf(message)).toEqual([["weather", { location: "San Francisco" }]]);
    expect(usageOf(message)).toEqual([307, 26, 560, 227]);
  });

  test("xAI: a word", async () => {
    const message = await answer(`${at}/xai-text.chunks.txt`, "openai-chat");
    expect(message.text).toBe("Grok");
    expect(message.response_metadata["finish_reason"]).toBe("stop");
  });
});

describe.skipIf(folder === undefined)("DeepSeek (02)", () => {
  const at = "02-deepseek-reasoning";
  const name = "deepseek:deepseek-reasoner";

  test("reasoning and an answer, streamed as whole", async () => {
    const message = await answer(`${at}/deepseek-reasoning.chunks.txt`, "openai-chat", name);
    expect(message.text).toHaveLength(42);
    expect(message.text).toContain('three "r"s');
    expect(reasoningOf(message)).toHaveLength(606);
    expect(usageOf(message)).toEqual([18, 219, 237, 205]);
    expect(shapeOf(await whole(`${at}/deepseek-reasoning.json`, name))).toEqual(shapeOf(message));
  });

  test("reasoning and a call, streamed as whole", async () => {
    const message = await answer(`${at}/deepseek-tool-call.chunks.txt`, "openai-chat", name);
    expect(message.text).toBe("");
    expect(reasoningOf(message)).toHaveLength(191);
    expect(message.tool_calls).toMatchObject([
      { id: "call_00_ioIn7yN9p1ZOMNpDLwd4MgAF", name: "weather" },
    ]);
    expect(shapeOf(await whole(`${at}/deepseek-tool-call.json`, name))).toEqual(shapeOf(message));
  });

  test("the same through the OpenAI-compatible package", async () => {
    const message = await answer(`${at}/deepseek-tool-call.chunks.txt`, "openai-chat");
    expect(reasoningOf(message)).toHaveLength(191);
    expect(callsOf(message)).toEqual([["weather", { location: "San Francisco" }]]);
  });
});

describe.skipIf(folder === undefined)("Qwen (03)", () => {
  const at = "03-qwen-alibaba";
  const name = "alibaba:qwen3-max";

  test("reasoning and an answer, streamed as whole", async () => {
    const message = await answer(`${at}/alibaba-reasoning.chunks.txt`, "openai-chat", name);
    expect(message.text).toHaveLength(816);
    expect(reasoningOf(message)).toHaveLength(3301);
    expect(usageOf(message).slice(0, 3)).toEqual([24, 1355, 1379]);
    expect(shapeOf(await whole(`${at}/alibaba-reasoning.json`, name))).toEqual(shapeOf(message));
  });

  test("a call, streamed as whole", async () => {
    const message = await answer(`${at}/alibaba-tool-call.chunks.txt`, "openai-chat", name);
    expect(callsOf(message)).toEqual([["weather", { location: "San Francisco" }]]);
    expect(usageOf(message).slice(0, 3)).toEqual([295, 22, 317]);
    expect(shapeOf(await whole(`${at}/alibaba-tool-call.json`, name))).toEqual(shapeOf(message));
  });

  test("the same through the OpenAI-compatible package", async () => {
    const message = await answer(`${at}/alibaba-tool-call.chunks.txt`, "openai-chat");
    expect(callsOf(message)).toEqual([["weather", { location: "San Francisco" }]]);
    expect(usageOf(message).slice(0, 3)).toEqual([295, 22, 317]);
  });
});

describe.skipIf(folder === undefined)("OpenAI (05)", () => {
  const at = "05-openai";
  const responses = `${at}/responses`;

  test("POA-06: Azure's events without choices", async () => {
    const message = await answer(`${at}/azure-model-router.1.chunks.txt`, "openai-chat");
    expect(message.content).toBe("Capital of Denmark.");
    expect(usageOf(message).slice(0, 3)).toEqual([15, 78, 93]);
  });

  test("a text", async () => {
    const message = await answer(`${at}/openai-text.chunks.txt`, "openai-chat");
    expect(message.content).toMatch(/^\*\*Holiday Name:\*\* Harmony Day/);
  });

  test("an error, then a failed response: one error, which waiting does not mend", async () => {
    const { error, requests, message } = await played(
      `${responses}/openai-error.1.chunks.txt`,
      "openai-responses",
    );
    expect(error).toMatchObject({ code: "MODEL_ERROR", retryable: false });
    expect((error as Error).message).toContain("You exceeded your current quota");
    expect(requests).toHaveLength(1);
    expect(message).toBeUndefined();
  });

  test("ids of items that change during the stream: one reasoning, one text", async () => {
    const path = `${responses}/github-copilot-id-rotation.1.chunks.txt`;
    const message = await answer(path, "openai-responses");
    expect(message.contentBlocks.map((block) => block.type)).toEqual(["reasoning", "text"]);
    expect(message.text.match(/There are/g)).toHaveLength(1);
  });

  test("the wrapper `parallel` becomes two calls, though two lines lack a bracket", async () => {
    const path = `${responses}/parallel-tool-call-wrapper.1.chunks.txt`;
    const message = await answer(path, "openai-responses");
    expect(callsOf(message)).toEqual([
      ["weather", { location: "San Francisco" }],
      ["cityAttractions", { city: "Rome" }],
    ]);
    expect(new Set(message.tool_calls.map((call) => call.id)).size).toBe(2);
    expect(usageOf(message)[2]).toBe(62);
  });

  test("a compaction is kept and goes back as it came", async () => {
    const message = await answer(`${responses}/openai-compaction.1.chunks.txt`, "openai-responses");
    const kept = message.contentBlocks.find((block) => block.type === "non_standard");
    const { encryptedContent } = (kept!["provider"] as { openai: { encryptedContent: string } })
      .openai;
    const recorded = read(`${responses}/openai-compaction.1.chunks.txt`);
    expect(recorded).toContain(encryptedContent);
    await using server = await startModelServer({ replies: [{ json: {}, status: 400 }] });
    const model = (await modelAt(server, "openai-responses")).bind({
      providerOptions: { openai: { store: false } },
    });
    await expect(model.invoke(["hi", message, "go on"])).rejects.toBeDefined();
    const { input } = bodyOf(server);
    expect(input.find((item) => item["type"] === "compaction")).toMatchObject({
      encrypted_content: encryptedContent,
    });
  });

  test("the calls of four responses, each a message of its own", async () => {
    const path = `${responses}/openai-reasoning-encrypted-content.1.chunks.txt`;
    const messages = await inTurn(split(read(path), "response.created"), "openai-responses");
    expect(messages.map(callsOf)).toEqual([
      [["calculator", { a: 12, b: 7, op: "add" }]],
      [["calculator", { a: 19, b: 3, op: "multiply" }]],
      [["calculator", { a: 57, b: 10, op: "multiply" }]],
      [],
    ]);
    expect(messages.at(-1)?.text).toBe("The final result is **570**.");
  });

  test("a tool that takes a plain text", async () => {
    const message = await answer(
      `${responses}/openai-custom-tool.1.chunks.txt`,
      "openai-responses",
    );
    expect(callsOf(message)).toEqual([
      ["write_sql", { input: "SELECT * FROM users WHERE age > 25" }],
    ]);
  });

  test("a call of a remote tool that waits for approval is no call of ours", async () => {
    const path = `${responses}/openai-mcp-tool-approval.1.chunks.txt`;
    const message = await answer(path, "openai-responses");
    expect(message.tool_calls).toEqual([]);
    expect(message.contentBlocks.map((block) => block.type)).toEqual([
      "reasoning",
      "server_tool_call",
      "non_standard",
    ]);
  });

  test("a comment and the answer after it are two texts", async () => {
    const message = await answer(`${responses}/openai-phase.1.chunks.txt`, "openai-responses");
    expect(message.contentBlocks.map((block) => block["text"])).toEqual([
      "Got it",
      "Here are a few **AI",
    ]);
  });
});

describe.skipIf(folder === undefined)("Anthropic (06)", () => {
  const at = "06-anthropic";

  test("a call without arguments", async () => {
    const message = await answer(`${at}/anthropic-tool-no-args.chunks.txt`, "anthropic");
    expect(message.content).toBe("I'll update the issue list for you.");
    expect(callsOf(message)).toEqual([["updateIssueList", {}]]);
  });

  test("a refusal is visible", async () => {
    const { error } = await played(`${at}/anthropic-refusal.chunks.txt`, "anthropic");
    expect(error).toMatchObject({ code: "INCOMPLETE_RESPONSE", finishReason: "content-filter" });
  });

  test("a signature is kept byte for byte", async () => {
    const path = `${at}/anthropic-clear-thinking.1.chunks.txt`;
    const message = await answer(path, "anthropic");
    const [thought] = message.contentBlocks;
    const { signature } = (thought!["provider"] as { anthropic: { signature: string } }).anthropic;
    expect(signature).toHaveLength(332);
    expect(read(path)).toContain(signature);
  });

  test("a start that comes twice", async () => {
    const message = await answer(`${at}/duplicate-message-start.chunks.txt`, "anthropic");
    expect(message.content).toBe("Hello, World!");
  });

  test("a second answer within the first is an error, and the half call never runs", async () => {
    const { error, message } = await played(`${at}/spliced-message-start.chunks.txt`, "anthropic");
    expect(error).toMatchObject({ code: "MODEL_ERROR" });
    expect(message?.tool_calls).toEqual([]);
    expect(message?.invalid_tool_calls).toMatchObject([{ args: '{"value":"Spark' }]);
  });

  test("the input is counted where it is said last", async () => {
    const path = `${at}/anthropic-message-delta-input-tokens.chunks.txt`;
    const message = await answer(path, "anthropic");
    expect(message.content).toBe("pong");
    expect(usageOf(message).slice(0, 2)).toEqual([61, 2]);
  });

  test("15 answers, one after the other, each with the call that a program made", async () => {
    const path = `${at}/anthropic-programmatic-tool-calling.1.chunks.txt`;
    const answers = split(read(path), "message_start");
    expect(answers).toHaveLength(15);
    const messages = await inTurn(answers, "anthropic");
    expect(messages.slice(0, 14).every((message) => message.tool_calls.length === 1)).toBe(true);
    expect(messages[0]?.contentBlocks.map((block) => block.type)).toEqual([
      "text",
      "server_tool_call",
      "tool_call",
    ]);
    expect(messages[14]?.tool_calls).toEqual([]);
    expect(messages[14]?.contentBlocks.map((block) => block.type)).toEqual([
      "server_tool_call_result",
      "text",
    ]);
    const ids = messages.flatMap((message) => message.tool_calls.map((call) => call.id));
    expect(new Set(ids).size).toBe(14);
  });

  test.for([
    ["anthropic-mcp.1", 1],
    ["anthropic-web-search-tool.1", 1],
    ["anthropic-code-execution-20260120-prompt-cache.1", 2],
  ] as const)("%s: what ran at the provider stays in the answer", async ([file, count]) => {
    const message = await answer(`${at}/${file}.chunks.txt`, "anthropic");
    expect(message.tool_calls).toEqual([]);
    const types = message.contentBlocks.map((block) => block.type);
    expect(types.filter((type) => type === "server_tool_call")).toHaveLength(count);
    expect(types.filter((type) => type === "server_tool_call_result")).toHaveLength(count);
    expect(message.text).not.toBe("");
  });

  test("an answer in JSON is a text", async () => {
    const message = await answer(`${at}/anthropic-json-output-format.1.chunks.txt`, "anthropic");
    expect(Object.keys(JSON.parse(message.text) as object)).toEqual(["characters"]);
  });
});

describe.skipIf(folder === undefined)("Gemini (07)", () => {
  const at = "07-gemini";

  test("a signature is on the call, and goes back on it", async () => {
    const message = await answer(`${at}/google-tool-call-gemini3.chunks.txt`, "gemini");
    expect(message.content).toBe("");
    const [call] = message.tool_calls;
    expect([call?.name, call?.args]).toEqual(["weather", { location: "San Francisco" }]);
    const { thoughtSignature } = (call!.provider as { google: { thoughtSignature: string } })
      .google;
    await using server = await startModelServer({ replies: [{ json: {}, status: 400 }] });
    const model = await modelAt(server, "gemini");
    await expect(model.invoke(["hi", message])).rejects.toBeDefined();
    const { contents } = bodyOf(server);
    expect(contents[1]?.parts).toMatchObject([{ functionCall: {}, thoughtSignature }]);
  });

  test("a signature on an empty text; counts that are not added up", async () => {
    const message = await answer(`${at}/google-reasoning-gemini3.chunks.txt`, "gemini");
    expect(message.contentBlocks).toHaveLength(1);
    expect(message.contentBlocks[0]?.["provider"]).toHaveProperty("google.thoughtSignature");
    // 9 in, 23 of text, 302 of thought; Gemini counts thoughts beside the text, we within the output.
    expect(usageOf(message)).toEqual([9, 23 + 302, 334, 302]);
  });

  test("arguments in parts: two calls", async () => {
    const message = await answer(`${at}/google-stream-tool-call-arguments.chunks.txt`, "gemini");
    expect(callsOf(message)).toEqual([
      ["getWeather", { location: "Boston" }],
      ["getWeather", { location: "San Francisco" }],
    ]);
  });

  test("a call without arguments beside three with some", async () => {
    const message = await answer(`${at}/google-stream-no-args-tool-call.chunks.txt`, "gemini");
    expect(callsOf(message)).toEqual([
      ["read_theme", {}],
      ["read_screen", { id: "A" }],
      ["read_screen", { id: "B" }],
      ["read_screen", { id: "C" }],
    ]);
  });

  test("lists in parts whose closing part never comes", async () => {
    const file =
      "google-stream-tool-call-array-arguments-missing-terminal-function-call.chunks.txt";
    const message = await answer(`${at}/${file}`, "gemini");
    const [[name, args]] = callsOf(message) as [[string, { operations: { price: unknown }[] }]];
    expect(name).toBe("writeItems");
    expect(args.operations.map((operation) => operation.price)).toEqual([0.5, 0.3]);
  });

  test("a quota that is passed says how long to wait", async () => {
    const json = read(`${at}/google-429-retry-info.json`);
    await using server = await startModelServer({ replies: [{ json, status: 429 }] });
    const model = await modelAt(server, "gemini");
    await expect(model.invoke("hi")).rejects.toMatchObject({
      code: "MODEL_ERROR",
      status: 429,
      retryable: true,
      retryAfterMs: 34_400,
    });
  });
});

/** A recording of several answers, in answers: each begins with an event of that type. */
function split(recorded: string, first: string): string[] {
  const answers: string[] = [];
  for (const line of recorded.split("\n")) {
    if (line.includes(`"type":"${first}"`)) answers.push("");
    answers.push(`${answers.pop() ?? ""}${line}\n`);
  }
  return answers;
}

/** What becomes of answers that are played one after the other. */
async function inTurn(answers: readonly string[], format: WireFormat): Promise<AIMessage[]> {
  const messages: AIMessage[] = [];
  for (const chunks of answers) {
    const { message, error } = await play({ chunks, format }, format);
    if (error !== undefined) throw error;
    messages.push(message!);
  }
  return messages;
}
