import {
  AIMessage,
  Annotation,
  AgentState,
  createReactAgent,
  HumanMessage,
  MessagesAnnotation,
  promptRunnable,
  RunnableLambda,
  SystemMessage,
} from "superstep";
import { FakeChatModel } from "superstep/testing";
import { describe, expect, test } from "vitest";
import { expectRefusal, thrownBy } from "../scenarios/world.ts";
import { add, calling, factories, last, lines, RecordingModel } from "./world.ts";

const hello = { messages: [new HumanMessage("hello")] };

describe.each(factories)("the prompt of $name", ({ create, name, node }) => {
  async function seenWith(prompt: Parameters<typeof create>[0]["prompt"]): Promise<string[]> {
    const model = new FakeChatModel({ responses: ["done"] });
    const result = await create({
      model,
      ...(prompt !== undefined && { prompt }),
    }).invoke(hello);
    // Item 4: what is put before the conversation is never stored.
    expect(lines(result.messages)).toEqual(["human: hello", "ai: done"]);
    expect(model.requests).toHaveLength(1);
    return lines(model.requests[0]!.messages);
  }

  test("item 1: without a prompt the model sees the messages as they are", async () => {
    expect(await seenWith(undefined)).toEqual(["human: hello"]);
  });

  test("item 1: a text comes first as a system message", async () => {
    expect(await seenWith("Be brief.")).toEqual(["system: Be brief.", "human: hello"]);
  });

  test("item 1: an empty text is a prompt too", async () => {
    expect(await seenWith("")).toEqual(["system: ", "human: hello"]);
  });

  test("item 1: a SystemMessage comes first as it is", async () => {
    const model = new RecordingModel("done");
    const prompt = new SystemMessage({ content: [{ type: "text", text: "Be kind." }], id: "s" });
    await create({ model, prompt }).invoke(hello);
    const [system] = model.inputs[0]!;
    expect(system).toBe(prompt);
  });

  test("item 1: what a function returns is the input of the model", async () => {
    expect(
      await seenWith(({ messages }) => [["system", "fn"], ...messages, ["user", "again"]]),
    ).toEqual(["system: fn", "human: hello", "human: again"]);
  });

  test("item 1: what an async function resolves with is the input of the model", async () => {
    expect(await seenWith(async ({ messages }) => [...messages, "and this"])).toEqual([
      "human: hello",
      "human: and this",
    ]);
  });

  test("item 1: a function is given the runtime", async () => {
    const model = new FakeChatModel({ responses: ["done"] });
    const agent = create({
      model,
      prompt: ({ messages }, { configurable }) => [
        ["system", `for ${String(configurable["user"])}`],
        ...messages,
      ],
    });
    await agent.invoke(hello, { configurable: { user: "Ada" } });
    expect(lines(model.requests[0]!.messages)).toEqual(["system: for Ada", "human: hello"]);
  });

  test("item 1: a runnable is used as it is, with its own this", async () => {
    const prompt = {
      greeting: "from a runnable",
      calls: 0,
      invoke(state: { messages: readonly object[] }) {
        this.calls++;
        return [["system", this.greeting] as const, ...(state.messages as HumanMessage[])];
      },
    };
    expect(await seenWith(prompt)).toEqual(["system: from a runnable", "human: hello"]);
    expect(prompt.calls).toBe(1);
  });

  test.each([
    [42, "number"],
    [new HumanMessage("no"), "HumanMessage"],
    [{ role: "user", content: "no" }, "object"],
    [{}, "object"],
    [true, "boolean"],
  ])("item 2: %j is refused when the agent is built", (prompt, type) => {
    const error = thrownBy(() =>
      create({ model: new FakeChatModel({ responses: [] }), prompt: prompt as never }),
    );
    expectRefusal(error, { code: "INVALID_PROMPT" });
    expect((error as Error).message).toBe(`Got unexpected type for \`prompt\`: ${type}`);
  });

  test("item 4: after several turns no system message is in the state", async () => {
    const model = new FakeChatModel({
      responses: [calling(["add", { a: 1, b: 2 }]), "3", "bye"],
    });
    const agent = create({ model, tools: [add], prompt: "Be brief." });
    const first = await agent.invoke(hello);
    const second = await agent.invoke({ messages: [...first.messages, "thanks"] });
    expect(second.messages.map(({ type }) => type)).toEqual([
      "human",
      "ai",
      "tool",
      "ai",
      "human",
      "ai",
    ]);
    for (const { messages } of model.requests) {
      expect(messages.filter(({ type }) => type === "system")).toHaveLength(1);
      expect(messages[0]!.text).toBe("Be brief.");
    }
  });

  test("item 5: a prompt reads keys that the state was given", async () => {
    const stateSchema = Annotation.Root({
      ...MessagesAnnotation.spec,
      language: Annotation<string>(),
    });
    const model = new FakeChatModel({ responses: ["fertig"] });
    const factory = create as unknown as (options: object) => {
      invoke(input: object): Promise<{ language: string }>;
    };
    const agent = factory({
      model,
      stateSchema,
      prompt: (state: typeof stateSchema.State) => [
        ["system", `Answer in ${state.language}`],
        ...state.messages,
      ],
    });
    const result = await agent.invoke({ ...hello, language: "German" });
    expect(lines(model.requests[0]!.messages)[0]).toBe("system: Answer in German");
    expect(result.language).toBe("German");
  });

  test("item 93: the form of the prompt does not change the nodes", () => {
    const model = new FakeChatModel({ responses: [] });
    const forms = [
      undefined,
      "x",
      new SystemMessage("x"),
      () => "x",
      new RunnableLambda(() => "x"),
    ];
    for (const prompt of forms) {
      const agent = create({ model, ...(prompt !== undefined && { prompt }) });
      expect(Object.keys(agent.getGraph().nodes), name).toEqual(["__start__", node, "__end__"]);
    }
  });

  test("a prompt with replacement patterns arrives to the letter", async () => {
    expect(await seenWith("$& $1 $$ {name} {{x}} %s")).toEqual([
      "system: $& $1 $$ {name} {{x}} %s",
      "human: hello",
    ]);
  });

  test("a prompt function that throws ends the run with its own error", async () => {
    const boom = new Error("no prompt");
    const agent = create({
      model: new FakeChatModel({ responses: [] }),
      prompt: () => {
        throw boom;
      },
    });
    await expect(agent.invoke(hello)).rejects.toBe(boom);
  });
});

