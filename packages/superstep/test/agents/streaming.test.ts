import {
  AIMessage,
  AIMessageChunk,
  type BaseMessage,
  concatChunks,
  createReactAgent,
  MessagesAnnotation,
  START,
  StateGraph,
  tool,
  ToolMessage,
} from "superstep";
import { FakeChatModel } from "superstep/testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { readAll, turns } from "../scenarios/world.ts";
import { add, type Agent, calling, counted, factories, last, needMoreSteps } from "./world.ts";

type Piece = readonly [message: object, metadata: { langgraph_node: string }];

/** The texts that were streamed, joined by message id, in the order of the first piece. */
function textsById(pieces: readonly Piece[]): [string | undefined, string][] {
  const texts = new Map<string | undefined, string>();
  for (const [message] of pieces as readonly (readonly [BaseMessage, unknown])[]) {
    texts.set(message.id, (texts.get(message.id) ?? "") + message.text);
  }
  return [...texts];
}

const words = (count: number): string[] => Array.from({ length: count }, (_, i) => `w${i} `);

async function messagesOf(agent: Agent, options: object = {}): Promise<Piece[]> {
  return readAll(agent.stream({ messages: "q" }, { ...options, streamMode: "messages" }));
}

describe.each(factories)("stream mode messages in $name", ({ create, node }) => {
  test("item 70: tokens of the model, each once, under the id that the state has", async () => {
    const model = new FakeChatModel({
      responses: [{ chunks: ["Hel", "lo ", "world"] }],
    });
    const stream = create({ model }).stream(
      { messages: "q" },
      { streamMode: ["messages", "values"] },
    );
    const pieces: Piece[] = [];
    let final: readonly BaseMessage[] = [];
    for await (const item of stream) {
      if (item[0] === "messages") pieces.push(item[1]);
      else final = item[1].messages;
    }
    expect(pieces.map(([message]) => (message as BaseMessage).text)).toEqual([
      "Hel",
      "lo ",
      "world",
    ]);
    const ids = new Set(pieces.map(([message]) => (message as BaseMessage).id));
    expect([...ids]).toEqual([last(final).id]);
    expect(last(final).text).toBe("Hello world");
    for (const [message, metadata] of pieces) {
      expect(message).toBeInstanceOf(AIMessageChunk);
      expect(metadata).toMatchObject({ langgraph_node: node, langgraph_step: 1 });
    }
  });

  test("item 70: the answer's own id is the id of its pieces", async () => {
    const model = new FakeChatModel({
      responses: [new AIMessage({ content: "one two three", id: "mine" })],
    });
    expect(textsById(await messagesOf(create({ model })))).toEqual([["mine", "one two three"]]);
  });

  test("item 70: answers, calls and results in the order in which they happen", async () => {
    const model = new FakeChatModel({
      responses: [
        new AIMessage({
          content: "I add.",
          id: "a1",
          tool_calls: [
            { name: "add", args: { a: 1, b: 2 }, id: "c1" },
            { name: "add", args: { a: 3, b: 4 }, id: "c2" },
          ],
        }),
        new AIMessage({ content: "3 and 7", id: "a2" }),
      ],
    });
    const pieces = await messagesOf(create({ model, tools: [add] }));
    const texts = textsById(pieces);
    expect(texts.map(([, text]) => text)).toEqual(["I add.", "3", "7", "3 and 7"]);
    const tools = pieces.filter(([message]) => message instanceof ToolMessage);
    expect(tools.map(([message]) => (message as ToolMessage).tool_call_id)).toEqual(["c1", "c2"]);
    expect(tools.map(([, metadata]) => metadata.langgraph_node)).toEqual(["tools", "tools"]);
    const chunks = pieces
      .map(([message]) => message as AIMessageChunk)
      .filter(({ id }) => id === "a1");
    const whole = concatChunks(chunks);
    expect(whole.tool_calls.map(({ id }) => id)).toEqual(["c1", "c2"]);
  });

  test("item 70: a model that cannot stream is heard once, whole", async () => {
    const model = { invoke: async (): Promise<unknown> => new AIMessage("whole") };
    const pieces = await messagesOf(create({ model }));
    expect(pieces.map(([message]) => (message as BaseMessage).text)).toEqual(["whole"]);
  });

  test("STR-04: of a model tagged nostream nothing is streamed; the state has its answer", async () => {
    const model = new FakeChatModel({ responses: ["secret words"] });
    const agent = create({ model: model.bind({ tags: ["nostream"] }) });
    const stream = agent.stream({ messages: "q" }, { streamMode: ["messages", "values"] });
    const pieces: unknown[] = [];
    let final: readonly BaseMessage[] = [];
    for await (const item of stream) {
      if (item[0] === "messages") pieces.push(item[1]);
      else final = item[1].messages;
    }
    expect(last(final).text).toBe("secret words");
    expect(pieces).toEqual([]);
  });

  test("item 77: several modes together, in pairs", async () => {
    const says = tool(
      (_: object, { writer }) => {
        writer({ progress: 1 });
        return "ok";
      },
      { name: "says", description: "says", schema: z.object({}) },
    );
    const model = new FakeChatModel({ responses: [calling("says"), "done"] });
    const items = await readAll(
      create({ model, tools: [says] }).stream(
        { messages: "q" },
        { streamMode: ["values", "updates", "messages", "custom"] },
      ),
    );
    const count = (mode: string) => items.filter(([each]) => each === mode).length;
    expect(count("values")).toBe(4);
    expect(count("updates")).toBe(3);
    expect(items.filter(([mode]) => mode === "custom")).toEqual([["custom", { progress: 1 }]]);
    expect(count("messages")).toBeGreaterThanOrEqual(3);
  });

  test("item 77: an unknown mode is refused", async () => {
    const agent = create({ model: new FakeChatModel({ responses: ["x"] }) });
    await expect(
      readAll(agent.stream({ messages: "q" }, { streamMode: "nope" as never })),
    ).rejects.toMatchObject({ code: "UNKNOWN_STREAM_MODE" });
  });

  test("item 23: the text of a soft stop is seen, once, under the id of the state", async () => {
    const model = new FakeChatModel({
      responses: [
        new AIMessage({ content: "", id: "a1", tool_calls: [{ name: "work", args: {} }] }),
      ],
    });
    const pieces = await messagesOf(create({ model, tools: [counted("work").tool] }), {
      recursionLimit: 1,
    });
    const stops = pieces.filter(([message]) => (message as BaseMessage).text === needMoreSteps);
    expect(stops.map(([message]) => (message as BaseMessage).id)).toEqual(["a1"]);
  });

  test("item 23: so is that of a model that cannot stream", async () => {
    for (const id of [undefined, "a1"]) {
      const work = counted("work").tool;
      const wants = new AIMessage({ content: "", id, tool_calls: [{ name: "work", args: {} }] });
      const model = {
        bindTools: () => model,
        invoke: async (): Promise<unknown> => wants,
      };
      const pieces = await messagesOf(create({ model, tools: [work] }), { recursionLimit: 1 });
      expect(pieces.map(([message]) => (message as BaseMessage).text)).toEqual([needMoreSteps]);
    }
  });

  test("a slow reader holds the model back", async () => {
    let produced = 0;
    const chunks = Object.assign(words(500), {
      *[Symbol.iterator](): Generator<string> {
        for (let i = 0; i < 500; i++) {
          produced++;
          yield `w${i} `;
        }
      },
    });
    const model = new FakeChatModel({ responses: [{ chunks }] });
    let read = 0;
    let lead = 0;
    for await (const _ of create({ model }).stream({ messages: "q" }, { streamMode: "messages" })) {
      read++;
      if (read % 10 === 0) await turns(30);
      lead = Math.max(lead, produced - read);
    }
    expect(read).toBe(500);
    expect(produced).toBe(500);
    expect(lead).toBeLessThanOrEqual(70);
    expect(lead).toBeGreaterThan(1);
  });

  test("leaving the loop cancels the call of the model", async () => {
    let signal: AbortSignal | undefined;
    const model = new FakeChatModel({
      responses: (_, options) => {
        signal = options.signal;
        return { chunks: words(1000), delayMs: 20 };
      },
    });
    const start = performance.now();
    for await (const _ of create({ model }).stream({ messages: "q" }, { streamMode: "messages" })) {
      break;
    }
    expect(signal).toBeInstanceOf(AbortSignal);
    expect(signal!.aborted).toBe(true);
    expect(performance.now() - start).toBeLessThan(1000);
  });

  test("a run that nobody reads the messages of is the same run", async () => {
    const script = () =>
      new FakeChatModel({
        responses: [{ chunks: ["a", "b"] }],
      });
    const quiet = await create({ model: script() }).invoke({ messages: "q" });
    const values = await readAll(
      create({ model: script() }).stream({ messages: "q" }, { streamMode: "values" }),
    );
    expect(last(quiet.messages).text).toBe("ab");
    expect(last(last(values).messages).text).toBe("ab");
  });

  test("a failure after some tokens rejects the stream after them", async () => {
    const model = new FakeChatModel({
      responses: [{ chunks: ["a", "b"], finishReason: "length" }],
    });
    const texts: string[] = [];
    const read = async () => {
      const stream = create({ model }).stream({ messages: "q" }, { streamMode: "messages" });
      for await (const [message] of stream) texts.push((message as BaseMessage).text);
    };
    await expect(read()).rejects.toMatchObject({ code: "INCOMPLETE_RESPONSE" });
    expect(texts).toEqual(["a", "b"]);
  });
});

