import {
  AIMessage,
  createAgent,
  createReactAgent,
  HumanMessage,
  tool,
  ToolMessage,
  ToolNode,
  type TraceEvent,
  type TraceSubscriber,
} from "superstep";
import { FakeChatModel } from "superstep/testing";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import {
  boundElsewhere,
  counted,
  echo,
  factories,
  newAgent,
  RecordingModel,
} from "../agents/world.ts";
import { rejectionOf } from "../scenarios/world.ts";
import { calls, eventsOf, mailAssistant, question } from "./world.ts";

const wanting = (): AIMessage => calls(["echo", { text: "a" }]);
const scripted = (...responses: (string | AIMessage)[]): FakeChatModel =>
  new FakeChatModel({ responses });

/** The events of a type without their stamps. */
function only(events: readonly TraceEvent[], type: TraceEvent["type"]): object[] {
  return events
    .filter((event) => event.type === type)
    .map(({ time: _time, step: _step, node: _node, type: _type, ...rest }) => rest);
}

function gates(events: readonly TraceEvent[], gate: string): object[] {
  return only(events, "gate").filter((event) => (event as { gate?: unknown }).gate === gate);
}

describe.each(factories)("item 87: the gates of $name's model call", ({ name, node, create }) => {
  test("come in their order, around request and output, from the model's node", async () => {
    const agent = create({ model: scripted("Hello."), tools: [echo] });
    const events = await eventsOf((trace) => agent.invoke({ messages: "Hi" }, { trace }));
    const own = events.filter((event) => event.node === node);
    expect(own.map((event) => ("gate" in event ? event.gate : event.type))).toEqual(
      "input history model model_request model_output name steps update decision route".split(" "),
    );
    expect(new Set(own.map(({ step }) => step))).toEqual(new Set([1]));
  });

  test("input: the conversation", async () => {
    const agent = create({ model: scripted("Hello."), prompt: "Be short." });
    const events = await eventsOf((trace) => agent.invoke({ messages: ["a", "b"] }, { trace }));
    expect(gates(events, "input")).toEqual([{ gate: "input", source: "messages", messages: 2 }]);
  });

  test("history: the rule, and how much was repaired", async () => {
    const agent = create({ model: scripted("Hello."), tools: [echo] });
    const whole = await eventsOf((trace) => agent.invoke({ messages: "Hi" }, { trace }));
    const rule = name === "createAgent" ? "repair" : "refuse";
    expect(gates(whole, "history")).toEqual([{ gate: "history", rule, repaired: 0 }]);
    const stray = new ToolMessage({ content: "?", tool_call_id: "nobody" });
    const messages = [new HumanMessage("q"), wanting(), new HumanMessage("stop"), stray];
    const again = create({ model: scripted("Hello."), tools: [echo] });
    const broken = await eventsOf((trace) =>
      again.invoke({ messages }, { trace }).catch(() => undefined),
    );
    // A refused history does not pass its gate.
    expect(gates(broken, "history")).toEqual(
      rule === "repair" ? [{ gate: "history", rule, repaired: 2 }] : [],
    );
    expect(gates(broken, "input")).toHaveLength(1);
  });

  test("model: the one that is called", async () => {
    const labels = async (model: unknown): Promise<object[]> => {
      const agent = create({ model: model as never });
      return gates(await eventsOf((trace) => agent.invoke({ messages: "Hi" }, { trace })), "model");
    };
    expect(await labels(scripted("Hello."))).toEqual([{ gate: "model", model: "fake:fake-model" }]);
    const small = new FakeChatModel({ responses: ["x"], provider: "p", modelName: "small" });
    expect(await labels(() => small)).toEqual([{ gate: "model", model: "p:small" }]);
    expect(await labels(new RecordingModel())).toEqual([
      { gate: "model", model: "RecordingModel" },
    ]);
  });

  test("name: the agent's, or none", async () => {
    const named = async (given: string | undefined): Promise<object[]> => {
      const agent = create({ model: scripted("Hello."), name: given });
      return gates(await eventsOf((trace) => agent.invoke({ messages: "Hi" }, { trace })), "name");
    };
    expect(await named("ada")).toEqual([{ gate: "name", name: "ada" }]);
    expect(await named(undefined)).toEqual([{ gate: "name", name: undefined }]);
  });

  test("steps: those left, those needed, and whether the answer was replaced", async () => {
    const steps = async (answer: AIMessage | string, recursionLimit: number): Promise<object> => {
      const direct = counted("direct", { returnDirect: true }).tool;
      const agent = create({ model: scripted(answer, "Done."), tools: [echo, direct] });
      const events = await eventsOf((trace) =>
        agent.invoke({ messages: "Hi" }, { trace, recursionLimit }),
      );
      return gates(events, "steps")[0]!;
    };
    expect(await steps("Hello.", 1)).toEqual({
      gate: "steps",
      remainingSteps: 0,
      needed: 0,
      landed: false,
    });
    expect(await steps(wanting(), 2)).toMatchObject({ remainingSteps: 1, needed: 2, landed: true });
    expect(await steps(wanting(), 3)).toMatchObject({
      remainingSteps: 2,
      needed: 2,
      landed: false,
    });
    expect(await steps(calls(["direct"]), 2)).toMatchObject({ needed: 1, landed: false });
  });

  test("items 46, 47 and 50: a decision has three counts and where the run goes", async () => {
    for (const n of [1, 2, 5]) {
      const wanted = calls(...Array.from({ length: n }, () => ["echo", { text: "a" }] as const));
      const agent = create({ model: scripted(wanted, "Done."), tools: [echo] });
      const events = await eventsOf((trace) => agent.invoke({ messages: "Hi" }, { trace }));
      const router = name === "createAgent" ? "model_to_tools" : "afterModel";
      expect(only(events, "decision")).toEqual([
        { router, toolCalls: n, toolMessages: 0, pending: n, target: "tools" },
        { router, toolCalls: 0, toolMessages: 0, pending: 0, target: "__end__" },
      ]);
      expect(only(events, "tool_start")).toHaveLength(n);
    }
  });

  test("items 49 and 88: what the model is sent grows by the answer and its result", async () => {
    const agent = create({ model: scripted(wanting(), "Done."), tools: [echo], prompt: "Short." });
    const events = await eventsOf((trace) => agent.invoke({ messages: "Hi" }, { trace }));
    const asked = { tools: ["echo"], toolChoice: "auto" };
    expect(only(events, "model_request")).toEqual([
      { messages: 2, types: ["system", "human"], ...asked },
      { messages: 4, types: ["system", "human", "ai", "tool"], ...asked },
    ]);
  });
});

