import {
  AIMessage,
  Annotation,
  Command,
  createAgent,
  createReactAgent,
  IncompleteResponseError,
  MessagesAnnotation,
  RemoveMessage,
  REMOVE_ALL_MESSAGES,
  START,
  StateGraph,
  tool,
  validateChatHistory,
} from "superstep";
import { FakeChatModel } from "superstep/testing";
import { describe, expect, test } from "vitest";
import { rejectionOf } from "../scenarios/world.ts";
import { calling } from "./world.ts";

const factories = [createAgent, createReactAgent] as const;

describe("an agent inside a task of another run", () => {
  test("is cancelled with the outer run, and so is its model", async () => {
    let aborted: unknown;
    const hanging = {
      bindTools: () => hanging,
      invoke: (_: unknown, { signal }: { signal: AbortSignal }) =>
        new Promise<never>((_resolve, reject) => {
          signal.addEventListener("abort", () => {
            aborted = signal.reason;
            reject(signal.reason as Error);
          });
        }),
    };
    const inner = createAgent({ model: hanging });
    const outer = new StateGraph(Annotation.Root({ n: Annotation<number> }))
      .addNode("call", async () => {
        await inner.invoke({ messages: "q" });
      })
      .addEdge(START, "call")
      .compile();
    const controller = new AbortController();
    const reason = new Error("enough");
    setTimeout(() => controller.abort(reason), 10);
    expect(await rejectionOf(outer.invoke({ n: 1 }, { signal: controller.signal }))).toBe(reason);
    expect(aborted).toBe(reason);
  });

  test("streams its tokens into the outer run, each once, from nodes and from tools", async () => {
    const inner = createAgent({
      model: new FakeChatModel({ responses: ["one two", "three four"] }),
    });
    const ask = tool(async () => (await inner.invoke({ messages: "q" })).messages.at(-1)!.text, {
      name: "ask",
      description: "ask",
    });
    const model = new FakeChatModel({ responses: [calling(["ask", { input: "" }]), "done"] });
    const outer = new StateGraph(MessagesAnnotation)
      .addNode("inner", async () => ({
        messages: [(await inner.invoke({ messages: "q" })).messages.at(-1)!],
      }))
      .addNode("agent", async () => {
        await createAgent({ model, tools: [ask] }).invoke({ messages: "q" });
      })
      .addEdge(START, "inner")
      .addEdge("inner", "agent")
      .compile();
    const texts: string[] = [];
    for await (const [message] of outer.stream({ messages: "q" }, { streamMode: "messages" })) {
      if (message.type === "ai" && message.text !== "") texts.push(message.text.trim());
    }
    expect(texts).toEqual(["one", "two", "three", "four", "done"]);
  });
});

describe("models and tools that do not behave", () => {
  const run = tool((text) => text, { name: "run", description: "run" });

  test("a cut answer of a foreign model is refused, and its calls do not run", async () => {
    let runs = 0;
    const count = tool(() => ++runs, { name: "run", description: "run" });
    const cut = new AIMessage({
      content: "",
      tool_calls: [{ name: "run", args: { input: "x" } }],
      response_metadata: { finish_reason: "length" },
    });
    const model = { bindTools: () => model, invoke: async () => cut };
    for (const create of factories) {
      const error = await rejectionOf(create({ model, tools: [count] }).invoke({ messages: "q" }));
      expect(error).toBeInstanceOf(IncompleteResponseError);
    }
    expect(runs).toBe(0);
  });

  test("an id that the model repeats takes the place of no earlier message", async () => {
    for (const create of factories) {
      const answers = [
        calling(["run", { input: "a" }, "c1"]),
        calling(["run", { input: "b" }, "c2"]),
        new AIMessage("done"),
      ].map((answer) => new AIMessage({ ...answer.toJSON(), id: "same" }));
      const model = { bindTools: () => model, invoke: async () => answers.shift() };
      const { messages } = await create({ model, tools: [run] }).invoke({
        messages: "q",
      });
      expect(messages.map(({ type }) => type)).toEqual(["human", "ai", "tool", "ai", "tool", "ai"]);
      validateChatHistory(messages);
    }
  });

  test("a tool may wipe the history where another returns directly", async () => {
    const direct = tool((text) => text, { name: "direct", description: "d", returnDirect: true });
    for (const create of factories) {
      const model = new FakeChatModel({ responses: [calling(["clear", { input: "" }]), "fresh"] });
      const clear = tool(
        () =>
          new Command({
            update: { messages: [new RemoveMessage({ id: REMOVE_ALL_MESSAGES })] },
          }) as never as string,
        { name: "clear", description: "clear" },
      );
      const { messages } = await create({ model, tools: [clear, direct] }).invoke({
        messages: "q",
      });
      expect(messages.at(-1)?.text).toBe("fresh");
    }
  });

  test("whatever a tool throws is told to the model as some text", async () => {
    const odd = Object.assign(new Error("q"), { message: { deep: 1 } });
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const getter = Object.defineProperty({}, "message", {
      get() {
        throw new Error("no");
      },
    });
    for (const thrown of [
      odd,
      proxy,
      getter,
      Object.assign(new Error("x"), { name: Symbol("n") }),
    ]) {
      const throws = tool(
        () => {
          throw thrown;
        },
        { name: "throws", description: "throws" },
      );
      const model = new FakeChatModel({ responses: [calling(["throws", { input: "" }]), "done"] });
      const { messages } = await createAgent({ model, tools: [throws] }).invoke({ messages: "q" });
      expect(messages[2]).toMatchObject({ type: "tool", status: "error" });
      expect(messages.at(-1)?.text).toBe("done");
    }
  });
});