describe("promptRunnable", () => {
  test("item 1: a runnable is given back, the same object", () => {
    const runnable = new RunnableLambda(() => "x", "mine");
    expect(promptRunnable(runnable)).toBe(runnable);
  });

  test.each([undefined, null, "text", new SystemMessage("text"), () => [], async () => []])(
    "item 3: a prompt that is no runnable is one named Prompt (%s)",
    (prompt) => {
      expect(promptRunnable(prompt).name).toBe("Prompt");
    },
  );

  test("item 11: prompt and model join in a pipe that takes a state", async () => {
    const model = new FakeChatModel({ responses: ["done"] });
    const messages = await promptRunnable("Be brief.").invoke({
      messages: [new HumanMessage("hello")],
    });
    const result = await model.invoke(messages);
    expect(result).toBeInstanceOf(AIMessage);
    expect(lines(model.requests[0]!.messages)).toEqual(["system: Be brief.", "human: hello"]);
  });
});

describe("the state of an agent", () => {
  test("item 60: it is messages with the reducer that adds, and the steps left", async () => {
    expect(Object.keys(AgentState.spec)).toEqual(["messages", "remainingSteps"]);
    const agent = createReactAgent({ llm: new FakeChatModel({ responses: ["done"] }) });
    const result = await agent.invoke(hello);
    expect(lines(result.messages)).toEqual(["human: hello", "ai: done"]);
  });

  test.each(factories)("item 60: a schema without messages is refused by $name", ({ create }) => {
    const stateSchema = Annotation.Root({ other: Annotation<string>() });
    const error = thrownBy(() =>
      create({
        model: new FakeChatModel({ responses: [] }),
        stateSchema: stateSchema as never,
      }),
    );
    expectRefusal(error, { code: "INVALID_STATE", message: ['["messages"]', "stateSchema"] });
  });

  test.each(factories)(
    "item 21: ids are kept, and the same id replaces ($name)",
    async (factory) => {
      const model = new FakeChatModel({
        responses: [new AIMessage({ content: "done", id: "a1" })],
      });
      const agent = factory.create({ model });
      const result = await agent.invoke({
        messages: [
          new HumanMessage({ content: "first", id: "h1" }),
          new HumanMessage({ content: "second", id: "h1" }),
        ],
      });
      expect(result.messages.map(({ id }) => id)).toEqual(["h1", "a1"]);
      expect(lines(result.messages)).toEqual(["human: second", "ai: done"]);
    },
  );

  test.each(factories)(
    "item 18: a state that lacks its messages says so ($name)",
    async (factory) => {
      const stateSchema = Annotation.Root({ messages: Annotation<HumanMessage[]>() });
      const agent = factory.create({
        model: new FakeChatModel({ responses: ["never"] }),
        stateSchema: stateSchema as never,
      });
      await expect(agent.invoke({})).rejects.toMatchObject({
        message: expect.stringContaining(
          "Expected input to call_model to have 'messages' key, but got ",
        ) as string,
      });
    },
  );

  test("item 18: with a hook the text names both keys", async () => {
    const stateSchema = Annotation.Root({ messages: Annotation<HumanMessage[]>() });
    const agent = createReactAgent({
      llm: new FakeChatModel({ responses: ["never"] }),
      stateSchema: stateSchema as never,
      preModelHook: () => ({}),
    });
    await expect(agent.invoke({})).rejects.toMatchObject({
      message: expect.stringContaining(
        "Expected input to call_model to have 'llmInputMessages' or 'messages' key, but got ",
      ) as string,
    });
  });

  test("item 49: the second call of the model sees question, call and result", async () => {
    const model = new FakeChatModel({ responses: [calling(["add", { a: 2, b: 3 }, "c1"]), "5"] });
    const agent = createReactAgent({ llm: model, tools: [add] });
    const result = await agent.invoke({ messages: "2 + 3?" });
    expect(lines(model.requests[1]!.messages)).toEqual(["human: 2 + 3?", "ai: ", "tool: 5"]);
    const [, ai, toolMessage] = model.requests[1]!.messages;
    expect(ai).toMatchObject({ tool_calls: [{ id: "c1", name: "add", args: { a: 2, b: 3 } }] });
    expect(toolMessage).toMatchObject({ tool_call_id: "c1", name: "add", status: "success" });
    expect(last(result.messages).text).toBe("5");
  });
});
