import { afterEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { Command, Send, START } from "../engine/command.ts";
import { brandSymbol } from "../errors/brand.ts";
import { Annotation } from "../graph/annotation.ts";
import { StateGraph } from "../graph/state-graph.ts";
import type { MessagesInput } from "../message/coerce.ts";
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "../message/messages.ts";
import { messagesStateReducer } from "../message/reducer.ts";
import type { ToolCall } from "../message/types.ts";
import type { ToolRuntime } from "../tool/runtime.ts";
import type { ToolLike } from "../tool/tool-like.ts";
import { tool } from "../tool/tool.ts";
import { ToolNode } from "./tool-node.ts";
import { toolsCondition } from "./tools-condition.ts";

const add = tool(({ a, b }) => a + b, {
  name: "add",
  schema: z.object({ a: z.number(), b: z.number() }),
});
const shout = tool((text) => text.toUpperCase(), { name: "shout" });

type Asked = readonly [name: string, args?: object];

function calls(...list: readonly Asked[]): ToolCall[] {
  return list.map(([name, args = {}], index) => ({
    type: "tool_call",
    id: `c${index + 1}`,
    name,
    args: { ...args },
  }));
}

function asking(...list: readonly Asked[]): AIMessage {
  return new AIMessage({ content: "", tool_calls: calls(...list) });
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

afterEach(() => vi.useRealTimers());

describe("the forms of input, which the output mirrors", () => {
  const node = new ToolNode([add, shout]);
  const ai = asking(["add", { a: 1, b: 2 }]);

  test("item 48: a state with messages gives messages, with ids", async () => {
    const update = await node.invoke({ messages: [new HumanMessage("1 + 2?"), ai] });
    expect(update.messages).toHaveLength(1);
    expect(update.messages[0]).toBeInstanceOf(ToolMessage);
    expect(update.messages[0]).toMatchObject({
      content: "3",
      name: "add",
      tool_call_id: "c1",
      status: "success",
      id: expect.stringMatching(/./),
    });
  });

  test("a list of messages gives a list", async () => {
    const list = await node.invoke([ai]);
    expect(list).toMatchObject([{ content: "3", tool_call_id: "c1" }]);
  });

  test("a list of tool calls gives a list", async () => {
    const list = await node.invoke(calls(["add", { a: 1, b: 2 }], ["shout", { input: "x" }]));
    expect(list).toMatchObject([{ content: "3" }, { content: "X" }]);
  });

  test("item 47: a call with its state, as a Send brings it, gives messages", async () => {
    const seen: unknown[] = [];
    const look = tool(
      (_: string, runtime) => {
        seen.push(runtime.state);
      },
      { name: "look" },
    );
    const state = { messages: [ai], extra: 1 };
    const [tool_call] = calls(["look"]);
    const update = await new ToolNode([look]).invoke({
      __type: "tool_call_with_context",
      tool_call: tool_call!,
      state,
    });
    expect(update).toMatchObject({ messages: [{ content: "", tool_call_id: "c1" }] });
    expect(seen).toEqual([state]);
    expect(seen[0]).toBe(state);
  });

  test("messages as plain data, and in a provider's shape, are as good", async () => {
    const plain: unknown = JSON.parse(JSON.stringify(ai));
    expect(await node.invoke([plain])).toMatchObject([{ content: "3" }]);
    const openai = {
      role: "assistant",
      content: "",
      tool_calls: [
        { id: "c1", type: "function", function: { name: "add", arguments: `{"a":1,"b":2}` } },
      ],
    };
    expect(await node.invoke({ messages: [openai] })).toMatchObject({
      messages: [{ content: "3", tool_call_id: "c1" }],
    });
  });

  test.each([undefined, null, "text", {}, { messages: "text" }])(
    "%j is refused with what is accepted",
    async (input) => {
      await expect(node.invoke(input as never)).rejects.toMatchObject({
        code: "INVALID_INPUT",
        message: "ToolNode only accepts BaseMessage[] or { messages: BaseMessage[] } as input.",
      });
    },
  );

  test("messages without an AI message are refused", async () => {
    for (const input of [[], [new HumanMessage("hi")]]) {
      await expect(node.invoke({ messages: input })).rejects.toMatchObject({
        code: "INVALID_INPUT",
        message: "ToolNode only accepts AIMessages as input.",
      });
    }
  });

  test("an answer that calls nothing gives no messages", async () => {
    expect(await node.invoke({ messages: [new AIMessage("done")] })).toEqual({ messages: [] });
  });
});

describe("which calls run", () => {
  test("calls that have a result after their message are not run again", async () => {
    const run = vi.fn<(text: string) => string>((text) => text);
    const node = new ToolNode([tool(run, { name: "echo" })]);
    const ai = asking(["echo", { input: "a" }], ["echo", { input: "b" }]);
    const done = new ToolMessage({ content: "rejected", tool_call_id: "c1" });
    const update = await node.invoke({ messages: [ai, done] });
    expect(update).toMatchObject({ messages: [{ content: "b", tool_call_id: "c2" }] });
    expect(run).toHaveBeenCalledTimes(1);
  });

  test("a result of an earlier call with the same id does not count", async () => {
    const node = new ToolNode([shout]);
    const first = asking(["shout", { input: "a" }]);
    const result = new ToolMessage({ content: "A", tool_call_id: "c1" });
    const second = asking(["shout", { input: "b" }]);
    const update = await node.invoke({ messages: [first, result, second] });
    expect(update).toMatchObject({ messages: [{ content: "B", tool_call_id: "c1" }] });
  });

  test("G8: calls that do not parse are answered with what is wrong", async () => {
    const ai = new AIMessage({
      content: "",
      tool_calls: calls(["shout", { input: "a" }]),
      invalid_tool_calls: [
        { id: "bad", name: "add", args: `{"a":1,`, error: "Malformed args." },
        { id: "old", name: "add", args: "{", error: "Malformed args." },
      ],
    });
    const old = new ToolMessage({ content: "told before", tool_call_id: "old" });
    const update = await new ToolNode([add, shout]).invoke({ messages: [ai, old] });
    expect(update.messages).toHaveLength(2);
    expect(update.messages[1]).toMatchObject({
      content:
        `Error invoking tool 'add' with kwargs {"a":1, with error:\n Malformed args.\n` +
        ` Please fix the error and try again.`,
      tool_call_id: "bad",
      name: "add",
      status: "error",
    });
  });

  test("item 64: an unknown tool is answered, the others run", async () => {
    const ai = asking(["nope"], ["shout", { input: "a" }]);
    expect(await new ToolNode([add, shout]).invoke([ai])).toMatchObject([
      { content: "Error: nope is not a valid tool, try one of [add, shout].", status: "error" },
      { content: "A", status: "success" },
    ]);
  });
});

describe("item 71: calls run in parallel, results are in the order of the calls", () => {
  test("three of 200 ms take 200 ms, and the first may be the slowest", async () => {
    vi.useFakeTimers();
    const wait = tool(
      async ({ ms }) => {
        await pause(ms);
        return ms;
      },
      { name: "wait", schema: z.object({ ms: z.number() }) },
    );
    const ai = asking(["wait", { ms: 200 }], ["wait", { ms: 100 }], ["wait", { ms: 150 }]);
    const results = new ToolNode([wait]).invoke([ai]);
    await vi.advanceTimersByTimeAsync(200);
    expect(await results).toMatchObject([
      { content: "200" },
      { content: "100" },
      { content: "150" },
    ]);
  });
});

describe("item 72: errors become messages", () => {
  const bad = tool(
    () => {
      throw new TypeError("x is not a function");
    },
    { name: "bad" },
  );

  test("the other calls are not concerned", async () => {
    expect(
      await new ToolNode([bad, shout]).invoke([asking(["bad"], ["shout", { input: "a" }])]),
    ).toMatchObject([
      {
        content: "Error: TypeError: x is not a function\n Please fix your mistakes.",
        status: "error",
      },
      { content: "A", status: "success" },
    ]);
  });

  test("TOO-20: an error that passes signals the others and waits for them", async () => {
    const written: string[] = [];
    const ended: string[] = [];
    const writes = tool(
      async (_: string, { signal }) => {
        await pause(5);
        if (!signal.aborted) written.push("file");
        await pause(5);
        ended.push("writes");
        return "written";
      },
      { name: "writes" },
    );
    const node = new ToolNode([bad, writes], { handleToolErrors: false });
    await expect(node.invoke([asking(["writes"], ["bad"])])).rejects.toThrow("x is not a function");
    expect(written).toEqual([]);
    expect(ended).toEqual(["writes"]);
  });

  test("the first failure counts, not those that it caused", async () => {
    const aborts = tool(
      (_: string, { signal }) =>
        new Promise<never>((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(new Error("consequence")));
        }),
      { name: "aborts" },
    );
    const node = new ToolNode([aborts, bad], { handleToolErrors: [SyntaxError] });
    await expect(node.invoke([asking(["aborts"], ["bad"])])).rejects.toThrow("x is not a function");
  });

  test("a control signal passes, and does not disturb the others", async () => {
    const interrupt = { [brandSymbol("control")]: true };
    const asks = tool(
      () => {
        throw interrupt;
      },
      { name: "asks" },
    );
    const aborted: boolean[] = [];
    const slow = tool(
      async (_: string, { signal }) => {
        await pause(5);
        aborted.push(signal.aborted);
      },
      { name: "slow" },
    );
    for (const handleToolErrors of [true, false]) {
      const node = new ToolNode([asks, slow], { handleToolErrors });
      await expect(node.invoke([asking(["asks"], ["slow"])])).rejects.toBe(interrupt);
    }
    expect(aborted).toEqual([false, false]);
  });

  test.each([true, false])("an abort of the run passes (handleToolErrors %j)", async (handle) => {
    const controller = new AbortController();
    const reason = new Error("cancelled");
    const waits = tool(
      (_: string, { signal }) =>
        new Promise<never>((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason as Error));
        }),
      { name: "waits" },
    );
    const node = new ToolNode([waits], { handleToolErrors: handle });
    const running = node.invoke([asking(["waits"], ["waits"])], { signal: controller.signal });
    controller.abort(reason);
    await expect(running).rejects.toBe(reason);
  });

  test("no listener stays on the run's signal", async () => {
    const { signal } = new AbortController();
    const on = vi.spyOn(signal, "addEventListener");
    const off = vi.spyOn(signal, "removeEventListener");
    const node = new ToolNode([shout], { handleToolErrors: false });
    await node.invoke([asking(["shout"], ["shout"])], { signal });
    expect(on.mock.calls.length).toBe(off.mock.calls.length);
  });
});

