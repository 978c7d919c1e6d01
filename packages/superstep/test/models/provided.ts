// Models as the provider packages make them, of each version of AI SDK's specification.
import type { MessagesInput } from "../../src/message/coerce.ts";
import { type AiSdkOptions, fromAiSdk } from "../../src/model/ai-sdk.ts";
import type { AiSdkModel, AiSdkRequest } from "../../src/model/ai-sdk-shapes.ts";
import type { ModelSettings } from "../../src/model/types.ts";

export type Version = "v2" | "v3" | "v4";
export const versions: readonly Version[] = ["v2", "v3", "v4"];

export interface World {
  readonly parts?: readonly object[];
  readonly result?: object;
  readonly provider?: string;
  readonly modelId?: string;
  readonly failure?: unknown;
}

/** A model of a provider package of that version, and the requests that it was sent. */
export function provided(version: string, world: World = {}) {
  const requests: AiSdkRequest[] = [];
  const { provider = "openai.chat", modelId = "m", failure } = world;
  const fail = (): void => {
    if (failure !== undefined) throw failure;
  };
  const model: AiSdkModel = {
    specificationVersion: version,
    provider,
    modelId,
    async doStream(options: AiSdkRequest) {
      requests.push(options);
      fail();
      const parts = world.parts ?? [finish(version as Version)];
      return {
        stream: new ReadableStream({
          start(controller) {
            for (const part of parts) controller.enqueue(part);
            controller.close();
          },
        }),
      };
    },
    async doGenerate(options: AiSdkRequest) {
      requests.push(options);
      fail();
      const { type: _, ...end } = finish(version as Version) as { type: string };
      return { content: [], warnings: [], ...end, ...world.result };
    },
  };
  return { model, requests };
}

export function finish(version: Version, reason = "stop", raw?: string): object {
  if (version === "v2") {
    return {
      type: "finish",
      finishReason: reason,
      usage: {
        inputTokens: 10,
        outputTokens: 5,
        totalTokens: 20,
        reasoningTokens: 3,
        cachedInputTokens: 2,
      },
    };
  }
  return {
    type: "finish",
    finishReason: { unified: reason, raw },
    usage: {
      inputTokens: { total: 10, noCache: 8, cacheRead: 2, cacheWrite: undefined },
      outputTokens: { total: 5, text: 2, reasoning: 3 },
      raw: { total_tokens: 20 },
    },
  };
}

/** The prompt that messages become. */
export async function promptOf(
  input: MessagesInput,
  { version = "v4", options, ...world }: World & { version?: Version; options?: AiSdkOptions } = {},
) {
  const { model, requests } = provided(version, world);
  await fromAiSdk(model, options).invoke(input);
  return requests[0]?.prompt;
}

export async function requestOf(
  settings: ModelSettings,
  world: World & { version?: Version } = {},
) {
  const { model, requests } = provided(world.version ?? "v4", world);
  await fromAiSdk(model).invoke("hi", settings);
  return requests[0];
}
