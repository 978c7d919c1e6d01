import {
  AgentState,
  AIMessage,
  type BaseMessage,
  createAgent,
  createReactAgent,
  HumanMessage,
  RemoveMessage,
  SuperstepError,
  ToolMessage,
  validateChatHistory,
} from "superstep";
import { FakeChatModel } from "superstep/testing";
import { describe, expect, test } from "vitest";
import { expectRefusal, readAll, rejectionOf } from "../scenarios/world.ts";
import { add, answeredIds, calling, echo, last, lines, newAgent, reactAgent } from "./world.ts";

/** A question, and an answer that calls `count` tools which have no results. */
function dangling(count: number): BaseMessage[] {
  const ids = Array.from({ length: count }, (_, i) => `c${i + 1}`);
  return [
    new HumanMessage({ content: "q", id: "h1" }),
    new AIMessage({
      content: "",
      id: "a1",
      tool_calls: ids.map((id, a) => ({ name: "add", args: { a, b: 0 }, id })),
    }),
  ];
}

function refusalText(count: number): string {
  const calls = Array.from({ length: count }, (_, i) => ({
    name: "add",
    args: { a: i, b: 0 },
    id: `c${i + 1}`,
    type: "tool_call",
  }));
  return (
    "Found AIMessages with tool_calls that do not have a corresponding ToolMessage. Here are the " +
    `first few of those tool calls: ${JSON.stringify(calls.slice(0, 3))}.\n\n` +
    "Every tool call (LLM requesting to call a tool) in the message history MUST have a " +
    "corresponding ToolMessage (result of a tool invocation to return to the LLM) - this is " +
    "required by most LLM providers."
  );
}

const cancelText = (name: string, id: string): string =>
  `Tool call ${name} with id ${id} was cancelled - another message came in before it could be completed.`;

describe("createReactAgent refuses", () => {
  test.each([1, 3, 5])("item 19: a history with %d calls that have no result", async (count) => {
    const model = new FakeChatModel({ responses: ["never"] });
    const agent = createReactAgent({ llm: model, tools: [add] });
    const error = await rejectionOf(agent.invoke({ messages: [...dangling(count), "and?"] }));
    expectRefusal(error, { code: "INVALID_CHAT_HISTORY" });
    expect((error as SuperstepError).message).toBe(refusalText(count));
    expect((error as SuperstepError).fix).toContain("repairHistory");
    expect(model.requests).toEqual([]);
  });

  test("item 19: a history with a result that has no call", async () => {
    const agent = reactAgent.create({ model: new FakeChatModel({ responses: [] }) });
    const messages = ["q", new ToolMessage({ content: "x", tool_call_id: "nobody" })];
    expectRefusal(await rejectionOf(agent.invoke({ messages })), {
      code: "INVALID_CHAT_HISTORY",
      message: ["nobody"],
    });
  });

  test("item 19: a complete history passes, wherever the results stand", async () => {
    const model = new FakeChatModel({ responses: ["fine"] });
    const result = await reactAgent.create({ model, tools: [add] }).invoke({
      messages: [
        ...dangling(2),
        new ToolMessage({ content: "2", tool_call_id: "c2" }),
        new HumanMessage("meanwhile"),
        new ToolMessage({ content: "1", tool_call_id: "c1" }),
      ],
    });
    expect(last(result.messages).text).toBe("fine");
  });

  test("item 78: a result that a hook removed is missed", async () => {
    const model = new FakeChatModel({
      responses: [calling(["add", { a: 1, b: 2 }, "c1"]), "never"],
    });
    const agent = createReactAgent({
      llm: model,
      tools: [add],
      preModelHook: ({ messages }) => {
        const result = messages.find(({ type }) => type === "tool");
        return result && { messages: [new RemoveMessage({ id: result.id! })] };
      },
    });
    expectRefusal(await rejectionOf(agent.invoke({ messages: "q" })), {
      code: "INVALID_CHAT_HISTORY",
      message: ["c1"],
    });
    expect(model.requests).toHaveLength(1);
  });

  test("item 19: what a hook lets the model see is checked", async () => {
    const model = new FakeChatModel({ responses: ["fine"] });
    const hidden = createReactAgent({
      llm: model,
      preModelHook: () => ({ llmInputMessages: ["x"] }),
    });
    const result = await hidden.invoke({ messages: dangling(1) });
    expect(last(result.messages).text).toBe("fine");
    const shown = createReactAgent({
      llm: model,
      preModelHook: () => ({ llmInputMessages: dangling(1) }),
    });
    expectRefusal(await rejectionOf(shown.invoke({ messages: "q" })), {
      code: "INVALID_CHAT_HISTORY",
    });
  });
});

