import { createAgent, createReactAgent, initChatModel, SuperstepError, tool } from "superstep";
import { FakeChatModel, startModelServer } from "superstep/testing";
import { afterEach, expect, test, vi } from "vitest";
import { z } from "zod";
import { rejectionOf, warningsDuring } from "../scenarios/world.ts";
import { calling } from "./world.ts";

// Mistakes in the set-up are the developer's to mend: they are told to the developer.

afterEach(() => vi.unstubAllEnvs());

test("a package that a tool needs and is not there ends the run, since the model cannot install it", async () => {
  const missing = new SuperstepError("MISSING_PACKAGE", "The schema needs the package x.", {
    fix: "npm install x",
  });
  const schema = {
    "~standard": {
      version: 1 as const,
      vendor: "test",
      jsonSchema: { input: () => ({ type: "object" }), output: () => ({ type: "object" }) },
      validate(): never {
        throw missing;
      },
    },
  };
  const search = tool(() => "found", { name: "search", description: "search", schema });
  for (const create of [createAgent, createReactAgent]) {
    const model = new FakeChatModel({ responses: [calling(["search", {}])] });
    const agent = create({ model, tools: [search] });
    expect(await rejectionOf(agent.invoke({ messages: "q" }))).toBe(missing);
  }
});

test("a stateSchema that is no annotation is refused", () => {
  const model = new FakeChatModel({ responses: [] });
  for (const stateSchema of [z.object({ x: z.string() }), null, 5]) {
    for (const create of [createAgent, createReactAgent]) {
      expect(() => create({ model, stateSchema: stateSchema as never })).toThrow(
        "A stateSchema cannot be",
      );
    }
  }
});

test("a thread_id without a saver is warned of, once for each graph", async () => {
  const warnings = await warningsDuring(async () => {
    const agent = createAgent({ model: new FakeChatModel({ responses: ["a", "b"] }) });
    for (const messages of ["one", "two"]) {
      await agent.invoke({ messages }, { configurable: { thread_id: "t" } });
    }
  });
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toContain("thread_id");
});

test("a provider with an endpoint of its own asks for its key by name", async () => {
  vi.stubEnv("MISTRAL_API_KEY", undefined);
  await expect(initChatModel("mistral:small")).rejects.toMatchObject({
    code: "INVALID_OPTION",
    message: 'The provider "mistral" needs an API key.',
    fix: "Give apiKey, or set MISTRAL_API_KEY.",
  });
});

test("a provider without the name of a model is refused", async () => {
  await expect(initChatModel("openai:")).rejects.toMatchObject({ code: "INVALID_MODEL" });
});

test("an error in a shape of the server's own keeps the server's words", async () => {
  const server = await startModelServer({
    replies: [{ status: 401, json: { message: "Unauthorized" } }],
  });
  const model = await initChatModel("m", { baseURL: server.baseURL, apiKey: "wrong" });
  await expect(model.invoke("hi")).rejects.toMatchObject({
    code: "MODEL_ERROR",
    status: 401,
    message: expect.stringMatching(/failed with status 401: Unauthorized$/),
  });
  await server.close();
});

test("pieces of messages tell their calls and results without a guard", async () => {
  const echo = tool((text) => text, { name: "echo", description: "echo" });
  const model = new FakeChatModel({ responses: [calling(["echo", { input: "x" }]), "done"] });
  const agent = createAgent({ model, tools: [echo] });
  const seen: unknown[] = [];
  for await (const [message] of agent.stream({ messages: "q" }, { streamMode: "messages" })) {
    for (const piece of message.tool_call_chunks ?? []) seen.push(piece.name);
    if (message.type === "tool") seen.push([message.tool_call_id !== undefined, message.status]);
  }
  expect(seen).toEqual(["echo", [true, "success"]]);
});
