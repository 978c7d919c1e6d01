import {
  AIMessage,
  Annotation,
  createAgent,
  createReactAgent,
  END,
  HumanMessage,
  MemorySaver,
  Send,
  START,
  StateGraph,
  tool,
} from "superstep";
import { FakeChatModel } from "superstep/testing";
import { describe, test } from "vitest";
import { z } from "zod";
import { type Agent, counted, echo } from "../agents/world.ts";
import { calls, expectGolden, mailAssistant, question } from "./world.ts";

const input = { messages: question };
const fails = (run: Promise<unknown>): Promise<unknown> => run.catch((error: unknown) => error);

const breaks = tool(
  () => {
    throw new RangeError("no such city\nin the list");
  },
  { name: "breaks", description: "Fails", schema: z.object({ city: z.string() }) },
);

function agent(...responses: readonly (string | AIMessage | Error)[]): Agent {
  return createAgent({ model: new FakeChatModel({ responses }), tools: [echo, breaks] });
}

describe("the printed flow of a run", () => {
  test("item 51: the mail assistant prints every line from question to answer, in order", () =>
    expectGolden("mail", (trace) => mailAssistant().invoke(input, { trace })));

  test("item 89: the lines stand under the five phases, and verbose adds gates, times and steps", () =>
    expectGolden("mail-verbose", (trace) => mailAssistant().invoke(input, { trace }), {
      verbose: true,
    }));

  test("parallel tools have a line each as they start, and their updates as they end", () =>
    expectGolden("parallel", (trace) =>
      agent(
        calls(["echo", { text: "it's" }], ["echo", { text: "b" }]),
        calls(["echo", { text: "c" }]),
        "Done.",
      ).invoke({ messages: "q" }, { trace }),
    ));

  test("a history that is repaired", () =>
    expectGolden("repair", (trace) =>
      agent("Never mind.").invoke(
        {
          messages: [
            new HumanMessage("q"),
            calls(["echo", { text: "a" }]),
            new HumanMessage("stop"),
          ],
        },
        { trace },
      ),
    ));

  test("a soft landing", () =>
    expectGolden("soft-landing", (trace) =>
      agent(calls(["echo", { text: "a" }])).invoke({ messages: "q" }, { trace, recursionLimit: 2 }),
    ));

  test("tools that fail, that do not exist, and calls that cannot be executed", () =>
    expectGolden("tool-error", (trace) =>
      agent(
        calls(["breaks", { city: "Bonn" }], ["missing", { "a-b": null }]),
        new AIMessage({
          content: "Again.",
          invalid_tool_calls: [
            { id: "i1", name: "echo", args: '{"text', error: "Malformed args." },
          ],
        }),
        "It does not work.",
      ).invoke({ messages: "q" }, { trace }),
    ));

  test("a model that fails", () =>
    expectGolden("model-error", (trace) =>
      fails(agent(new Error("no\n  answer")).invoke({ messages: "q" }, { trace })),
    ));

  test("an agent without tools", () =>
    expectGolden("no-tools", (trace) =>
      createAgent({ model: new FakeChatModel({ responses: ["Hello."] }) }).invoke(
        { messages: "Hi" },
        { trace },
      ),
    ));

  test("a tool whose result is the answer", () =>
    expectGolden("return-direct", (trace) =>
      createAgent({
        model: new FakeChatModel({ responses: [calls(["answer"])] }),
        tools: [counted("answer", { returnDirect: true }).tool],
      }).invoke({ messages: "q" }, { trace }),
    ));

  test("createReactAgent, which tells no build steps", () =>
    expectGolden("react", (trace) =>
      createReactAgent({
        llm: new FakeChatModel({ responses: [calls(["echo", { text: "a" }]), "Done."] }),
        tools: [echo],
        prompt: "Be short.",
      }).invoke({ messages: "q" }, { trace }),
    ));
});

describe("the printed flow of a plain graph", () => {
  const State = Annotation.Root({
    n: Annotation<number>(),
    seen: Annotation<string[]>({ reducer: (a, b) => [...a, ...b], default: () => [] }),
  });

  function graph(check: () => object) {
    return new StateGraph(State)
      .addNode("plan", () => ({ n: 2, seen: ["plan"] }))
      .addNode("work", (each: { readonly part: number }) => ({ seen: [`part ${each.part}`] }))
      .addNode("check", check)
      .addEdge(START, "plan")
      .addConditionalEdges(
        "plan",
        function spread({ n }) {
          return Array.from({ length: n }, (_, part) => new Send("work", { part }));
        },
        ["work"],
      )
      .addEdge("work", "check")
      .addEdge("check", END);
  }

  test("supersteps, updates and conditional edges", () =>
    expectGolden("graph", (trace) =>
      graph(() => ({}))
        .compile()
        .invoke({ n: 0 }, { trace }),
    ));

  test("a node that fails, and the run that goes on after it", async () => {
    const failing = (trace: Parameters<Parameters<typeof expectGolden>[1]>[0]) => {
      let times = 0;
      const checkpointer = new MemorySaver();
      const compiled = graph(() => {
        if (times++ === 0) throw new RangeError("out of parts");
        return { n: 3 };
      }).compile({ checkpointer });
      const options = { trace, runId: "r1", configurable: { thread_id: "t1" } };
      return fails(compiled.invoke({ n: 0 }, options)).then(() =>
        compiled.invoke(null, { ...options, runId: "r2" }),
      );
    };
    await expectGolden("failing-node", failing, { verbose: true });
  });

  test("a run that reaches its limit, and one that is cancelled", async () => {
    const loop = new StateGraph(State)
      .addNode("again", () => ({}))
      .addEdge(START, "again")
      .addEdge("again", "again")
      .compile();
    await expectGolden("limit", (trace) =>
      fails(loop.invoke({ n: 0 }, { trace, recursionLimit: 2 })),
    );
    const stop = new AbortController();
    stop.abort("enough");
    await expectGolden("cancelled", (trace) =>
      fails(loop.invoke({ n: 0 }, { trace, signal: stop.signal })),
    );
  });
});
