import { describe, expectTypeOf, test } from "vitest";
import {
  type AgentKeys,
  AgentState,
  AIMessage,
  Annotation,
  type BaseMessage,
  createAgent,
  createReactAgent,
  HumanMessage,
  MessagesAnnotation,
  type MessagesInput,
  type Runtime,
  RunnableLambda,
  StateGraph,
  type StateOf,
  SystemMessage,
  tool,
  ToolNode,
} from "superstep";
import { FakeChatModel } from "superstep/testing";
import { z } from "zod";

const model = new FakeChatModel({ responses: [] });
const add = tool(({ a, b }) => a + b, {
  name: "add",
  description: "adds",
  schema: z.object({ a: z.number(), b: z.number() }),
});
const Custom = Annotation.Root({ ...AgentState.spec, user: Annotation<string>() });

describe("the result of an agent", () => {
  test("is the conversation", async () => {
    const agent = createReactAgent({ llm: model, tools: [add] });
    const result = await agent.invoke({ messages: "hi" });
    expectTypeOf(result.messages).toEqualTypeOf<BaseMessage[]>();
    expectTypeOf(result.remainingSteps).toEqualTypeOf<number>();
    const other = await createAgent({ model, tools: [add] }).invoke({ messages: "hi" });
    expectTypeOf(other).toEqualTypeOf<StateOf<AgentKeys>>();
  });

  test("has the keys of the schema that was given", async () => {
    const agent = createReactAgent({ llm: model, stateSchema: Custom });
    const result = await agent.invoke({ messages: [], user: "Ada" });
    expectTypeOf(result.user).toEqualTypeOf<string>();
    expectTypeOf(result.messages).toEqualTypeOf<BaseMessage[]>();
    const plain = createAgent({ model, stateSchema: MessagesAnnotation });
    expectTypeOf(await plain.invoke({ messages: [] })).toEqualTypeOf<{
      readonly messages: BaseMessage[];
    }>();
  });

  test("is streamed with the types of the modes", async () => {
    const agent = createAgent({ model, stateSchema: Custom });
    for await (const chunk of agent.stream({ messages: "hi" }, { streamMode: "values" })) {
      expectTypeOf(chunk.user).toEqualTypeOf<string>();
    }
    for await (const chunk of agent.stream({ messages: "hi" })) {
      expectTypeOf(chunk["model"]!.messages).toEqualTypeOf<MessagesInput | undefined>();
    }
    for await (const [, metadata] of agent.stream({ messages: "hi" }, { streamMode: "messages" })) {
      expectTypeOf(metadata.langgraph_node).toEqualTypeOf<string>();
    }
  });
});

describe("the input of an agent", () => {
  const agent = createReactAgent({ llm: model, stateSchema: Custom });

  test("TYP-06, item 58: takes every form of messages", () => {
    void agent.invoke({ messages: "hi" });
    void agent.invoke({ messages: ["a", "b"] });
    void agent.invoke({ messages: [["user", "a"]] });
    void agent.invoke({ messages: [{ role: "user", content: "a" }] });
    void agent.invoke({ messages: [{ type: "human", content: "a" }] });
    void agent.invoke({ messages: [new HumanMessage("a"), new AIMessage("b")] });
    void agent.invoke({ messages: new HumanMessage("a") });
    const list: { role: string; content: string }[] = [];
    void agent.invoke({ messages: list });
  });

  test("takes no other keys and no wrong values", () => {
    // @ts-expect-error no such key
    void agent.invoke({ messages: "hi", usr: "Ada" });
    // @ts-expect-error a text
    void agent.invoke({ messages: "hi", user: 3 });
    // @ts-expect-error the engine fills it in
    void agent.invoke({ messages: "hi", remainingSteps: 3 });
    // @ts-expect-error no message
    void agent.invoke({ messages: 3 });
  });
});