describe("the request of a model", () => {
  const requestOf = async (run: (trace: TraceSubscriber) => Promise<unknown>): Promise<object> =>
    only(await eventsOf(run), "model_request")[0]!;

  test("names tools that are bound elsewhere, and a provider's own by name or type", async () => {
    const model = boundElsewhere([
      { type: "function", function: { name: "echo" } },
      { functionDeclarations: [{ name: "a" }, { name: "b" }] },
      { type: "web_search_20250305", name: "web_search" },
      { type: "code_interpreter" },
    ]);
    const agent = createReactAgent({
      llm: () => model,
      tools: [
        echo,
        { type: "code_interpreter" },
        { name: "a" },
        { name: "b" },
        { type: "web_search_20250305", name: "web_search" },
      ],
    });
    expect(await requestOf((trace) => agent.invoke({ messages: "Hi" }, { trace }))).toMatchObject({
      tools: ["echo", "a", "b", "web_search", "code_interpreter"],
    });
  });

  test("names the agent's tools where a bound model does not tell", async () => {
    const silent = {
      bindTools: () => ({ invoke: async () => new AIMessage("Hi") }),
      invoke: async () => new AIMessage("Hi"),
    };
    const agent = createAgent({ model: silent, tools: [echo] });
    expect(await requestOf((trace) => agent.invoke({ messages: "Hi" }, { trace }))).toMatchObject({
      tools: ["echo"],
    });
  });

  test("tells the tool choice", async () => {
    const chosen = async (toolChoice: unknown): Promise<unknown> => {
      const agent = createAgent({
        model: scripted("Hi"),
        tools: [echo],
        toolChoice: toolChoice as never,
      });
      const request = await requestOf((trace) => agent.invoke({ messages: "Hi" }, { trace }));
      return (request as { toolChoice?: unknown }).toolChoice;
    };
    expect(await chosen("required")).toBe("required");
    expect(await chosen({ type: "function", function: { name: "echo" } })).toBe("echo");
    expect(await chosen(undefined)).toBe("auto");
  });

  test("tells the types at both ends of a long conversation", async () => {
    const agent = createAgent({ model: scripted("Hi"), systemPrompt: "Short." });
    const messages = Array.from({ length: 1000 }, (_, i) => ({
      role: i % 2 === 0 ? "user" : "assistant",
      content: "x",
    }));
    const request = await requestOf((trace) => agent.invoke({ messages }, { trace }));
    const { messages: count, types } = request as { messages: number; types: string[] };
    expect(count).toBe(1001);
    expect(types).toHaveLength(25);
    expect([types[0], types[12], types.at(-1)]).toEqual(["system", "...", "ai"]);
  });

  test("output: characters as people count them, calls and calls that cannot be executed", async () => {
    const answer = new AIMessage({
      content: "好的👋",
      tool_calls: [{ name: "echo", args: { text: "a" } }],
      invalid_tool_calls: [{ id: "i", name: "echo", args: "{", error: "Malformed args." }],
    });
    const agent = createAgent({ model: scripted(answer, "Done."), tools: [echo] });
    const events = await eventsOf((trace) => agent.invoke({ messages: "Hi" }, { trace }));
    expect(only(events, "model_output")[0]).toEqual({
      textLength: 3,
      toolCalls: 1,
      invalidToolCalls: 1,
      duration: expect.any(Number),
    });
  });
});