describe("tokens of models in nodes of one's own", () => {
  function graphOf(node: (state: typeof MessagesAnnotation.State) => Promise<object>) {
    return new StateGraph(MessagesAnnotation)
      .addNode("own", node as never)
      .addEdge(START, "own")
      .compile();
  }

  test("item 70: through invoke, each once", async () => {
    const model = new FakeChatModel({ responses: [{ chunks: ["a", "b", "c"] }] });
    const graph = graphOf(async ({ messages }) => ({ messages: [await model.invoke(messages)] }));
    const pieces = await readAll(graph.stream({ messages: "q" }, { streamMode: "messages" }));
    expect(pieces.map(([message]) => (message as BaseMessage).text)).toEqual(["a", "b", "c"]);
    expect(textsById(pieces)).toHaveLength(1);
    expect(pieces[0]![1].langgraph_node).toBe("own");
  });

  test("item 70: through stream, each once, and the whole is not said again", async () => {
    const model = new FakeChatModel({ responses: [{ chunks: ["a", "b", "c"] }] });
    const graph = graphOf(async ({ messages }) => {
      const chunks: AIMessageChunk[] = [];
      for await (const chunk of model.stream(messages)) chunks.push(chunk);
      return { messages: [concatChunks(chunks)] };
    });
    const items = await readAll(
      graph.stream({ messages: "q" }, { streamMode: ["messages", "values"] }),
    );
    const pieces = items.flatMap((item) => (item[0] === "messages" ? [item[1]] : []));
    expect(pieces.map(([message]) => (message as BaseMessage).text)).toEqual(["a", "b", "c"]);
    const final = last(items.flatMap((item) => (item[0] === "values" ? [item[1].messages] : [])));
    expect(last(final)).toMatchObject({ type: "ai", content: "abc", id: textsById(pieces)[0]![0] });
    expect(last(final)).not.toBeInstanceOf(AIMessageChunk);
  });

  test("STR-04: a call tagged nostream whose answer is not stored streams nothing", async () => {
    const loud = new FakeChatModel({ responses: ["loud"] });
    const quiet = new FakeChatModel({ responses: ["quiet"] });
    const graph = graphOf(async ({ messages }) => {
      await quiet.invoke(messages, { tags: ["nostream"] });
      return { messages: [await loud.invoke(messages)] };
    });
    const pieces = await readAll(graph.stream({ messages: "q" }, { streamMode: "messages" }));
    expect(textsById(pieces).map(([, text]) => text)).toEqual(["loud"]);
  });

  test("STR-06: two results without ids are two messages in state and stream", async () => {
    const graph = graphOf(async () => ({
      messages: [
        new ToolMessage({ content: "one", tool_call_id: "c1" }),
        new ToolMessage({ content: "two", tool_call_id: "c2" }),
      ],
    }));
    const items = await readAll(
      graph.stream({ messages: "q" }, { streamMode: ["messages", "values"] }),
    );
    const pieces = items.flatMap((item) => (item[0] === "messages" ? [item[1]] : []));
    expect(textsById(pieces).map(([, text]) => text)).toEqual(["one", "two"]);
    const final = last(items.flatMap((item) => (item[0] === "values" ? [item[1].messages] : [])));
    expect(final.map(({ text }) => text)).toEqual(["q", "one", "two"]);
  });

  test("item 70: two models at once in one node keep their ids", async () => {
    const one = new FakeChatModel({ responses: [{ chunks: ["1a", "1b"] }] });
    const two = new FakeChatModel({ responses: [{ chunks: ["2a", "2b"] }] });
    const graph = graphOf(async ({ messages }) => ({
      messages: await Promise.all([one.invoke(messages), two.invoke(messages)]),
    }));
    const pieces = await readAll(graph.stream({ messages: "q" }, { streamMode: "messages" }));
    const texts = textsById(pieces).map(([, text]) => text);
    expect(texts.toSorted()).toEqual(["1a1b", "2a2b"]);
  });

  test("item 70: a model inside a tool streams from the tools node", async () => {
    const inner = new FakeChatModel({ responses: [{ chunks: ["in", "ner"] }] });
    const asks = tool(async () => (await inner.invoke("x")).text, {
      name: "asks",
      description: "asks",
      schema: z.object({}),
    });
    const agent = createReactAgent({
      llm: new FakeChatModel({ responses: [calling("asks"), "done"] }),
      tools: [asks],
    });
    const pieces = await readAll(agent.stream({ messages: "q" }, { streamMode: "messages" }));
    const fromTools = pieces.filter(([, metadata]) => metadata.langgraph_node === "tools");
    expect(fromTools.map(([message]) => (message as BaseMessage).text)).toEqual([
      "in",
      "ner",
      "inner",
    ]);
  });
});