describe("the options of an agent", () => {
  test("take every form of prompt", () => {
    for (const create of [
      (prompt: "x") => createReactAgent({ llm: model, prompt }),
      (prompt: "x") => createAgent({ model, prompt }),
    ]) {
      void create;
    }
    createReactAgent({ llm: model, prompt: "text" });
    createReactAgent({ llm: model, prompt: new SystemMessage("text") });
    createReactAgent({ llm: model, prompt: ({ messages }) => messages.slice(-3) });
    createReactAgent({
      llm: model,
      prompt: async ({ messages }) => [["system", "x"], ...messages],
    });
    createReactAgent({
      llm: model,
      prompt: new RunnableLambda(({ messages }: StateOf<AgentKeys>) => messages),
    });
    createAgent({ model, systemPrompt: "text" });
    createAgent({ model, prompt: ({ messages }) => messages.slice(-3) });
    // @ts-expect-error a number is no prompt
    createReactAgent({ llm: model, prompt: 3 });
    // @ts-expect-error nor is a message of the user
    createAgent({ model, prompt: new HumanMessage("x") });
  });

  test("prompt, model and hooks know the state and the runtime", () => {
    createReactAgent({
      llm: (state, runtime) => {
        expectTypeOf(state.user).toEqualTypeOf<string>();
        expectTypeOf(runtime).toEqualTypeOf<Runtime>();
        return model;
      },
      stateSchema: Custom,
      prompt: (state, runtime) => {
        expectTypeOf(state.messages).toEqualTypeOf<BaseMessage[]>();
        expectTypeOf(runtime.recursionLimit).toEqualTypeOf<number>();
        return state.messages;
      },
      preModelHook: (state) => {
        expectTypeOf(state.remainingSteps).toEqualTypeOf<number>();
        return { user: "Ada", llmInputMessages: state.messages };
      },
      postModelHook: async (state) => {
        expectTypeOf(state.user).toEqualTypeOf<string>();
      },
    });
    createAgent({
      model: async (state) => {
        expectTypeOf(state.messages).toEqualTypeOf<BaseMessage[]>();
        return model;
      },
    });
  });

  test("hooks and prompts do not decide the keys of the state", async () => {
    const rewriting = createReactAgent({ llm: model, preModelHook: () => ({ messages: ["x"] }) });
    expectTypeOf((await rewriting.invoke({ messages: "q" })).messages).toEqualTypeOf<
      BaseMessage[]
    >();
    const typed = createAgent({
      model,
      prompt: (state: { messages: readonly BaseMessage[] }) => [...state.messages],
    });
    expectTypeOf((await typed.invoke({ messages: "q" })).messages).toEqualTypeOf<BaseMessage[]>();
    const typedReact = createReactAgent({
      llm: model,
      prompt: (state: { messages: readonly BaseMessage[] }) => [...state.messages],
    });
    expectTypeOf((await typedReact.invoke({ messages: "q" })).messages).toEqualTypeOf<
      BaseMessage[]
    >();
  });

  test("hooks write known keys only", () => {
    createReactAgent({
      llm: model,
      stateSchema: Custom,
      // @ts-expect-error a text
      preModelHook: () => ({ user: 3 }),
    });
  });

  test("tools are a list, a provider's own, or a ToolNode", () => {
    createReactAgent({ llm: model, tools: [add, { type: "web_search" }] });
    createReactAgent({ llm: model, tools: new ToolNode([add]) });
    createAgent({ model, tools: new ToolNode([add]) });
    // @ts-expect-error a name is no tool
    createReactAgent({ llm: model, tools: ["add"] });
  });

  test("versions are v1 and v2, and options are known", () => {
    createReactAgent({ llm: model, version: "v1" });
    // @ts-expect-error no such version
    createReactAgent({ llm: model, version: "v3" });
    // @ts-expect-error no such option
    createAgent({ model, tolls: [add] });
  });

  test("a model may be a name, a bound model or a function", () => {
    createAgent({ model: "openai:gpt-5" });
    createAgent({ model: model.bindTools([add]), tools: [add] });
    createReactAgent({ model: () => model.bindTools([add]), tools: [add] });
  });
});

describe("agents and graphs", () => {
  test("an agent is a node of a graph with messages", () => {
    const agent = createAgent({ model });
    new StateGraph(MessagesAnnotation).addNode("ask", async ({ messages }) => {
      const result = await agent.invoke({ messages });
      return { messages: result.messages };
    });
  });
});