describe("hooks of createReactAgent", () => {
  test("what a hook gives the model is the input", async () => {
    const agent = createReactAgent({
      llm: scripted("Hi"),
      preModelHook: () => ({ llmInputMessages: [new HumanMessage("other")] }),
    });
    const events = await eventsOf((trace) => agent.invoke({ messages: ["a", "b"] }, { trace }));
    expect(gates(events, "input")).toEqual([
      { gate: "input", source: "llmInputMessages", messages: 1 },
    ]);
  });

  test("item 46: calls that a hook has answered are counted as handled", async () => {
    const agent = createReactAgent({
      llm: scripted(wanting(), "Done."),
      tools: [echo],
      postModelHook: ({ messages }) => {
        const answer = messages.at(-1)! as AIMessage;
        if (answer.tool_calls.length === 0) return undefined;
        return { messages: [new ToolMessage({ content: "no", tool_call_id: "c1" })] };
      },
    });
    const events = await eventsOf((trace) => agent.invoke({ messages: "Hi" }, { trace }));
    expect(only(events, "decision")[0]).toEqual({
      router: "afterModel",
      toolCalls: 1,
      toolMessages: 1,
      pending: 0,
      target: "agent",
    });
  });
});

describe("the run of a tool", () => {
  const toolEvents = async (answer: AIMessage, options: object = {}): Promise<TraceEvent[]> => {
    const agent = createAgent({ model: scripted(answer, "Done."), tools: [echo], ...options });
    const events = await eventsOf((trace) =>
      agent.invoke({ messages: "Hi" }, { trace }).catch(() => undefined),
    );
    return events.filter(({ type }) => type === "tool_start" || type === "tool_end");
  };

  test("item 48: starts with the call and ends with the message that answers it", async () => {
    const [begin, end] = await toolEvents(wanting());
    const call = expect.objectContaining({
      id: "c1",
      name: "echo",
      args: { text: "a" },
    }) as unknown;
    expect(begin).toMatchObject({ type: "tool_start", call, node: "tools", step: 2 });
    expect(end).toMatchObject({
      type: "tool_end",
      call,
      status: "success",
      result: { type: "tool", content: "a", name: "echo", tool_call_id: "c1" },
    });
    expect((end as { duration?: unknown }).duration).toBeGreaterThanOrEqual(0);
    expect((end as { result?: { id?: unknown } }).result?.id).toBeTypeOf("string");
  });

  test("a tool that does not exist ends with the error that the model is told", async () => {
    expect(await toolEvents(calls(["missing"]))).toMatchObject([
      { type: "tool_start", call: { name: "missing" } },
      { type: "tool_end", status: "error", result: { status: "error", tool_call_id: "c1" } },
    ]);
  });

  test("a call that cannot be executed ends without a start", async () => {
    const answer = new AIMessage({
      content: "",
      invalid_tool_calls: [{ id: "i", name: "echo", args: "{", error: "Malformed args." }],
    });
    expect(await toolEvents(answer)).toMatchObject([
      { type: "tool_end", status: "error", call: { id: "i", name: "echo", args: {} } },
    ]);
  });

  test("an error that passes the model by is the result", async () => {
    const error = new RangeError("no");
    const breaks = tool(
      () => {
        throw error;
      },
      { name: "breaks", description: "Fails", schema: z.object({}) },
    );
    const tools = new ToolNode([breaks], { handleToolErrors: false });
    const [, end] = await toolEvents(calls(["breaks"]), { tools });
    expect(end).toMatchObject({ type: "tool_end", status: "error" });
    expect((end as { result?: unknown }).result).toBe(error);
  });
});

