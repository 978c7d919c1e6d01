import { describe, expect, test } from "vitest";
import { startModelServer } from "./model-server.ts";

async function post(url: string, body: object): Promise<Response> {
  return fetch(url, { method: "POST", body: JSON.stringify(body) });
}

test("answers in OpenAI's format, at once and streamed, and records what it was asked", async () => {
  const call = { name: "add", args: { a: 1 } };
  await using server = await startModelServer({
    replies: ["Hello", { text: "Hi you", tool_calls: [call], usage: { input: 3, output: 4 } }],
  });
  const url = `${server.baseURL}/chat/completions`;
  const whole = (await (await post(url, { model: "m", messages: [] })).json()) as object;
  expect(whole).toMatchObject({
    object: "chat.completion",
    model: "m",
    choices: [{ message: { role: "assistant", content: "Hello" }, finish_reason: "stop" }],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  });
  const streamed = await (await post(url, { model: "m", stream: true })).text();
  const lines = streamed.split("\n\n").filter((line) => line !== "");
  expect(lines.at(-1)).toBe("data: [DONE]");
  const events = lines.slice(0, -1).map(
    (line) =>
      JSON.parse(line.slice("data: ".length)) as {
        choices: { delta: Record<string, string | undefined>; finish_reason: string | null }[];
        usage?: object;
      },
  );
  const texts = events.map((event) => event.choices[0]?.delta["content"] ?? "");
  expect(texts.join("")).toBe("Hi you");
  expect(events.at(-2)?.choices[0]?.finish_reason).toBe("tool_calls");
  expect(events.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 7 } });
  expect(server.requests.map((request) => request.path)).toEqual([
    "/v1/chat/completions",
    "/v1/chat/completions",
  ]);
  expect(server.requests[1]?.body).toEqual({ model: "m", stream: true });
  server.assertFinished();
});

test("errors have their status and headers", async () => {
  await using server = await startModelServer({
    replies: [
      { status: 429, json: { error: { message: "slow" } }, headers: { "retry-after": "2" } },
    ],
  });
  const response = await post(server.url, {});
  expect([response.status, response.headers.get("retry-after")]).toEqual([429, "2"]);
});

test("a request too many says so, and a reply left over too", async () => {
  await using server = await startModelServer({ replies: [] });
  const response = await post(server.url, {});
  expect(response.status).toBe(400);
  expect(await response.text()).toContain("has 0 replies and was asked for reply 1");
  await using other = await startModelServer({ replies: ["one"] });
  expect(() => other.assertFinished()).toThrow(
    expect.objectContaining({ code: "SCRIPT_UNFINISHED" }) as Error,
  );
});

test("a function is asked for each reply", async () => {
  await using server = await startModelServer({
    replies: async ({ body }) => ({ json: { echo: body } }),
  });
  expect(await (await post(server.url, { a: 1 })).json()).toEqual({ echo: { a: 1 } });
});

describe("recordings", () => {
  test.for([
    ["openai-chat", 'data: {"type":"a"}\n\ndata: {b\n\ndata: [DONE]\n\n'],
    ["openai-responses", 'event: a\ndata: {"type":"a"}\n\nevent: message\ndata: {b\n\n'],
    ["anthropic", 'event: a\ndata: {"type":"a"}\n\nevent: message\ndata: {b\n\n'],
    ["gemini", 'data: {"type":"a"}\r\n\r\ndata: {b\r\n\r\n'],
  ] as const)("are framed as %s does", async ([format, framed]) => {
    await using server = await startModelServer({
      replies: [{ chunks: '{"type":"a"}\n{b\n', format }],
    });
    expect(await (await post(server.url, {})).text()).toBe(framed);
  });

  test("a raw stream is sent as it is", async () => {
    const sse = "data: 1\n\n: ping\n\ndata: 2";
    await using server = await startModelServer({ replies: [{ sse }] });
    expect(await (await post(server.url, {})).text()).toBe(sse);
  });

  test("a connection can break", async () => {
    await using server = await startModelServer({
      replies: [{ sse: "data: 1\n\ndata: 2\n\n", breakAfter: 1 }],
    });
    const response = await post(server.url, {});
    await expect(response.text()).rejects.toBeInstanceOf(TypeError);
  });
});

test("closing breaks what is open", async () => {
  const server = await startModelServer({ replies: [{ text: "a b c", delayMs: 10_000 }] });
  const response = await post(server.url, { stream: true });
  await server.close();
  await expect(response.text()).rejects.toBeInstanceOf(TypeError);
});
