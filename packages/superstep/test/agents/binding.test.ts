import {
  AIMessage,
  createAgent,
  createReactAgent,
  ModelRequest,
  RunnableLambda,
  RunnableSequence,
  ToolNode,
} from "superstep";
import { FakeChatModel } from "superstep/testing";
import { describe, expect, test, vi } from "vitest";
import { expectRefusal, rejectionOf, thrownBy } from "../scenarios/world.ts";
import {
  add,
  boundElsewhere,
  calling,
  counted,
  echo,
  factories,
  last,
  lines,
  newAgent,
  reactAgent,
  RecordingModel,
} from "./world.ts";

// As it is where the package of that provider is not installed.
vi.mock("@ai-sdk/deepseek", () => ({
  get createDeepSeek(): never {
    throw Object.assign(new Error("Cannot find package '@ai-sdk/deepseek' imported from /app"), {
      code: "ERR_MODULE_NOT_FOUND",
    });
  },
}));

const hi = { messages: "hi" };
const webSearch = { type: "web_search_20250305", name: "web_search", max_uses: 3 };

describe.each(factories)("binding in $name", ({ create, name }) => {
  test("item 6: a bare model gets the tools, once for all runs", async () => {
    const model = new RecordingModel(calling(["add", { a: 1, b: 1 }]), "2", "done");
    const agent = create({ model, tools: [add, echo] });
    await agent.invoke(hi);
    await agent.invoke(hi);
    expect(model.inputs).toHaveLength(3);
    expect(model.bindings).toHaveLength(1);
    expect(model.bindings[0]!.tools).toEqual([add, echo]);
  });

  test("item 6: a binding without tools gets them, and keeps what was bound", async () => {
    const model = new FakeChatModel({ responses: ["done"] });
    await create({ model: model.bind({ temperature: 0.5 }), tools: [add] }).invoke(hi);
    const [request] = model.requests;
    expect(request!.tools.map((each) => each.name)).toEqual(["add"]);
    expect(request!.settings.temperature).toBe(0.5);
  });

  test("item 7: the model in a sequence gets the tools", async () => {
    const model = new RecordingModel("done");
    const before = new RunnableLambda((messages: readonly object[]) => messages);
    await create({ model: RunnableSequence.from([before, model]), tools: [add] }).invoke(hi);
    expect(model.bindings).toHaveLength(1);
    expect(model.inputs).toHaveLength(1);
  });

  test("item 7: tools bound to the model in a sequence are recognised", async () => {
    const model = new FakeChatModel({ responses: ["done"] });
    const before = new RunnableLambda((messages: readonly object[]) => messages);
    const bound = model.bindTools([add], { tool_choice: "required" });
    await create({ model: RunnableSequence.from([before, bound]), tools: [add] }).invoke(hi);
    expect(model.requests[0]!.tool_choice).toBe("required");
    expect(() => create({ model: RunnableSequence.from([before, bound]), tools: [echo] })).toThrow(
      "Missing tools",
    );
  });

  test("item 8: a bound model must have as many tools as the agent", () => {
    const model = new FakeChatModel({ responses: [] });
    const error = thrownBy(() => create({ model: model.bindTools([add, echo]), tools: [add] }));
    expectRefusal(error, { code: "TOOLS_MISMATCH" });
    expect((error as Error).message).toBe(
      `Number of tools in the model.bindTools() and tools passed to ${name} must match Got 1 tools, expected 2`,
    );
    expect(() => create({ model: model.bindTools([add]), tools: [add, echo] })).toThrow(
      "must match Got 2 tools, expected 1",
    );
  });

  test("item 8: the provider's own tools are not counted", () => {
    const model = new FakeChatModel({ responses: [] });
    const bound = model.bindTools([add, webSearch]);
    expect(() => create({ model: bound, tools: [add, webSearch] })).not.toThrow();
    expect(() => create({ model: bound, tools: [add, echo, webSearch] })).toThrow(
      "must match Got 2 tools, expected 1",
    );
  });

  test("item 9: a bound model must have the tools of the agent", () => {
    const model = new FakeChatModel({ responses: [] });
    const error = thrownBy(() => create({ model: model.bindTools([echo]), tools: [add] }));
    expectRefusal(error, { code: "TOOLS_MISMATCH" });
    expect((error as Error).message).toBe(`Missing tools '["add"]' in the model.bindTools()`);
  });

  test.each([
    ["OpenAI", { type: "function", function: { name: "add", parameters: {} } }],
    ["Anthropic", { name: "add", input_schema: {} }],
    ["Bedrock", { toolSpec: { name: "add", inputSchema: {} } }],
    ["Google", { functionDeclarations: [{ name: "add", parameters: {} }] }],
    ["our own", add],
  ])("item 9: the shape of %s is read", async (_, shape) => {
    for (const where of ["kwargs", "config"] as const) {
      const model = boundElsewhere([shape], where);
      await create({ model, tools: [add] }).invoke(hi);
      expect(model.rebound).toBe(0);
      expect(() => create({ model: boundElsewhere([shape], where), tools: [echo] })).toThrow(
        `Missing tools '["echo"]' in the model.bindTools()`,
      );
    }
  });

  test("item 9: all declarations in one of Google's entries count", async () => {
    const shape = { functionDeclarations: [{ name: "add" }, { name: "echo" }] };
    const model = boundElsewhere([shape]);
    await create({ model, tools: [add, echo] }).invoke(hi);
    expect(model.rebound).toBe(0);
    expect(() => create({ model: boundElsewhere([shape]), tools: [add] })).toThrow(
      "must match Got 1 tools, expected 2",
    );
  });

  test.each([{ retrieval: {} }, { name: 3 }, null, "text"])(
    "item 9: the unknown shape %j names no tool",
    (shape) => {
      const known = { name: "add", input_schema: {} };
      expect(() => create({ model: boundElsewhere([shape]), tools: [add] })).toThrow(
        `Missing tools '["add"]' in the model.bindTools()`,
      );
      expect(() =>
        create({ model: boundElsewhere([known, shape]), tools: [add, webSearch] }),
      ).not.toThrow();
    },
  );

  test("item 10: a model that is bound already is never bound again", async () => {
    const model = new FakeChatModel({ responses: [calling(["add", { a: 1, b: 2 }]), "3"] });
    const bound = model.bindTools([add], { tool_choice: "required", parallel_tool_calls: false });
    await create({ model: bound, tools: [add] }).invoke(hi);
    expect(model.requests).toHaveLength(2);
    for (const { settings, tool_choice, tools } of model.requests) {
      expect(tool_choice).toBe("required");
      expect(settings.parallel_tool_calls).toBe(false);
      expect(tools.map((each) => each.name)).toEqual(["add"]);
    }
  });

  test("item 13: without tools bindTools is never called, and there is no tools node", async () => {
    for (const tools of [undefined, [], new ToolNode([])]) {
      const model = new RecordingModel("done");
      const agent = create({ model, ...(tools && { tools }) });
      const result = await agent.invoke(hi);
      expect(lines(result.messages)).toEqual(["human: hi", "ai: done"]);
      expect(model.bindings).toEqual([]);
      expect(agent.getGraph().nodes["tools"]).toBeUndefined();
    }
  });

  test("item 13: the provider's own tools are bound with the agent's", async () => {
    const model = new RecordingModel("done");
    await create({ model, tools: [add, webSearch] }).invoke(hi);
    expect(model.bindings).toHaveLength(1);
    expect(model.bindings[0]!.tools).toEqual([add, webSearch]);
  });

  test("item 13: the provider's own tools alone are bound, and need no tools node", async () => {
    const model = new RecordingModel("done");
    const agent = create({ model, tools: [webSearch] });
    await agent.invoke(hi);
    expect(model.bindings[0]!.tools).toEqual([webSearch]);
    expect(agent.getGraph().nodes["tools"]).toBeUndefined();
  });

  test("item 13: the tools of a ToolNode are bound", async () => {
    const model = new FakeChatModel({ responses: [calling(["add", { a: 1, b: 2 }]), "3"] });
    const result = await create({ model, tools: new ToolNode([add, echo]) }).invoke(hi);
    expect(model.requests[0]!.tools.map((each) => each.name)).toEqual(["add", "echo"]);
    expect(lines(result.messages)).toEqual(["human: hi", "ai: ", "tool: 3", "ai: 3"]);
  });

  test("item 14: a model is chosen from the state, each time, and the prompt is applied", async () => {
    const cheap = new FakeChatModel({ responses: [calling(["add", { a: 1, b: 2 }])] });
    const strong = new FakeChatModel({ responses: ["the answer"] });
    const bound = { cheap: cheap.bindTools([add]), strong: strong.bindTools([add]) };
    const agent = create({
      model: ({ messages }) => (messages.length > 1 ? bound.strong : bound.cheap),
      tools: [add],
      prompt: "Be brief.",
    });
    const result = await agent.invoke(hi);
    expect(last(result.messages).text).toBe("the answer");
    expect(lines(cheap.requests[0]!.messages)).toEqual(["system: Be brief.", "human: hi"]);
    expect(lines(strong.requests[0]!.messages)[0]).toBe("system: Be brief.");
  });

  test("item 14: a model is chosen asynchronously, from the runtime too", async () => {
    const model = new FakeChatModel({ responses: ["done"] });
    const agent = create({
      model: async (_state, { context }) => {
        await Promise.resolve();
        return (context as { model: FakeChatModel }).model;
      },
    });
    const result = await agent.invoke(hi, { context: { model } });
    expect(last(result.messages).text).toBe("done");
  });

  test("item 14: a chosen model may bind some of the tools, and no others", async () => {
    const some = new FakeChatModel({ responses: ["done"] });
    await create({ model: () => some.bindTools([echo]), tools: [add, echo] }).invoke(hi);
    expect(some.requests[0]!.tools.map((each) => each.name)).toEqual(["echo"]);
    const other = new FakeChatModel({ responses: ["never"] });
    const agent = create({ model: () => other.bindTools([echo]), tools: [add] });
    expectRefusal(await rejectionOf(agent.invoke(hi)), {
      code: "TOOLS_MISMATCH",
      message: ["echo"],
    });
    expect(other.requests).toEqual([]);
  });

  test("item 14: a chosen model may bind the provider's own tools of the agent", async () => {
    const model = new FakeChatModel({ responses: ["done"] });
    const agent = create({
      model: () => model.bindTools([add, webSearch]),
      tools: [add, webSearch],
    });
    expect(last((await agent.invoke(hi)).messages).text).toBe("done");
  });

  test("item 14: a function that returns no model is told so", async () => {
    const agent = create({ model: (() => 3) as never });
    expectRefusal(await rejectionOf(agent.invoke(hi)), {
      code: "INVALID_MODEL",
      message: ["The model function returned 3"],
    });
  });

  test.each([undefined, null, 3, {}, []])("a model that is none is refused: %j", (model) => {
    expectRefusal(
      thrownBy(() => create({ model: model as never })),
      { code: "INVALID_MODEL" },
    );
  });

  test("item 12: a model named by a string whose package is missing says how to get it", async () => {
    const agent = create({ model: "deepseek:deepseek-chat", tools: [add] });
    expectRefusal(await rejectionOf(agent.invoke(hi)), {
      code: "MISSING_PACKAGE",
      message: ["@ai-sdk/deepseek"],
      fix: ["npm install @ai-sdk/deepseek"],
    });
  });

  test("item 12: a model named by a string of an unknown provider is refused", async () => {
    const agent = create({ model: "nobody:model" });
    expectRefusal(await rejectionOf(agent.invoke(hi)), {
      code: "UNKNOWN_PROVIDER",
      message: ["nobody"],
    });
  });

  test("item 42: tools go through the request and not into the prompt", async () => {
    const model = new FakeChatModel({ responses: ["done"] });
    await create({ model, tools: [add], prompt: "Be brief." }).invoke(hi);
    const [request] = model.requests;
    expect(request!.tools).toMatchObject([
      {
        name: "add",
        definition: {
          type: "function",
          function: {
            name: "add",
            description: "Adds two numbers",
            parameters: { type: "object", required: ["a", "b"] },
          },
        },
      },
    ]);
    expect(JSON.stringify(request!.messages)).not.toContain("Adds two numbers");
  });

  test("one model serves two agents with different tools", async () => {
    const model = new FakeChatModel({ responses: ["1", "2", "3", "4"] });
    const first = create({ model, tools: [add] });
    const second = create({ model, tools: [echo] });
    for (const agent of [first, second, first, second]) await agent.invoke(hi);
    expect(model.requests.map(({ tools }) => tools.map((each) => each.name))).toEqual([
      ["add"],
      ["echo"],
      ["add"],
      ["echo"],
    ]);
  });

  test("a tool that is none, and two tools of a name, are refused", () => {
    const model = new FakeChatModel({ responses: [] });
    expectRefusal(
      thrownBy(() => create({ model, tools: ["add"] as never })),
      { code: "INVALID_TOOL" },
    );
    expectRefusal(
      thrownBy(() => create({ model, tools: [counted("x").tool, counted("x").tool] })),
      { code: "DUPLICATE_TOOL" },
    );
  });

  test("an unknown option is refused", () => {
    const model = new FakeChatModel({ responses: [] });
    expectRefusal(
      thrownBy(() => create({ model, tolls: [] } as never)),
      { code: "UNKNOWN_OPTION", message: ["tolls"] },
    );
  });
});

