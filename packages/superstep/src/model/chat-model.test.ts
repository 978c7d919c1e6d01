import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AIMessage, AIMessageChunk, HumanMessage } from "../message/messages.ts";
import { concatChunks } from "../message/chunks.ts";
import { type TaskContext, withinTask } from "../stream/task-context.ts";
import { createChatModel } from "./chat-model.ts";
import { IncompleteResponseError } from "./errors.ts";
import type { FinishReason, ModelPart, ModelPort, ModelRequest } from "./port.ts";
import type { CallOptions } from "./types.ts";

/** A port that plays parts and remembers what it was asked. */
function playing(parts: readonly ModelPart[], more: Partial<ModelPort> = {}) {
  const requests: ModelRequest[] = [];
  const port: ModelPort = {
    provider: "played",
    modelName: "m",
    async *stream(request) {
      requests.push(request);
      yield* parts;
    },
    ...more,
  };
  return { model: createChatModel(port), requests };
}

const stop: ModelPart = { type: "finish", reason: "stop" };
const text = (piece: string, block = "0"): ModelPart => ({ type: "text", text: piece, block });
const call = (args: string, id = "c1", name = "add"): ModelPart => ({
  type: "tool-call",
  id,
  name,
  args,
});

async function drain(stream: AsyncIterable<AIMessageChunk>): Promise<AIMessageChunk[]> {
  const chunks: AIMessageChunk[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

function withoutId(message: AIMessage): object {
  const { id: _, ...rest } = message.toJSON();
  return rest;
}

/** A task whose reader keeps what it gets. */
function reading(more: Partial<TaskContext> = {}) {
  const pieces: { readonly message: object; readonly tags?: readonly string[] }[] = [];
  const silenced: string[] = [];
  const context: TaskContext = {
    signal: new AbortController().signal,
    wantsMessages: true,
    tags: [],
    trace: undefined,
    silence: (id) => silenced.push(id),
    emitMessage(piece) {
      pieces.push(piece);
      return undefined;
    },
    ...more,
  };
  return { context, pieces, silenced };
}

describe("an answer", () => {
  test("is a message with text, and an id that the model minted", async () => {
    const { model, requests } = playing([text("Hel"), text("lo"), stop]);
    const message = await model.invoke("hi");
    expect(message).toBeInstanceOf(AIMessage);
    expect(message).not.toBeInstanceOf(AIMessageChunk);
    expect(message.content).toBe("Hello");
    expect(message.id).toMatch(/^msg_/);
    expect(requests[0]?.messages).toEqual([new HumanMessage("hi")]);
  });

  test("comes in pieces that share one id and amount to what invoke gives", async () => {
    const parts = [text("Hel"), text("lo"), call('{"a":1}'), stop];
    const chunks = await drain(playing(parts).model.stream("hi"));
    expect(new Set(chunks.map((chunk) => chunk.id)).size).toBe(1);
    const whole = concatChunks(chunks).toMessage();
    const invoked = await playing(parts).model.invoke("hi");
    expect(withoutId(whole)).toEqual(withoutId(invoked));
  });

  test("is the same whether it came streamed or at once", async () => {
    const metadata = { model_name: "m" };
    const usage = { input_tokens: 1, output_tokens: 2, total_tokens: 3 };
    const end: ModelPart = { type: "finish", reason: "tool-calls", metadata, usage };
    const pieces: ModelPart[] = [
      { type: "reasoning", text: "Let me ", block: "r", provider: { p: { signature: "s" } } },
      { type: "reasoning", text: "think", block: "r" },
      text("Hi"),
      { type: "tool-call-delta", id: "c1", name: "add", args: "" },
      { type: "tool-call-delta", id: "c1", args: '{"a"' },
      { type: "tool-call-delta", id: "c1", args: ":1}" },
      { ...call('{"a":1}'), provider: { p: { itemId: "x" } } } as ModelPart,
      end,
    ];
    const whole: ModelPart[] = [
      { type: "reasoning", text: "Let me think", block: "0", provider: { p: { signature: "s" } } },
      text("Hi"),
      { ...call('{"a":1}'), provider: { p: { itemId: "x" } } } as ModelPart,
      end,
    ];
    const streamed = await playing(pieces, { rawToolCalls: true }).model.invoke("hi");
    const atOnce = await playing([], {
      rawToolCalls: true,
      generate: async () => whole,
    }).model.invoke("hi");
    expect(withoutId(streamed)).toEqual(withoutId(atOnce));
    expect(withoutId(streamed)).toEqual({
      type: "ai",
      content: [
        { type: "reasoning", reasoning: "Let me think", provider: { p: { signature: "s" } } },
        { type: "text", text: "Hi" },
      ],
      additional_kwargs: {
        tool_calls: [
          { id: "c1", type: "function", function: { name: "add", arguments: '{"a":1}' } },
        ],
      },
      response_metadata: metadata,
      tool_calls: [
        {
          type: "tool_call",
          id: "c1",
          name: "add",
          args: { a: 1 },
          provider: { p: { itemId: "x" } },
        },
      ],
      usage_metadata: usage,
    });
  });

  test("law: any parts, streamed and concatenated, are what invoke gives", async () => {
    const part = fc.oneof(
      fc.record({
        type: fc.constantFrom("text" as const, "reasoning" as const),
        text: fc.string({ maxLength: 4 }),
        block: fc.constantFrom("a", "b"),
      }),
      fc.record({
        type: fc.constant("block" as const),
        block: fc.constant({ type: "image", url: "https://example.com/a.png" }),
      }),
      fc.record({
        type: fc.constant("tool-call" as const),
        id: fc.constantFrom("", "x", "y"),
        name: fc.constantFrom("f", "g"),
        args: fc.constantFrom("", "{}", '{"a":[1]}', '{"a"', "7"),
      }),
      fc.record({
        type: fc.constant("tool-call-delta" as const),
        id: fc.constantFrom("x", "y"),
        name: fc.constantFrom("f", undefined),
        args: fc.constantFrom("", "{", "}", '"a":1'),
      }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 12 }), async (parts) => {
        const all = [...parts, stop] as ModelPart[];
        const chunks = await drain(playing(all).model.stream("hi"));
        const ids = chunks.map((chunk) => chunk.id);
        expect(new Set(ids).size).toBeLessThanOrEqual(1);
        const whole = concatChunks(chunks).toMessage();
        const invoked = await playing(all).model.invoke("hi");
        expect(whole.text).toBe(invoked.text);
        const texts = parts.map((each) => (each.type === "text" ? each.text : ""));
        expect(invoked.text).toBe(texts.join(""));
        const finished = parts.filter((each) => each.type === "tool-call");
        const calls = [...invoked.tool_calls, ...invoked.invalid_tool_calls];
        expect(calls.length).toBeGreaterThanOrEqual(finished.length);
        expect(new Set(calls.map((each) => each.id)).size).toBe(calls.length);
      }),
    );
  });

  test("keeps two texts beside each other apart, and reasoning before the call it was for", async () => {
    const { model } = playing([
      text("one", "1"),
      { ...text("two", "2"), provider: { p: { itemId: "i" } } } as ModelPart,
      call("{}"),
      { type: "reasoning", text: "more", block: "3" },
      call('{"b":2}', "c2"),
      stop,
    ]);
    const message = await model.invoke("hi");
    expect(message.content).toEqual([
      { type: "text", text: "one" },
      { type: "text", text: "two", index: 2, provider: { p: { itemId: "i" } } },
      { type: "tool_call", id: "c1", name: "add", args: {} },
      { type: "reasoning", reasoning: "more" },
    ]);
    expect(message.tool_calls.map((each) => each.id)).toEqual(["c1", "c2"]);
    expect(message.text).toBe("onetwo");
  });
});