describe("commands that tools return", () => {
  const handoff = tool(() => new Command({ goto: "other" }), { name: "handoff" });

  test("they stand beside the messages", async () => {
    const node = new ToolNode([handoff, shout]);
    const output: unknown = await node.invoke({
      messages: [asking(["handoff"], ["shout", { input: "a" }])],
    });
    expect(output).toMatchObject([{ messages: [{ content: "A" }] }, { goto: ["other"] }]);
    expect((output as unknown[])[1]).toBeInstanceOf(Command);
    expect(await node.invoke([asking(["handoff"])])).toMatchObject([{ goto: ["other"] }]);
  });
});

describe("what tools see", () => {
  test("the state, the node's runtime, and the node's tags", async () => {
    const seen: ToolRuntime[] = [];
    const look = tool(
      (_: string, runtime: ToolRuntime<{ messages: unknown[] }>) => {
        seen.push(runtime);
      },
      { name: "look" },
    );
    const state = { messages: [asking(["look"])] };
    const { signal } = new AbortController();
    await new ToolNode([look], { tags: ["t"] }).invoke(state, {
      signal,
      context: { user: "u" },
      configurable: { thread_id: "1" },
      tags: ["run"],
    });
    expect(seen[0]).toMatchObject({
      state,
      signal,
      context: { user: "u" },
      configurable: { thread_id: "1" },
      tags: ["run", "t"],
      toolCallId: "c1",
    });
  });
});

