import { describe, expect, test } from "vitest";
import { AIMessage, AIMessageChunk, HumanMessage } from "../message/messages.ts";
import type { TaskContext } from "../stream/task-context.ts";
import { FakeChatModel } from "./fake-model.ts";

async function drain(stream: AsyncIterable<AIMessageChunk>): Promise<AIMessageChunk[]> {
  const chunks: AIMessageChunk[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

describe("a scripted model", () => {
  test("says its lines in order, in all the forms that they can have", async () => {
    const call = { id: "c", name: "f", args: { a: 1 } };
    const model = new FakeChatModel({
      responses: [
        "text",
        new AIMessage({ content: "mine", id: "my-id" }),
        { role: "assistant", content: "plain" },
        { type: "ai", content: "", tool_calls: [{ ...call, type: "tool_call" }] },
        { chunks: ["in ", "pieces"] },
        (messages) => `you said ${messages[0]?.text}`,
        async () => ({ chunks: [new AIMessageChunk("made")] }),
      ],
    });
    const answers: AIMessage[] = [];
    for (let turn = 0; turn < 7; turn++) answers.push(await model.invoke("hi"));
    expect(answers.map((answer) => answer.content)).toEqual([
      "text",
      "mine",
      "plain",
      "",
      "in pieces",
      "you said hi",
      "made",
    ]);
    expect(answers[1]?.id).toBe("my-id");
    expect(answers.every((answer) => answer.id !== undefined)).toBe(true);
    expect(answers[3]?.tool_calls).toEqual([{ ...call, type: "tool_call" }]);
    model.assertFinished();
  });

  test("throws the error that is its line, the same object", async () => {
    const error = new Error("down");
    const model = new FakeChatModel({ responses: [error, () => error, "up"] });
    await expect(model.invoke("hi")).rejects.toBe(error);
    await expect(model.invoke("hi")).rejects.toBe(error);
    expect((await model.invoke("hi")).content).toBe("up");
  });

  test("a line too many says how many there are and after what", async () => {
    const model = new FakeChatModel({ responses: ["one"] });
    await model.invoke("hi");
    await expect(model.invoke("again")).rejects.toMatchObject({
      code: "SCRIPT_EXHAUSTED",
      message:
        'The scripted model has 1 lines and was asked for line 2, after a message of type human: "again".',
    });
  });

  test("a line left over is named", () => {
    const model = new FakeChatModel({ responses: ["one", "two"] });
    expect(() => model.assertFinished()).toThrow(
      expect.objectContaining({
        code: "SCRIPT_UNFINISHED",
        message: 'The scripted model has 2 lines left over: "one"; "two".',
      }) as Error,
    );
  });

  test("one function can give all the answers", async () => {
    const model = new FakeChatModel({ responses: (messages) => `${messages.length}` });
    expect((await model.invoke(["a", "b"])).content).toBe("2");
    expect((await model.invoke("a")).content).toBe("1");
    model.assertFinished();
  });

  test("needs responses", () => {
    expect(() => new FakeChatModel({} as never)).toThrow(/needs responses/);
  });

  test("calls at the same time get their lines in the order of the calls", async () => {
    const model = new FakeChatModel({ responses: [{ chunks: ["slow"], delayMs: 10 }, "fast"] });
    const answers = await Promise.all([model.invoke("1"), model.invoke("2")]);
    expect(answers.map((answer) => answer.content)).toEqual(["slow", "fast"]);
  });
});

describe("the record", () => {
  test("holds messages, tools, choice, settings and options; copies share it and the script", async () => {
    const model = new FakeChatModel({ responses: ["one", "two"] });
    const parameters = { type: "object" };
    const bound = model
      .bindTools([{ name: "add", description: "Adds.", toJsonSchema: () => parameters }])
      .bind({ temperature: 0 });
    expect(bound).toBeInstanceOf(FakeChatModel);
    await bound.invoke([new HumanMessage("hi")], { tool_choice: "add", metadata: { a: 1 } });
    await model.invoke("hi");
    expect(model.requests).toBe(bound.requests);
    expect(model.requests[0]).toMatchObject({
      messages: [new HumanMessage("hi")],
      tools: [
        {
          name: "add",
          definition: {
            type: "function",
            function: { name: "add", description: "Adds.", parameters },
          },
        },
      ],
      tool_choice: "add",
      settings: { temperature: 0, tool_choice: "add" },
      options: { metadata: { a: 1 } },
    });
    expect(model.requests[1]).toMatchObject({ tools: [], tool_choice: undefined, settings: {} });
    bound.assertFinished();
  });

  test("a choice that a real model would refuse is refused", async () => {
    const model = new FakeChatModel({ responses: ["one"] });
    const bound = model.bindTools([{ type: "function", function: { name: "f" } }]);
    await expect(bound.invoke("hi", { tool_choice: "g" })).rejects.toMatchObject({
      code: "INVALID_OPTION",
    });
  });
});

describe("streaming", () => {
  test("a text comes in words that share an id", async () => {
    const model = new FakeChatModel({ responses: ["Hello big  world\n"] });
    const chunks = await drain(model.stream("hi"));
    expect(chunks.map((chunk) => chunk.content)).toEqual(["Hello", " big", "  world", "\n"]);
    expect(new Set(chunks.map((chunk) => chunk.id)).size).toBe(1);
  });

  test("a message comes in pieces that amount to it, and invoke gives it as it is", async () => {
    const message = new AIMessage({
      content: "I will look",
      id: "m1",
      tool_calls: [{ id: "c", name: "f", args: { a: [1] } }],
      additional_kwargs: { a: 1 },
      response_metadata: { finish_reason: "tool_calls" },
      usage_metadata: { input_tokens: 1, output_tokens: 2, total_tokens: 3 },
    });
    const model = new FakeChatModel({ responses: () => message });
    expect(await model.invoke("hi")).toBe(message);
    const chunks = await drain(model.stream("hi"));
    expect(chunks.length).toBeGreaterThan(2);
    expect(chunks[0]!.concat(...chunks.slice(1)).toMessage()).toEqual(message);
  });

  test("an invalid call stays invalid, with its error", async () => {
    const message = new AIMessage({
      content: "",
      invalid_tool_calls: [{ id: "c", name: "f", args: '{"a":1}', error: "Cut." }],
    });
    const answer = await new FakeChatModel({ responses: [message] }).invoke("hi");
    expect(answer.tool_calls).toEqual([]);
    expect(answer.invalid_tool_calls).toEqual(message.invalid_tool_calls);
  });

  test("tokens go into the run, as those of a real model", async () => {
    const pieces: unknown[] = [];
    const task: TaskContext = {
      signal: new AbortController().signal,
      wantsMessages: true,
      tags: [],
      trace: undefined,
      silence: () => {},
      emitMessage: ({ message }) => {
        pieces.push((message as AIMessageChunk).content);
        return undefined;
      },
    };
    const model = new FakeChatModel({ responses: ["a b", { chunks: ["c", "d"] }] });
    await model.invoke("hi", { task });
    await model.invoke("hi", { task });
    expect(pieces).toEqual(["a", " b", "c", "d"]);
  });

  test("pieces of calls are put together", async () => {
    const model = new FakeChatModel({
      responses: [
        {
          chunks: [
            {
              tool_call_chunks: [
                { type: "tool_call_chunk", index: 0, id: "c", name: "f", args: "{" },
              ],
            },
            { tool_call_chunks: [{ type: "tool_call_chunk", index: 0, args: "}" }] },
          ],
        },
      ],
    });
    expect((await model.invoke("hi")).tool_calls).toMatchObject([{ id: "c", name: "f", args: {} }]);
  });

  test("a delay can be aborted", async () => {
    const model = new FakeChatModel({ responses: [{ chunks: ["never"], delayMs: 60_000 }] });
    await expect(model.invoke("hi", { signal: AbortSignal.timeout(5) })).rejects.toMatchObject({
      name: "TimeoutError",
    });
  });
});

describe("TOO-07: a line that is not complete", () => {
  test.for(["length", "content_filter", "max_tokens", "SAFETY"])(
    "is refused when its reason is %s",
    async (finish_reason) => {
      const message = new AIMessage({
        content: "",
        tool_calls: [{ id: "c", name: "f", args: {} }],
        response_metadata: { finish_reason },
      });
      await expect(new FakeChatModel({ responses: [message] }).invoke("hi")).rejects.toMatchObject({
        code: "INCOMPLETE_RESPONSE",
        partial: { tool_calls: [] },
      });
    },
  );

  test("is refused when its stream says so", async () => {
    const model = new FakeChatModel({
      responses: [
        { chunks: ["a"], finishReason: "length" },
        { chunks: ["a"], finishReason: null },
      ],
    });
    await expect(model.invoke("hi")).rejects.toMatchObject({ finishReason: "length" });
    await expect(model.invoke("hi")).rejects.toMatchObject({ finishReason: undefined });
  });
});
