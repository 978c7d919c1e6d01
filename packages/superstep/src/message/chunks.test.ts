import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { concat, concatChunks } from "./chunks.ts";
import { AIMessage, AIMessageChunk } from "./messages.ts";
import type { ContentBlock, ToolCallChunk } from "./types.ts";

const text = (content: string, id = "m"): AIMessageChunk => new AIMessageChunk({ content, id });
const blocks = (...content: ContentBlock[]): AIMessageChunk => new AIMessageChunk({ content });

describe("pieces of a message", () => {
  test("texts are joined and the id is that of the first", () => {
    const whole = concatChunks([text("Hel", "m"), text("lo", "other"), text("")]);
    expect(whole.toJSON()).toEqual({ type: "ai", content: "Hello", id: "m" });
    expect(concat(text("a"), text("b")).text).toBe("ab");
    expect(concatChunks([]).toMessage()).toStrictEqual(new AIMessage(""));
  });

  test("blocks are merged by index, by id, or with the last of their type", () => {
    const whole = concatChunks([
      text("", "m"),
      blocks({ type: "reasoning", index: 0, reasoning: "th" }),
      blocks({ type: "text", index: 1, text: "a" }),
      blocks({
        type: "reasoning",
        index: 0,
        reasoning: "ink",
        provider: { x: { signature: "s" } },
      }),
      blocks({ type: "text", index: 1, text: "b", annotations: [1] }),
      blocks({ type: "text", index: 1, text: "", annotations: [2] }),
      blocks({ type: "audio", id: "q", data: "x" }),
      blocks({ type: "audio", id: "q", transcript: "y" }),
      text("c"),
      text("d"),
      blocks({ type: "image", url: "u" }, { type: "image", url: "v" }),
    ]);
    expect(whole.content).toEqual([
      { type: "reasoning", index: 0, reasoning: "think", provider: { x: { signature: "s" } } },
      { type: "text", index: 1, text: "ab", annotations: [1, 2] },
      { type: "audio", id: "q", data: "x", transcript: "y" },
      { type: "text", text: "cd" },
      { type: "image", url: "u" },
      { type: "image", url: "v" },
    ]);
  });

  test("a text before the first block becomes a block", () => {
    expect(concat(text("a"), blocks({ type: "image", url: "u" })).content).toEqual([
      { type: "text", text: "a" },
      { type: "image", url: "u" },
    ]);
  });

  test("of usage the last counts, metadata is merged, reasoning in additional_kwargs is joined", () => {
    const usage = (n: number) => ({ input_tokens: n, output_tokens: n, total_tokens: 2 * n });
    const whole = concatChunks([
      new AIMessageChunk({
        usage_metadata: usage(1),
        response_metadata: { model: "x", n: 1 },
        additional_kwargs: { reasoning_content: "a", kind: "k" },
      }),
      new AIMessageChunk({
        usage_metadata: usage(5),
        response_metadata: { n: 2 },
        additional_kwargs: { reasoning_content: "b", kind: "k" },
      }),
      text("end"),
    ]);
    expect(whole.usage_metadata).toEqual(usage(5));
    expect(whole.response_metadata).toEqual({ model: "x", n: 2 });
    expect(whole.additional_kwargs).toEqual({ reasoning_content: "ab", kind: "k" });
  });

  test("calls are finished by toMessage and read the same ids as on the piece", () => {
    const whole = concatChunks([
      call({ index: 0, name: "f", args: '{"a"' }),
      call({ args: ":1}" }),
    ]);
    const message = whole.toMessage();
    expect(message).not.toBeInstanceOf(AIMessageChunk);
    expect(message.tool_calls).toEqual(whole.tool_calls);
    expect(message.tool_calls[0]).toMatchObject({ name: "f", args: { a: 1 } });
    expect("tool_call_chunks" in message.toJSON()).toBe(false);
    expect(new AIMessage({ ...whole.toJSON() }).tool_calls).toHaveLength(1);
  });

  test("a piece made with whole calls keeps them as pieces", () => {
    const chunk = new AIMessageChunk({ tool_calls: [{ name: "f", args: { a: 1 }, id: "c" }] });
    expect(chunk.tool_call_chunks).toEqual([
      { type: "tool_call_chunk", id: "c", index: 0, name: "f", args: '{"a":1}' },
    ]);
    expect(chunk.toMessage().tool_calls).toEqual([
      { type: "tool_call", id: "c", name: "f", args: { a: 1 } },
    ]);
  });
});

function call(piece: Omit<ToolCallChunk, "type">): AIMessageChunk {
  return new AIMessageChunk({ tool_call_chunks: [{ type: "tool_call_chunk", ...piece }] });
}

const optional = <Value>(values: readonly Value[]): fc.Arbitrary<Value | undefined> =>
  fc.constantFrom(undefined, ...values);
const anyChunk = fc.oneof(
  fc.string({ maxLength: 3 }).map((content) => new AIMessageChunk(content)),
  fc
    .record({
      type: fc.constantFrom("text", "reasoning", "image"),
      index: optional([0, 1]),
      id: optional(["x", "y"]),
      text: fc.string({ maxLength: 2 }),
    })
    .map((block) => blocks(JSON.parse(JSON.stringify(block)) as ContentBlock)),
  fc
    .record({
      id: optional(["a", "b", ""]),
      index: optional([0, 1]),
      name: optional(["f", "g", ""]),
      args: optional(["{", "}", "{}", '"x":1', ""]),
    })
    .map(call),
);

test("joining piece by piece gives what joining all at once gives", () => {
  fc.assert(
    fc.property(fc.array(anyChunk, { maxLength: 12 }), (chunks) => {
      const folded = chunks.reduce((whole, chunk) => whole.concat(chunk), new AIMessageChunk(""));
      expect(folded.toJSON()).toEqual(concatChunks(chunks).toJSON());
    }),
    { numRuns: 1000 },
  );
});

test("the cost of joining is linear in the number of pieces", () => {
  const least = (count: number, join: (chunks: AIMessageChunk[]) => AIMessageChunk): number => {
    const chunks = Array.from({ length: count }, (_, i) =>
      i % 2 ? text("token ") : call({ index: 0, args: "token " }),
    );
    let best = Number.POSITIVE_INFINITY;
    for (let round = 0; round < 7; round++) {
      const start = performance.now();
      expect(join(chunks).text).toHaveLength(3 * count);
      best = Math.min(best, performance.now() - start);
    }
    return best;
  };
  const stepwise = (chunks: AIMessageChunk[]): AIMessageChunk =>
    chunks.reduce((whole, chunk) => whole.concat(chunk));
  for (const join of [concatChunks, stepwise]) {
    // Quadratic cost would be 64 times as much.
    expect(least(16_000, join)).toBeLessThan(24 * least(2000, join) + 2);
  }
});
