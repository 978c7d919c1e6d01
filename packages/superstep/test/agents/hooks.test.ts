import {
  AgentState,
  AIMessage,
  Annotation,
  createReactAgent,
  HumanMessage,
  RemoveMessage,
  REMOVE_ALL_MESSAGES,
  ToolMessage,
  validateChatHistory,
} from "superstep";
import { FakeChatModel } from "superstep/testing";
import { describe, expect, test } from "vitest";
import { readAll } from "../scenarios/world.ts";
import { add, answeredIds, calling, counted, last, lines } from "./world.ts";

const adding = () => calling(["add", { a: 1, b: 2 }, "c1"]);

describe("preModelHook", () => {
  test("item 17: llmInputMessages wins over messages, and is not stored", async () => {
    const model = new FakeChatModel({ responses: ["done"] });
    const agent = createReactAgent({
      llm: model,
      prompt: "Be brief.",
      preModelHook: ({ messages }) => ({ llmInputMessages: messages.slice(-1) }),
    });
    const values = await readAll(
      agent.stream({ messages: ["old", "new"] }, { streamMode: "values" }),
    );
    expect(lines(model.requests[0]!.messages)).toEqual(["system: Be brief.", "human: new"]);
    expect(lines(last(values).messages)).toEqual(["human: old", "human: new", "ai: done"]);
    for (const value of values) {
      expect(Object.keys(value)).not.toContain("llmInputMessages");
      expect(lines(value.messages).slice(0, 2)).toEqual(["human: old", "human: new"]);
    }
    const result = await agent.invoke({ messages: "x" }).catch((error: unknown) => error);
    expect(String((result as { code?: string }).code)).toBe("SCRIPT_EXHAUSTED");
  });

  test("item 17: llmInputMessages is absent from what invoke resolves with", async () => {
    const agent = createReactAgent({
      llm: new FakeChatModel({ responses: ["done"] }),
      preModelHook: () => ({ llmInputMessages: [] }),
    });
    const result = await agent.invoke({ messages: "x" });
    expect("llmInputMessages" in result).toBe(false);
    expect(Object.keys(result)).toEqual(["messages"]);
  });

  test("item 17: an empty llmInputMessages wins too", async () => {
    const model = new FakeChatModel({ responses: ["done"] });
    const agent = createReactAgent({
      llm: model,
      prompt: "Say hello.",
      preModelHook: () => ({ llmInputMessages: [] }),
    });
    const result = await agent.invoke({ messages: "unseen" });
    expect(lines(model.requests[0]!.messages)).toEqual(["system: Say hello."]);
    expect(lines(result.messages)).toEqual(["human: unseen", "ai: done"]);
  });

  test("item 17: llmInputMessages takes every form of messages", async () => {
    const model = new FakeChatModel({ responses: ["done"] });
    const agent = createReactAgent({
      llm: model,
      preModelHook: () => ({
        llmInputMessages: ["a", ["system", "b"], { role: "user", content: "c" }],
      }),
    });
    await agent.invoke({ messages: "unseen" });
    expect(lines(model.requests[0]!.messages)).toEqual(["human: a", "system: b", "human: c"]);
  });

  test("item 17: llmInputMessages counts for one call of the model", async () => {
    const model = new FakeChatModel({ responses: [adding(), "done"] });
    const agent = createReactAgent({
      llm: model,
      tools: [add],
      preModelHook: ({ messages }) =>
        messages.length === 1 ? { llmInputMessages: ["only this"] } : undefined,
    });
    await agent.invoke({ messages: "q" });
    expect(lines(model.requests[0]!.messages)).toEqual(["human: only this"]);
    expect(lines(model.requests[1]!.messages)).toEqual(["human: q", "ai: ", "tool: 3"]);
  });

  test("item 17: a key of that name without a hook is refused", async () => {
    const agent = createReactAgent({ llm: new FakeChatModel({ responses: ["done"] }) });
    const input = { messages: "q", llmInputMessages: ["x"] };
    await expect(agent.invoke(input)).rejects.toMatchObject({ code: "UNKNOWN_STATE_KEY" });
  });

  test("item 35: the hook runs before each call of the model", async () => {
    let runs = 0;
    const agent = createReactAgent({
      llm: new FakeChatModel({ responses: [adding(), adding(), adding(), "done"] }),
      tools: [add],
      preModelHook: () => {
        runs++;
      },
    });
    await agent.invoke({ messages: "q" });
    expect(runs).toBe(4);
  });

  test("a hook may rewrite the conversation for good", async () => {
    const model = new FakeChatModel({ responses: ["done"] });
    const agent = createReactAgent({
      llm: model,
      preModelHook: () => ({
        messages: [new RemoveMessage({ id: REMOVE_ALL_MESSAGES }), new HumanMessage("summary")],
      }),
    });
    const result = await agent.invoke({ messages: ["a", "b", "c"] });
    expect(lines(model.requests[0]!.messages)).toEqual(["human: summary"]);
    expect(lines(result.messages)).toEqual(["human: summary", "ai: done"]);
  });

  test("a hook writes keys of the state, which prompt and tools read", async () => {
    const stateSchema = Annotation.Root({ ...AgentState.spec, user: Annotation<string>() });
    const model = new FakeChatModel({ responses: ["done"] });
    const agent = createReactAgent({
      llm: model,
      stateSchema,
      preModelHook: async () => ({ user: "Ada" }),
      prompt: ({ user, messages }) => [["system", user], ...messages],
    });
    const result = await agent.invoke({ messages: "q" });
    expect(result.user).toBe("Ada");
    expect(lines(model.requests[0]!.messages)).toEqual(["system: Ada", "human: q"]);
  });

  test("a hook that throws ends the run with its own error, and no model is called", async () => {
    const boom = new Error("hook");
    const model = new FakeChatModel({ responses: ["never"] });
    const agent = createReactAgent({
      llm: model,
      preModelHook: () => {
        throw boom;
      },
    });
    await expect(agent.invoke({ messages: "q" })).rejects.toBe(boom);
    expect(model.requests).toEqual([]);
  });
});