describe("createReactAgent", () => {
  test("item 14: a chosen model without tools keeps to none", async () => {
    const model = new RecordingModel("done");
    await createReactAgent({ llm: () => model, tools: [add] }).invoke(hi);
    expect(model.bindings).toEqual([]);
  });

  test("a model that cannot bind tools is refused when the agent is built", () => {
    const model = { invoke: async () => new AIMessage("x") };
    expectRefusal(
      thrownBy(() => reactAgent.create({ model, tools: [add] })),
      { code: "INVALID_MODEL", message: ["bindTools"] },
    );
  });

  test("llm and model are one option", () => {
    const model = new FakeChatModel({ responses: [] });
    expectRefusal(
      thrownBy(() => createReactAgent({ llm: model, model })),
      { code: "INVALID_OPTION" },
    );
  });

  test.each(["v3", 2, null])("B.1: version %j is refused", (version) => {
    const llm = new FakeChatModel({ responses: [] });
    const error = thrownBy(() => createReactAgent({ llm, version: version as never }));
    expectRefusal(error, { code: "INVALID_OPTION" });
    expect((error as Error).message).toBe(
      `Invalid version ${String(version)}. Supported versions are 'v1' and 'v2'.`,
    );
  });
});

describe("createAgent", () => {
  test("item 41: tool choice and settings are bound with the tools", async () => {
    const model = new RecordingModel("done");
    await createAgent({
      model,
      tools: [add],
      toolChoice: "required",
      modelSettings: { temperature: 0.2, parallel_tool_calls: false },
    }).invoke(hi);
    expect(model.bindings).toEqual([
      {
        tools: [add],
        settings: { temperature: 0.2, parallel_tool_calls: false, tool_choice: "required" },
      },
    ]);
  });

  test("item 41: settings reach a model without tools, and one that was bound before", async () => {
    const model = new FakeChatModel({ responses: ["1", "2"] });
    const modelSettings = { temperature: 0.2 };
    await createAgent({ model, modelSettings }).invoke(hi);
    const bound = model.bindTools([add], { parallel_tool_calls: false });
    await createAgent({ model: bound, tools: [add], modelSettings }).invoke(hi);
    expect(model.requests.map(({ settings }) => settings.temperature)).toEqual([0.2, 0.2]);
    expect(model.requests[1]!.settings.parallel_tool_calls).toBe(false);
  });

  test("item 28: systemPrompt is what prompt is, and only one of them is given", async () => {
    const model = new FakeChatModel({ responses: ["done"] });
    await createAgent({ model, systemPrompt: "Be brief." }).invoke(hi);
    expect(lines(model.requests[0]!.messages)).toEqual(["system: Be brief.", "human: hi"]);
    expectRefusal(
      thrownBy(() => createAgent({ model, systemPrompt: "a", prompt: "b" })),
      { code: "INVALID_OPTION", message: ["systemPrompt", "prompt"] },
    );
  });

  test("item 40: a request has all parts, is frozen, and is changed by override", () => {
    const fields = {
      model: new FakeChatModel({ responses: [] }),
      messages: [],
      systemMessage: undefined,
      tools: [add],
      toolChoice: "auto",
      responseFormat: undefined,
      modelSettings: { temperature: 1 },
      state: { messages: [] },
      runtime: {} as never,
    } as const;
    const request = new ModelRequest(fields);
    expect(request).toMatchObject(fields);
    expect(Object.keys(request)).toEqual(Object.keys(fields));
    expect(request.systemPrompt).toBe("");
    expect(Object.isFrozen(request)).toBe(true);
    const changed = request.override({ tools: [] });
    expect(changed).toBeInstanceOf(ModelRequest);
    expect(changed.tools).toEqual([]);
    expect(changed.toolChoice).toBe("auto");
    expect(request.tools).toEqual([add]);
  });

  test("a model that cannot bind tools is refused", async () => {
    const model = { invoke: async () => new AIMessage("x") };
    const build = async () => newAgent.create({ model, tools: [add] }).invoke(hi);
    expectRefusal(await rejectionOf(build()), { code: "INVALID_MODEL", message: ["bindTools"] });
  });
});