describe("the events of a run", () => {
  test("items 29 and 45: build steps first, each update with its keys, the end last", async () => {
    const events = await eventsOf((trace) =>
      mailAssistant().invoke({ messages: question }, { trace, runId: "r1" }),
    );
    const kinds = events.map((event) => (event.type === "build" ? event.build.type : event.type));
    expect(kinds.slice(0, 11)).toEqual(
      "node node entry loopEntry loopExit exit edge conditionalEdge conditionalEdge compile run_start".split(
        " ",
      ),
    );
    expect(events.find(({ type }) => type === "run_start")).toMatchObject({
      runId: "r1",
      resumed: false,
    });
    expect(only(events, "update")).toMatchObject([
      { keys: ["messages"] },
      { keys: ["messages"], update: { messages: [{ type: "tool" }] } },
      { keys: ["messages"] },
    ]);
    expect(events.at(-1)).toMatchObject({ type: "run_end", status: "done", node: undefined });
  });

  test("without a subscriber nothing is made for one", async () => {
    const looked: string[] = [];
    const watched = (label: string): unknown => ({
      get modelName() {
        looked.push(label);
        return "watched";
      },
      invoke: async () => ({
        type: "ai",
        content: "Hello.",
      }),
    });
    const quiet = newAgent.create({ model: watched("quiet") as never });
    const followed = newAgent.create({ model: watched("followed") as never });
    await quiet.invoke({ messages: "Hi" });
    await followed.invoke({ messages: "Hi" }, { trace: () => {} });
    expect(new Set(looked)).toEqual(new Set(["followed"]));
  });

  test("a subscriber that throws is warned of, and the run goes on", async () => {
    const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    const trace = vi.fn<TraceSubscriber>(() => {
      throw new Error("subscriber");
    });
    const { messages } = await mailAssistant().invoke({ messages: question }, { trace });
    expect(messages.at(-1)?.text).toMatch(/邮件/);
    expect(trace.mock.calls.length).toBeGreaterThan(30);
    expect(warn).toHaveBeenCalledOnce();
    warn.mockRestore();
  });

  test("a model that fails has a request and no output", async () => {
    const events: TraceEvent[] = [];
    const agent = createAgent({ model: new FakeChatModel({ responses: [new Error("down")] }) });
    const trace = (event: TraceEvent): void => void events.push(event);
    await rejectionOf(agent.invoke({ messages: "Hi" }, { trace }));
    expect(events.map(({ type }) => type).slice(-3)).toEqual([
      "model_request",
      "task_error",
      "run_end",
    ]);
    expect(events.at(-1)).toMatchObject({ status: "failed" });
  });
});