describe("tool calls", () => {
  test("item 62: arguments are an object", async () => {
    const { model } = playing([call('{"query":"test","limit":10}'), stop]);
    const { tool_calls } = await model.invoke("hi");
    expect(tool_calls).toEqual([
      { type: "tool_call", id: "c1", name: "add", args: { query: "test", limit: 10 } },
    ]);
  });

  test("TOO-06: arguments that parse before their end are not taken before it", async () => {
    const delta = (args: string): ModelPart => ({ type: "tool-call-delta", id: "c1", args });
    const parts: ModelPart[] = [
      { type: "tool-call-delta", id: "c1", name: "find", args: '{"query":"test"' },
      delta(', "limit":1'),
      delta("0}"),
      call('{"query":"test", "limit":10}', "c1", "find"),
      stop,
    ];
    const { tool_calls } = await playing(parts).model.invoke("hi");
    expect(tool_calls.map((each) => each.args)).toEqual([{ query: "test", limit: 10 }]);
  });

  test("POA-05: a call without an id is given one", async () => {
    const { tool_calls } = await playing([call("{}", ""), stop]).model.invoke("hi");
    expect(tool_calls[0]?.id).toMatch(/^call_/);
  });

  test("item 43: are kept raw too, with the same ids, where the port says so", async () => {
    const { model } = playing([call('{"a":1}', ""), call("{}", "x"), call("{}", "x"), stop], {
      rawToolCalls: true,
    });
    const message = await model.invoke("hi");
    expect(message.content).toBe("");
    const raw = message.additional_kwargs["tool_calls"] as { id: string }[];
    expect(raw.map((each) => each.id)).toEqual(message.tool_calls.map((each) => each.id));
    expect(new Set(raw.map((each) => each.id)).size).toBe(3);
  });

  test("count as they were finished when that is not how their pieces were", async () => {
    const parts: ModelPart[] = [
      { type: "tool-call-delta", id: "c1", name: "sql", args: "SELECT 1" },
      call('{"input":"SELECT 1"}', "c1", "sql"),
      stop,
    ];
    const message = await playing(parts).model.invoke("hi");
    expect(message.tool_calls[0]?.args).toEqual({ input: "SELECT 1" });
    expect(message.invalid_tool_calls).toEqual([]);
  });

  test("with arguments that do not parse are invalid, and the answer is whole", async () => {
    const message = await playing([call('{"a":'), stop]).model.invoke("hi");
    expect(message.tool_calls).toEqual([]);
    expect(message.invalid_tool_calls).toMatchObject([{ name: "add", args: '{"a":', id: "c1" }]);
  });
});