describe("createAgent repairs", () => {
  test.each([1, 3, 5])("G5: %d calls without a result, once and for good", async (count) => {
    const model = new FakeChatModel({ responses: ["one", "two"] });
    const agent = newAgent.create({ model, tools: [add] });
    const first = await agent.invoke({ messages: [...dangling(count), "and?"] });
    validateChatHistory(first.messages);
    const ids = Array.from({ length: count }, (_, i) => `c${i + 1}`);
    const expected = [
      "human: q",
      "ai: ",
      ...ids.map((id) => `tool: ${cancelText("add", id)}`),
      "human: and?",
    ];
    expect(lines(model.requests[0]!.messages)).toEqual(expected);
    expect(lines(first.messages)).toEqual([...expected, "ai: one"]);
    expect(answeredIds(first.messages)).toEqual(ids);
    for (const message of first.messages.filter(({ type }) => type === "tool")) {
      expect(message).toMatchObject({ status: "error", name: "add" });
    }
    expect(first.messages.slice(0, 2).map(({ id }) => id)).toEqual(["h1", "a1"]);

    const second = await agent.invoke({ messages: [...first.messages, "again"] });
    expect(lines(second.messages)).toEqual([...lines(first.messages), "human: again", "ai: two"]);
    expect(second.messages.slice(0, first.messages.length)).toEqual(first.messages);
  });

  test("G5: a result without a call is left out of request and state", async () => {
    const model = new FakeChatModel({ responses: ["one"] });
    const result = await newAgent.create({ model }).invoke({
      messages: ["q", new ToolMessage({ content: "x", tool_call_id: "nobody" })],
    });
    expect(lines(model.requests[0]!.messages)).toEqual(["human: q"]);
    expect(lines(result.messages)).toEqual(["human: q", "ai: one"]);
  });

  test("G5: only what is missing is answered", async () => {
    const model = new FakeChatModel({ responses: ["one"] });
    const result = await newAgent.create({ model, tools: [add] }).invoke({
      messages: [...dangling(3), new ToolMessage({ content: "1", tool_call_id: "c2" }), "and?"],
    });
    validateChatHistory(result.messages);
    expect(answeredIds(result.messages).toSorted()).toEqual(["c1", "c2", "c3"]);
    expect(lines(result.messages)).toContain("tool: 1");
  });

  test("G5: the run goes on with tools after the repair", async () => {
    const model = new FakeChatModel({
      responses: [calling(["echo", { text: "ok" }, "c9"]), "done"],
    });
    const result = await newAgent
      .create({ model, tools: [add, echo] })
      .invoke({ messages: [...dangling(2), "go on"] });
    validateChatHistory(result.messages);
    expect(answeredIds(result.messages)).toEqual(["c1", "c2", "c9"]);
    expect(result.messages.filter(({ text }) => text.includes("was cancelled"))).toHaveLength(2);
  });

  test("G5: a valid history is left alone: the update is the answer only", async () => {
    const model = new FakeChatModel({ responses: ["one"] });
    const [update] = await readAll(newAgent.create({ model }).stream({ messages: "q" }));
    expect(update!["model"]!.messages).toHaveLength(1);
  });

  test("G5: the repair is streamed once, and what was there is not streamed again", async () => {
    const model = new FakeChatModel({ responses: ["one"] });
    const chunks = await readAll(
      newAgent
        .create({ model, tools: [add] })
        .stream({ messages: [...dangling(1), "and?"] }, { streamMode: "messages" }),
    );
    expect(lines(chunks.map(([message]) => message)).filter((line) => line !== "ai: ")).toEqual([
      "ai: one",
      `tool: ${cancelText("add", "c1")}`,
    ]);
  });
});

