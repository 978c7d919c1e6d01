// A model as AI SDK providers make them (specification V4), without a provider. It costs nothing but
// what the specification asks for: the calls' arguments as JSON text, and a ReadableStream.
import { callsOf, finalAnswer, type Script } from "./script.ts";

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

const finishReason = (unified: "stop" | "tool-calls"): object => ({ unified, raw: unified });

/** The prompt has one message for all results of an answer. */
interface Prompt {
  readonly prompt: readonly {
    readonly content: readonly { readonly output?: { readonly value: unknown } }[];
  }[];
}

function generate({ prompt }: Prompt, { rounds, calls }: Script): object {
  const round = (prompt.length - 1) / 2;
  if (round === rounds) {
    const result = prompt.at(-1)?.content.at(-1)?.output?.value;
    const content = [{ type: "text", text: finalAnswer(result) }];
    return { content, finishReason: finishReason("stop"), usage, warnings: [] };
  }
  const content = callsOf(round, calls).map(({ id, name, args }) => ({
    type: "tool-call",
    toolCallId: id,
    toolName: name,
    input: JSON.stringify(args),
  }));
  return { content, finishReason: finishReason("tool-calls"), usage, warnings: [] };
}

const id = "text";

function* partsOf(pieces: readonly string[]): Generator<object, void, undefined> {
  yield { type: "stream-start", warnings: [] };
  yield { type: "text-start", id };
  for (const delta of pieces) yield { type: "text-delta", id, delta };
  yield { type: "text-end", id };
  yield { type: "finish", finishReason: finishReason("stop"), usage };
}

/** The pieces as parts; nothing is taken before it is read. */
export function partStream(pieces: readonly string[]): ReadableStream<object> {
  const parts = partsOf(pieces);
  return new ReadableStream<object>(
    {
      pull(controller) {
        const { done, value } = parts.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
    },
    { highWaterMark: 0 },
  );
}

/** Follows `script` when it is called for an answer at once, and streams `pieces`. */
export function aiSdkModel({
  script = { rounds: 0, calls: 1 },
  pieces = [],
}: {
  readonly script?: Script;
  readonly pieces?: readonly string[];
}): object {
  return {
    specificationVersion: "v4",
    provider: "bench",
    modelId: "lean",
    supportedUrls: {},
    doGenerate: async (prompt: Prompt) => generate(prompt, script),
    doStream: async () => ({ stream: partStream(pieces) }),
  };
}
