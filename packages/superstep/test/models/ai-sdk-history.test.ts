import { describe, expect, test } from "vitest";
import { AIMessage, HumanMessage, SystemMessage, ToolMessage } from "../../src/message/messages.ts";
import type { AiSdkOptions } from "../../src/model/ai-sdk.ts";
import { promptOf, versions, type World } from "./provided.ts";
import { watchWarnings } from "./warnings.ts";

const warnings = watchWarnings();

describe("history", () => {
  const lookUp = {
    content: "",
    tool_calls: [
      { id: "c1", name: "f", args: { a: 1 } },
      { id: "c2", name: "g", args: {} },
    ],
  };

  test("system, user, answer and results become a prompt; results in a row are one message", async () => {
    const prompt = await promptOf([
      new SystemMessage("Be kind."),
      new HumanMessage("hi"),
      new AIMessage({ ...lookUp, content: "I will look" }),
      new ToolMessage({ content: "1", tool_call_id: "c1" }),
      new ToolMessage({ content: "Error: no", tool_call_id: "c2", name: "g", status: "error" }),
      new HumanMessage("and?"),
    ]);
    expect(prompt).toEqual([
      { role: "system", content: "Be kind." },
      { role: "user", content: [{ type: "text", text: "hi" }] },
      {
        role: "assistant",
        content: [
          { type: "text", text: "I will look" },
          { type: "tool-call", toolCallId: "c1", toolName: "f", input: { a: 1 } },
          { type: "tool-call", toolCallId: "c2", toolName: "g", input: {} },
        ],
      },
      {
        role: "tool",
        content: [
          {
            type: "tool-result",
            toolCallId: "c1",
            toolName: "f",
            output: { type: "text", value: "1" },
          },
          {
            type: "tool-result",
            toolCallId: "c2",
            toolName: "g",
            output: { type: "error-text", value: "Error: no" },
          },
        ],
      },
      { role: "user", content: [{ type: "text", text: "and?" }] },
    ]);
  });

  test.for(["", []])("PAN-01: calls are kept when the content is %j", async (content) => {
    const prompt = await promptOf([new AIMessage({ ...lookUp, content })]);
    expect(prompt?.[0]?.content).toHaveLength(2);
  });

  test("empty texts, and messages of nothing, are left out", async () => {
    const prompt = await promptOf([
      new SystemMessage(""),
      new HumanMessage([{ type: "text", text: "" }]),
      new AIMessage(""),
      new AIMessage([
        { type: "text", text: "" },
        { type: "text", text: "a" },
      ]),
      new HumanMessage("hi"),
    ]);
    expect(prompt).toEqual([
      { role: "assistant", content: [{ type: "text", text: "a" }] },
      { role: "user", content: [{ type: "text", text: "hi" }] },
    ]);
  });

  test("POA-10: blocks that the target does not know are left out, with one warning for each kind", async () => {
    const odd = new AIMessage({
      content: [
        { type: "reasoning", reasoning: "hm" },
        { type: "thinking", thinking: "hm", signature: "s" },
        { type: "tool_use", id: "c1", name: "f", input: {} },
        { type: "text", text: "Hello" },
        { type: "odd" },
        { type: "odd" },
      ],
      tool_calls: [{ id: "c1", name: "f", args: {} }],
    });
    const prompt = await promptOf([
      odd,
      new HumanMessage([{ type: "odder" }, { type: "text", text: "?" }]),
    ]);
    expect(prompt).toEqual([
      {
        role: "assistant",
        content: [
          { type: "tool-call", toolCallId: "c1", toolName: "f", input: {} },
          { type: "text", text: "Hello" },
        ],
      },
      { role: "user", content: [{ type: "text", text: "?" }] },
    ]);
    expect(await warnings()).toEqual([
      'A block of type "odd" in an answer is unknown to openai: not sent.',
      'A block of type "odder" in a message of the user is unknown to openai: not sent.',
    ]);
  });

  test("PAN-08: thinking without a signature is not sent to Anthropic; with one it is, unchanged", async () => {
    const anthropic = { provider: "anthropic.messages" };
    const thinking = (provider: object): AIMessage =>
      new AIMessage([
        { type: "reasoning", reasoning: "hm", provider },
        { type: "text", text: "a" },
      ]);
    const unsigned = await promptOf([thinking({ anthropic: { signature: "" } })], anthropic);
    expect(unsigned?.[0]?.content).toEqual([{ type: "text", text: "a" }]);
    const foreign = await promptOf([thinking({ deepseek: {} })], anthropic);
    expect(foreign?.[0]?.content).toEqual([{ type: "text", text: "a" }]);
    const signed = await promptOf([thinking({ anthropic: { signature: "sig" } })], anthropic);
    expect(signed?.[0]?.content).toEqual([
      { type: "reasoning", text: "hm", providerOptions: { anthropic: { signature: "sig" } } },
      { type: "text", text: "a" },
    ]);
    const redacted = await promptOf(
      [
        new AIMessage([
          { type: "reasoning", reasoning: "", provider: { anthropic: { redactedData: "r" } } },
        ]),
      ],
      anthropic,
    );
    expect(redacted?.[0]?.content).toMatchObject([{ type: "reasoning", text: "" }]);
  });

  test("POA-09: the model decides whether reasoning goes back to an OpenAI-compatible endpoint", async () => {
    const answer = new AIMessage({
      content: [{ type: "reasoning", reasoning: "hm", provider: { gateway: {} } }],
      tool_calls: [{ id: "c1", name: "f", args: {} }],
    });
    const kinds = async (world: World & { options?: AiSdkOptions }): Promise<unknown> => {
      const prompt = await promptOf([answer], { provider: "gateway.chat", ...world });
      return (prompt![0]!.content as { type: string }[]).map((part) => part.type);
    };
    expect(await kinds({ modelId: "deepseek-r1" })).toEqual(["tool-call"]);
    expect(await kinds({ modelId: "deepseek-v4" })).toEqual(["reasoning", "tool-call"]);
    expect(await kinds({ options: { replayReasoning: true } })).toEqual(["reasoning", "tool-call"]);
    expect(await kinds({ provider: "other.chat", options: { replayReasoning: true } })).toEqual([
      "tool-call",
    ]);
  });

  test("POA-12: an empty id of a provider is no id", async () => {
    const answer = new AIMessage([
      {
        type: "reasoning",
        reasoning: "hm",
        provider: { openai: { itemId: "", reasoningEncryptedContent: "e" } },
      },
    ]);
    const prompt = await promptOf([answer], { provider: "openai.responses" });
    expect(prompt?.[0]?.content).toEqual([
      {
        type: "reasoning",
        text: "hm",
        providerOptions: { openai: { reasoningEncryptedContent: "e" } },
      },
    ]);
  });

  test("PAN-11: cache markers and options of one provider are not sent to another", async () => {
    const message = new HumanMessage([
      { type: "text", text: "a", cache_control: { type: "ephemeral" } },
      { type: "text", text: "b", provider: { openai: { x: 1 } } },
    ]);
    const toAnthropic = await promptOf([message], { provider: "anthropic.messages" });
    expect(toAnthropic?.[0]?.content).toEqual([
      {
        type: "text",
        text: "a",
        providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } },
      },
      { type: "text", text: "b" },
    ]);
    const toOpenAI = await promptOf([message]);
    expect(toOpenAI?.[0]?.content).toEqual([
      { type: "text", text: "a" },
      { type: "text", text: "b", providerOptions: { openai: { x: 1 } } },
    ]);
  });

  test("an invalid call is sent when it was answered, so that the answer has its call", async () => {
    const bad = new AIMessage({
      content: "",
      invalid_tool_calls: [
        { id: "x", name: "f", args: "{bad", error: "Malformed args." },
        { id: "y", name: "f", args: "{bad", error: "Malformed args." },
      ],
    });
    const prompt = await promptOf([bad, new ToolMessage({ content: "Error", tool_call_id: "x" })]);
    expect(prompt?.[0]?.content).toEqual([
      { type: "tool-call", toolCallId: "x", toolName: "f", input: {} },
    ]);
    expect(prompt?.[1]?.content).toMatchObject([{ toolName: "f" }]);
  });

  test.for(versions)("images and files are sent in the form of %s", async (version) => {
    const prompt = await promptOf(
      [
        new HumanMessage([
          { type: "image", url: "https://example.com/a.png" },
          { type: "image_url", image_url: { url: "data:image/jpeg;base64,aGk=" } },
          { type: "file", mimeType: "application/pdf", data: "aGk=", filename: "a.pdf" },
          { type: "image", source: { type: "base64", media_type: "image/webp", data: "aGk=" } },
          { type: "input_audio", input_audio: { format: "mp3", data: "aGk=" } },
          { type: "file", fileId: "file-1" },
        ]),
      ],
      { version },
    );
    const tagged = version === "v4";
    const url = new URL("https://example.com/a.png");
    const data = tagged ? { type: "data", data: "aGk=" } : "aGk=";
    expect(prompt?.[0]?.content).toEqual([
      { type: "file", mediaType: "image/*", data: tagged ? { type: "url", url } : url },
      { type: "file", mediaType: "image/jpeg", data },
      { type: "file", mediaType: "application/pdf", data, filename: "a.pdf" },
      { type: "file", mediaType: "image/webp", data },
      { type: "file", mediaType: "audio/mp3", data },
      {
        type: "file",
        mediaType: "application/pdf",
        data: tagged ? { type: "reference", reference: { openai: "file-1" } } : "file-1",
      },
    ]);
  });

  test.for([
    ["v2", { type: "media", data: "aGk=", mediaType: "image/png" }],
    ["v3", { type: "image-data", data: "aGk=", mediaType: "image/png" }],
    ["v4", { type: "file", data: { type: "data", data: "aGk=" }, mediaType: "image/png" }],
  ] as const)("an image that a tool gave is sent in the form of %s", async ([version, image]) => {
    const prompt = await promptOf(
      [
        new ToolMessage({
          content: [
            { type: "text", text: "Here" },
            { type: "image", mimeType: "image/png", data: "aGk=" },
          ],
          tool_call_id: "c1",
          name: "draw",
        }),
      ],
      { version },
    );
    expect(prompt?.[0]?.content[0]).toMatchObject({
      output: { type: "content", value: [{ type: "text", text: "Here" }, image] },
    });
  });
});