describe("as a node of a graph", () => {
  const State = Annotation.Root({
    messages: Annotation<BaseMessage[], MessagesInput>({
      reducer: (left, right) => messagesStateReducer(left, right),
      default: () => [],
    }),
  });

  test("item 59: two nodes, a condition and an edge back make an agent", async () => {
    const graph = new StateGraph(State)
      .addNode("agent", (state) => {
        const done = state.messages.some((message) => message.type === "tool");
        return { messages: done ? new AIMessage("3") : asking(["add", { a: 1, b: 2 }]) };
      })
      .addNode("tools", new ToolNode([add]))
      .addEdge(START, "agent")
      .addConditionalEdges("agent", toolsCondition)
      .addEdge("tools", "agent")
      .compile();
    const { messages } = await graph.invoke({ messages: "1 + 2?" });
    expect(messages.map(({ type }) => type)).toEqual(["human", "ai", "tool", "ai"]);
    expect(messages[2]).toMatchObject({ content: "3", tool_call_id: "c1" });
  });

  test("item 47: a Send for each call runs them as tasks of their own", async () => {
    const node = new ToolNode([add, shout]);
    const graph = new StateGraph(State)
      .addNode("agent", () => ({
        messages: asking(["add", { a: 1, b: 2 }], ["shout", { input: "x" }]),
      }))
      .addNode("tools", node)
      .addEdge(START, "agent")
      .addConditionalEdges("agent", (state) =>
        (state.messages.at(-1) as AIMessage).tool_calls.map(
          (tool_call) => new Send("tools", { __type: "tool_call_with_context", tool_call, state }),
        ),
      )
      .compile();
    const { messages } = await graph.invoke({});
    expect(messages).toMatchObject([{}, { content: "3" }, { content: "X" }]);
  });
});