describe("TOO-07: an answer that is not complete", () => {
  const reasons: [FinishReason | undefined, string | undefined, RegExp][] = [
    ["length", "length", /was cut by the token limit\. Its tool call was not run/],
    ["content-filter", "content-filter", /was filtered or refused/],
    ["error", "error", /failed on the provider's side/],
    ["other", "other", /ended for the reason "other"/],
    ["unknown", undefined, /ended without a finish reason/],
    [undefined, undefined, /ended without a finish reason/],
    ["interrupted", "interrupted", /ended for the reason "interrupted"/],
  ];
  test.for(reasons)("rejects when its reason is %s", async ([reason, known, message]) => {
    const parts: ModelPart[] = [text("so far"), call('{"a":1}'), { type: "finish", reason }];
    const error: unknown = await playing(parts, { rawToolCalls: true })
      .model.invoke("hi")
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(IncompleteResponseError);
    const { code, partial, finishReason, message: said } = error as IncompleteResponseError;
    expect(code).toBe("INCOMPLETE_RESPONSE");
    expect(said).toMatch(message);
    expect(finishReason).toBe(known);
    expect(partial.text).toBe("so far");
    expect(partial.tool_calls).toEqual([]);
    expect(partial.invalid_tool_calls).toMatchObject([
      { id: "c1", name: "add", args: '{"a":1}', error: expect.stringContaining("Not run") },
    ]);
    // Nor do they come back when the message is stored and read.
    expect(new AIMessage(JSON.parse(JSON.stringify(partial))).tool_calls).toEqual([]);
  });

  test.for(["stop", "tool-calls"])("is complete when its reason is %s", async (reason) => {
    const parts: ModelPart[] = [call('{"a":1}'), { type: "finish", reason }];
    expect((await playing(parts).model.invoke("hi")).tool_calls).toHaveLength(1);
  });

  test("rejects when the stream just ends", async () => {
    await expect(playing([text("so")]).model.invoke("hi")).rejects.toMatchObject({
      code: "INCOMPLETE_RESPONSE",
      partial: { content: "so" },
    });
  });

  test("is streamed as far as it goes, then throws the same error", async () => {
    const { model } = playing([text("a"), text("b"), { type: "finish", reason: "length" }]);
    const got: string[] = [];
    const drained = (async () => {
      for await (const chunk of model.stream("hi")) got.push(chunk.text);
    })();
    await expect(drained).rejects.toMatchObject({ code: "INCOMPLETE_RESPONSE" });
    expect(got).toEqual(["a", "b"]);
  });

  test("says what the provider said", async () => {
    const refused: ModelPart = { type: "finish", reason: "content-filter", detail: "Not allowed" };
    await expect(playing([refused]).model.invoke("hi")).rejects.toThrow("(Not allowed)");
  });
});

describe("settings", () => {
  test("PAN-02: what nobody set is not there, and undefined changes nothing", async () => {
    const { model, requests } = playing([stop]);
    const bound = model.bind({ temperature: 0, topP: undefined });
    await bound.invoke("hi", { temperature: undefined, maxTokens: 5 });
    expect(requests[0]?.settings).toEqual({ temperature: 0, maxTokens: 5 });
    expect("topP" in (requests[0]?.settings ?? {})).toBe(false);
  });

  test("models are immutable: binding gives another one", async () => {
    const { model, requests } = playing([stop]);
    const tool = { type: "function", function: { name: "f" } } as const;
    const one = model.bindTools([tool], { tool_choice: "f" });
    const two = one.bind({ seed: 1 }).bindTools([]);
    expect(model.settings).toEqual({});
    expect(one.settings).toEqual({ tools: [tool], tool_choice: "f" });
    expect(two.settings).toEqual({ tools: [], tool_choice: "f", seed: 1 });
    expect(Object.isFrozen(one.settings)).toBe(true);
    await two.invoke("hi");
    expect(requests[0]?.tools).toBeUndefined();
  });

  test("of providers, headers and metadata are merged by name, and tags are added", () => {
    const { model } = playing([stop]);
    const bound = model
      .bind({ providerOptions: { a: { x: 1, y: 1 } }, headers: { h: "1" }, tags: ["one"] })
      .withConfig({ providerOptions: { a: { y: 2, z: undefined }, b: {} }, tags: ["two"] });
    expect(bound.settings).toEqual({
      providerOptions: { a: { x: 1, y: 2 }, b: {} },
      headers: { h: "1" },
      tags: ["one", "two"],
    });
  });

  test("an option that no model has is refused with the names that there are", async () => {
    const { model } = playing([stop]);
    const wrong = { max_tokens: 3 } as CallOptions;
    expect(() => model.bind(wrong)).toThrow(/no option "max_tokens"/);
    await expect(model.invoke("hi", wrong)).rejects.toMatchObject({
      code: "UNKNOWN_OPTION",
      fix: expect.stringContaining('"maxTokens"'),
    });
  });

  test("the runtime of a node is taken as options", async () => {
    const { model, requests } = playing([stop]);
    const runtime = { configurable: {}, recursionLimit: 5, tags: ["t"], signal: undefined };
    await model.invoke("hi", runtime);
    expect(requests[0]?.settings).toEqual({ tags: ["t"] });
  });

  test("item 61: tools can be given with the call, without an agent", async () => {
    const { model, requests } = playing([stop]);
    const tool = {
      name: "add",
      description: "Adds.",
      toJsonSchema: async () => ({ type: "object" }),
    };
    await model.invoke("hi", { tools: [tool] });
    expect(requests[0]?.tools).toEqual([
      {
        type: "function",
        function: { name: "add", description: "Adds.", parameters: { type: "object" } },
      },
    ]);
  });

  test("tools of OpenAI's and Anthropic's shape are bound, and what is no tool is refused", async () => {
    const { model, requests } = playing([stop]);
    const server = { type: "web_search_20250305", name: "web_search", max_uses: 1 };
    await model
      .bindTools([
        { type: "function", name: "a", parameters: { type: "object" } },
        { name: "b", description: "B", input_schema: { type: "object" } },
        server,
      ])
      .invoke("hi");
    expect(requests[0]?.tools).toEqual([
      { type: "function", function: { name: "a", parameters: { type: "object" } } },
      {
        type: "function",
        function: { name: "b", description: "B", parameters: { type: "object" } },
      },
      server,
    ]);
    await expect(model.bindTools([{ name: "nothing" }]).invoke("hi")).rejects.toMatchObject({
      code: "INVALID_TOOL",
    });
  });
});

describe("tokens in a run", () => {
  const answer = [text("Hel"), text("lo"), stop];

  test("go to the reader of the task, also when the node called invoke", async () => {
    const { context, pieces } = reading();
    const tagged = playing(answer).model.bind({ tags: ["bound"] });
    const message = await withinTask(context, () => tagged.invoke("hi", { tags: ["mine"] }));
    expect(pieces.map((piece) => (piece.message as AIMessageChunk).content)).toEqual(["Hel", "lo"]);
    expect(pieces.map((piece) => (piece.message as AIMessageChunk).id)).toEqual([
      message.id,
      message.id,
    ]);
    expect(pieces[0]?.tags).toEqual(["bound", "mine"]);
  });

  test("go to the task that was named rather than to the one that is running", async () => {
    const named = reading();
    const ambient = reading();
    const { model } = playing(answer);
    await withinTask(ambient.context, () => model.invoke("hi", { task: named.context }));
    expect(named.pieces).toHaveLength(2);
    expect(ambient.pieces).toHaveLength(0);
  });

  test.for([
    ["the call", { tags: ["nostream"] }, {}],
    ["the run", {}, { tags: ["nostream"] }],
  ] as const)("STR-04: the tag nostream of %s keeps them back", async ([, options, task]) => {
    const { context, pieces, silenced } = reading(task);
    const { model } = playing(answer);
    const message = await withinTask(context, () => model.invoke("hi", options));
    expect(message.content).toBe("Hello");
    expect(pieces).toEqual([]);
    // Nor is it streamed when the node writes it to the state.
    expect(silenced).toEqual([message.id]);
  });

  test("are not made when nobody reads them", async () => {
    const { context } = reading({ wantsMessages: false });
    let streams = 0;
    const { model } = playing([], {
      async *stream() {
        streams++;
        yield* answer;
      },
      generate: async () => answer,
    });
    await withinTask(context, () => model.invoke("hi"));
    expect(streams).toBe(0);
    await withinTask({ ...context, wantsMessages: true }, () => model.invoke("hi"));
    expect(streams).toBe(1);
  });

  test("wait for a reader that has fallen behind", async () => {
    let release = (): void => {};
    const { context, pieces } = reading({
      emitMessage(piece) {
        pieces.push(piece);
        return new Promise((resolve) => {
          release = resolve;
        });
      },
    });
    const done = withinTask(context, () => playing(answer).model.invoke("hi"));
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(pieces).toHaveLength(1);
    release();
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(pieces).toHaveLength(2);
    release();
    expect((await done).content).toBe("Hello");
  });

  test("STR-16: the usage comes with the last piece", async () => {
    const usage = { input_tokens: 17, output_tokens: 4, total_tokens: 21 };
    const { context, pieces } = reading();
    const { model } = playing([text("Hi"), { type: "finish", reason: "stop", usage }]);
    const message = await withinTask(context, () => model.invoke("hi"));
    expect((pieces.at(-1)!.message as AIMessageChunk).usage_metadata).toEqual(usage);
    expect(message.usage_metadata).toEqual(usage);
  });
});

describe("aborting", () => {
  /** A port that never answers, and does not even look at its signal. */
  function hanging() {
    const signals: AbortSignal[] = [];
    const forever = new Promise<never>(() => {});
    const { model } = playing([], {
      async *stream({ signal }) {
        signals.push(signal);
        yield text("first");
        await forever;
      },
      generate({ signal }) {
        signals.push(signal);
        return forever;
      },
    });
    return { model, signals };
  }

  test.for(["signal", "task"] as const)(
    "by the %s rejects at once and stops the request",
    async (by) => {
      const { model, signals } = hanging();
      const abort = new AbortController();
      const { context } = reading({
        signal: by === "task" ? abort.signal : new AbortController().signal,
      });
      const reason = new Error("enough");
      const running = model.invoke("hi", {
        task: context,
        ...(by === "signal" && { signal: abort.signal }),
      });
      setTimeout(() => abort.abort(reason), 5);
      await expect(running).rejects.toBe(reason);
      expect(signals[0]?.aborted).toBe(true);
    },
  );

  test("rejects at once without a reader too", async () => {
    const { model, signals } = hanging();
    const abort = new AbortController();
    setTimeout(() => abort.abort(), 5);
    await expect(model.invoke("hi", { signal: abort.signal })).rejects.toMatchObject({
      name: "AbortError",
    });
    expect(signals[0]?.aborted).toBe(true);
  });

  test("a reason that is no error becomes one", async () => {
    const { model } = hanging();
    const abort = new AbortController();
    setTimeout(() => abort.abort("tired"), 5);
    await expect(model.invoke("hi", { signal: abort.signal })).rejects.toMatchObject({
      code: "RUN_CANCELLED",
      message: expect.stringContaining("tired"),
    });
  });

  test("before the call makes no request", async () => {
    const { model, requests } = playing([stop]);
    await expect(model.invoke("hi", { signal: AbortSignal.abort() })).rejects.toMatchObject({
      name: "AbortError",
    });
    expect(requests).toEqual([]);
  });

  test("leaving a stream stops the request", async () => {
    const { model, signals } = hanging();
    for await (const chunk of model.stream("hi")) {
      expect(chunk.text).toBe("first");
      break;
    }
    expect(signals[0]?.aborted).toBe(true);
  });

  test("a signal that lives long is not held on to", async () => {
    const abort = new AbortController();
    let listeners = 0;
    const { signal } = abort;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = ((...args: Parameters<typeof add>) => {
      listeners++;
      add(...args);
    }) as typeof signal.addEventListener;
    signal.removeEventListener = ((...args: Parameters<typeof remove>) => {
      listeners--;
      remove(...args);
    }) as typeof signal.removeEventListener;
    const { model } = playing([text("a"), stop]);
    for (let turn = 0; turn < 20; turn++) await model.invoke("hi", { signal });
    expect(listeners).toBe(0);
  });
});

test("an error of the port is the error of the call, once", async () => {
  const failure = new Error("no network");
  let asked = 0;
  const { model } = playing([], {
    stream() {
      asked++;
      throw failure;
    },
  });
  await expect(model.invoke("hi")).rejects.toBe(failure);
  await expect(drain(model.stream("hi"))).rejects.toBe(failure);
  expect(asked).toBe(2);
});

test("what is no message is refused with the forms that are taken", async () => {
  const { model } = playing([stop]);
  await expect(model.invoke({ nonsense: true } as never)).rejects.toMatchObject({
    code: "INVALID_MESSAGE",
  });
});