describe.each(["v1", "v2"] as const)("postModelHook, version %s", (version) => {
  test("B.2: it runs after each call of the model and sees the answer", async () => {
    const seen: string[] = [];
    const agent = createReactAgent({
      llm: new FakeChatModel({ responses: [adding(), "done"] }),
      tools: [add],
      version,
      postModelHook: ({ messages }) => {
        seen.push(lines(messages).at(-1)!);
      },
    });
    const result = await agent.invoke({ messages: "q" });
    expect(seen).toEqual(["ai: ", "ai: done"]);
    expect(lines(result.messages)).toEqual(["human: q", "ai: ", "tool: 3", "ai: done"]);
  });

  test("B.2: it runs without tools too", async () => {
    const agent = createReactAgent({
      llm: new FakeChatModel({ responses: ["done"] }),
      version,
      postModelHook: () => ({ messages: [new AIMessage("and this")] }),
    });
    const result = await agent.invoke({ messages: "q" });
    expect(lines(result.messages)).toEqual(["human: q", "ai: done", "ai: and this"]);
  });

  test("B.2: calls that it answers are not run, and the model goes on", async () => {
    const work = counted("work");
    const model = new FakeChatModel({ responses: [calling(["work", {}, "c1"]), "done"] });
    const agent = createReactAgent({
      llm: model,
      tools: [work.tool],
      version,
      postModelHook: ({ messages }) => {
        const answer = messages.at(-1);
        if (answer?.type !== "ai" || answer.tool_calls.length === 0) return undefined;
        return { messages: [new ToolMessage({ content: "denied", tool_call_id: "c1" })] };
      },
    });
    const result = await agent.invoke({ messages: "q" });
    expect(work.runs.count).toBe(0);
    expect(lines(result.messages)).toEqual(["human: q", "ai: ", "tool: denied", "ai: done"]);
  });

  test("B.2: only the calls that it leaves open are run", async () => {
    const work = counted("work");
    const model = new FakeChatModel({
      responses: [calling(["work", {}, "c1"], ["work", {}, "c2"], ["work", {}, "c3"]), "done"],
    });
    const agent = createReactAgent({
      llm: model,
      tools: [work.tool],
      version,
      postModelHook: ({ messages }) => {
        const answer = messages.at(-1);
        if (answer?.type !== "ai" || answer.tool_calls.length === 0) return undefined;
        return { messages: [new ToolMessage({ content: "denied", tool_call_id: "c2" })] };
      },
    });
    const result = await agent.invoke({ messages: "q" });
    expect(work.runs.count).toBe(2);
    validateChatHistory(result.messages);
    expect(answeredIds(result.messages).toSorted()).toEqual(["c1", "c2", "c3"]);
    expect(last(result.messages).text).toBe("done");
  });

  test("B.2: an answer that it replaces by id is the one that is routed", async () => {
    const work = counted("work");
    const model = new FakeChatModel({
      responses: [
        new AIMessage({ content: "", id: "a1", tool_calls: [{ name: "work", args: {} }] }),
      ],
    });
    const agent = createReactAgent({
      llm: model,
      tools: [work.tool],
      version,
      postModelHook: () => ({ messages: [new AIMessage({ content: "blocked", id: "a1" })] }),
    });
    const result = await agent.invoke({ messages: "q" });
    expect(work.runs.count).toBe(0);
    expect(lines(result.messages)).toEqual(["human: q", "ai: blocked"]);
  });
});

describe("both hooks", () => {
  test("G9: they use up no steps", async () => {
    for (const rounds of [0, 1, 2, 5]) {
      const script = Array.from({ length: rounds }, (_, i) =>
        calling(["add", { a: i, b: 1 }, `c${i}`]),
      );
      const agent = createReactAgent({
        llm: new FakeChatModel({ responses: [...script, "done"] }),
        tools: [add],
        preModelHook: () => {},
        postModelHook: () => {},
      });
      const result = await agent.invoke(
        { messages: "q" },
        { recursionLimit: Math.max(1, 2 * rounds + 1) },
      );
      expect(last(result.messages).text).toBe("done");
    }
  });

  test("hooks that do nothing change nothing in the transcript", async () => {
    const run = async (hooks: object) => {
      const agent = createReactAgent({
        llm: new FakeChatModel({
          responses: [adding(), calling(["add", { a: 1, b: "x" }, "c2"], ["nope", {}, "c3"]), "ok"],
        }),
        tools: [add],
        ...hooks,
      });
      return lines((await agent.invoke({ messages: "q" })).messages);
    };
    const plain = await run({});
    const nothing = () => {};
    expect(await run({ preModelHook: nothing })).toEqual(plain);
    expect(await run({ postModelHook: nothing })).toEqual(plain);
    expect(await run({ preModelHook: nothing, postModelHook: nothing })).toEqual(plain);
  });
});