describe("making a node", () => {
  test("from a list or from an object", () => {
    const byList = new ToolNode([add, shout], { name: "my_tools" });
    const byObject = new ToolNode({ tools: [add, shout], name: "my_tools" });
    for (const node of [byList, byObject]) {
      expect(node.name).toBe("my_tools");
      expect(node.tools).toEqual([add, shout]);
      expect(node.handleToolErrors).toBe(true);
    }
    expect(new ToolNode([add]).name).toBe("tools");
  });

  test("item 63: duplicates, unknown options and what is no tool are refused", () => {
    const make = (tools: readonly unknown[], options?: object) => () =>
      new ToolNode(tools as ToolLike[], options);
    expect(make([add, add])).toThrow(expect.objectContaining({ code: "DUPLICATE_TOOL" }));
    expect(make([{}])).toThrow(expect.objectContaining({ code: "INVALID_TOOL" }));
    expect(make([add], { handleErrors: true })).toThrow(
      expect.objectContaining({ code: "UNKNOWN_OPTION" }),
    );
    expect(make([add], { handleToolErrors: 5 })).toThrow(
      expect.objectContaining({ code: "INVALID_OPTION" }),
    );
  });

  test("item 63: with 10,000 tools a call takes no longer than with ten", async () => {
    const measure = async (count: number): Promise<number> => {
      const tools = Array.from({ length: count }, (_, i) => tool(() => "x", { name: `t${i}` }));
      const node = new ToolNode(tools);
      const ai = [asking([`t${count - 1}`])];
      let best = Number.POSITIVE_INFINITY;
      for (let round = 0; round < 20; round++) {
        const start = performance.now();
        for (let i = 0; i < 200; i++) await node.invoke(ai);
        best = Math.min(best, performance.now() - start);
      }
      return best;
    };
    await measure(10);
    expect(await measure(10_000)).toBeLessThan((await measure(10)) * 5);
  });
});
