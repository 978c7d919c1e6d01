import { createAgent, tool } from "superstep";
import { fromAiSdk } from "superstep/models";
import { expect, test } from "vitest";

const usage = {
  inputTokens: { total: 1 },
  outputTokens: { total: 1 },
};
const parts = [
  { type: "stream-start", warnings: [] },
  { type: "tool-input-start", id: "c", toolName: "computer" },
  { type: "tool-input-delta", id: "c", delta: "{}" },
  { type: "tool-input-end", id: "c" },
  { type: "tool-call", toolCallId: "c", toolName: "computer", input: "{}", providerExecuted: true },
  { type: "tool-result", toolCallId: "c", toolName: "computer", result: "seen" },
  { type: "text-start", id: "t" },
  { type: "text-delta", id: "t", delta: "done" },
  { type: "text-end", id: "t" },
  { type: "finish", finishReason: { unified: "stop", raw: "stop" }, usage },
];

test("PAN-07: a streamed call that its end says is the provider's own is not executed here", async () => {
  let calls = 0;
  let runs = 0;
  const model = fromAiSdk({
    specificationVersion: "v4",
    provider: "test",
    modelId: "m",
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error("streams only")),
    async doStream() {
      calls++;
      const stream = new ReadableStream({
        start(controller) {
          for (const part of parts) controller.enqueue(part);
          controller.close();
        },
      });
      return { stream };
    },
  } as never);
  const computer = tool(() => ++runs, { name: "computer", description: "computer" });
  const agent = createAgent({ model, tools: [computer] });
  let last: unknown;
  for await (const [mode, chunk] of agent.stream(
    { messages: "q" },
    { streamMode: ["messages", "values"] },
  )) {
    if (mode === "values") last = chunk.messages.at(-1);
  }
  expect(last).toMatchObject({ type: "ai", text: "done" });
  expect([calls, runs]).toEqual([1, 0]);
});