describe("the gates of a model call", () => {
  /** Runs an agent of which every part says that it is at work. */
  function spied(kind: "createReactAgent" | "createAgent", response: AIMessage | string) {
    const order: string[] = [];
    const model = new FakeChatModel({
      responses: () => {
        order.push("model called");
        return response;
      },
    });
    const options = {
      model: () => {
        order.push("model chosen");
        return model;
      },
      prompt: ({ messages }: { messages: readonly BaseMessage[] }) => {
        order.push("prompt");
        return [...messages];
      },
      tools: [add],
      name: "ada",
      stateSchema: AgentState,
    };
    const agent =
      kind === "createAgent"
        ? createAgent(options)
        : createReactAgent({
            ...options,
            preModelHook: () => {
              order.push("hook");
            },
          });
    return { agent, order, model };
  }

  test("item 20: hook, check, choice of the model, prompt, call: in createReactAgent", async () => {
    const good = spied("createReactAgent", "fine");
    await good.agent.invoke({ messages: "q" });
    expect(good.order).toEqual(["hook", "model chosen", "prompt", "model called"]);
    const bad = spied("createReactAgent", "fine");
    await rejectionOf(bad.agent.invoke({ messages: dangling(1) }));
    expect(bad.order).toEqual(["hook"]);
  });

  test("item 20: choice of the model, prompt, call: in createAgent", async () => {
    const { agent, order } = spied("createAgent", "fine");
    await agent.invoke({ messages: "q" });
    expect(order).toEqual(["model chosen", "prompt", "model called"]);
  });

  test("item 20: the name comes before the check of the steps", async () => {
    const { agent } = spied("createReactAgent", calling(["add", { a: 1, b: 2 }]));
    const result = await agent.invoke({ messages: "q" }, { recursionLimit: 1 });
    expect(last(result.messages)).toMatchObject({ name: "ada" });
  });

  test.each([reactAgent, newAgent])(
    "item 20: the name is stamped only if it is given ($name)",
    async ({ create }) => {
      const model = new FakeChatModel({
        responses: ["a", "b", new AIMessage({ content: "c", name: "own" })],
      });
      const named = await create({ model, name: "ada" }).invoke({ messages: "q" });
      expect(last(named.messages).name).toBe("ada");
      const nameless = create({ model });
      const plain = await nameless.invoke({ messages: "q" });
      expect(Object.keys(last(plain.messages))).not.toContain("name");
      const own = await nameless.invoke({ messages: "q" });
      expect(last(own.messages).name).toBe("own");
    },
  );

  test.each([reactAgent, newAgent])(
    "item 20: tags, metadata and signal of the run reach the model ($name)",
    async ({ create }) => {
      const model = new FakeChatModel({ responses: ["a"] });
      const { signal } = new AbortController();
      await create({ model }).invoke(
        { messages: "q" },
        { tags: ["t1"], metadata: { user: "u" }, signal },
      );
      expect(model.requests[0]!.options).toMatchObject({ tags: ["t1"], metadata: { user: "u" } });
      expect(model.requests[0]!.options.signal).toBeInstanceOf(AbortSignal);
    },
  );

  test.each([reactAgent, newAgent])(
    "a model that answers with something else is refused ($name)",
    async ({ create }) => {
      for (const returned of [new HumanMessage("x"), 3, undefined]) {
        const model = { invoke: async (): Promise<unknown> => returned };
        const error = await rejectionOf(create({ model }).invoke({ messages: "q" }));
        expect(error).toBeInstanceOf(SuperstepError);
        expect(["INVALID_MODEL", "INVALID_MESSAGE"]).toContain((error as SuperstepError).code);
      }
    },
  );
});
