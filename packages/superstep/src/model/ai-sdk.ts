import { describe } from "../errors/describe.ts";
import { SuperstepError } from "../errors/errors.ts";
import { warnOnce } from "../errors/warn.ts";
import { AiSdkReader, type Origin } from "./ai-sdk-parts.ts";
import { toAiSdkRequest } from "./ai-sdk-request.ts";
import type { AiSdkCalls, AiSdkModel, AiSdkRequest, AiSdkVersion } from "./ai-sdk-shapes.ts";
import { type ConfigurableChatModel, createChatModel } from "./chat-model.ts";
import { toModelError } from "./failure.ts";
import { familyOf, keysOf, providerName, type Target } from "./family.ts";
import type { ModelPart, ModelPort, ModelRequest } from "./port.ts";
import type { ModelSettings } from "./types.ts";

/** What there is to say about an AI SDK model beside its settings. */
export interface AiSdkOptions {
  /**
   * Whether reasoning that the provider gave goes back to it with the history. Default: yes for
   * providers whose package knows what its models take; no for OpenAI-compatible endpoints, where
   * some models refuse it (DeepSeek R1) and others demand it (DeepSeek V4, for which the default is
   * yes).
   */
  readonly replayReasoning?: boolean | undefined;
}

/**
 * The chat model that stands on a model of an AI SDK provider package, of specification V2, V3 or
 * V4: `fromAiSdk(openai("gpt-5"))`. Requests are not retried.
 *
 * Throws `INVALID_MODEL` for anything else.
 */
export function fromAiSdk(
  model: AiSdkModel,
  options: AiSdkOptions & ModelSettings = {},
): ConfigurableChatModel {
  const { replayReasoning, ...settings } = options;
  return createChatModel(aiSdkPort(model, replayReasoning), settings);
}

/** Whether `value` is a model of an AI SDK provider, of whatever version. */
export function isAiSdkModel(value: unknown): value is AiSdkModel {
  if (typeof value !== "object" || value === null) return false;
  const { specificationVersion, doStream, doGenerate } = value as Partial<AiSdkModel>;
  return (
    typeof specificationVersion === "string" &&
    typeof doStream === "function" &&
    typeof doGenerate === "function"
  );
}

function aiSdkPort(model: AiSdkModel, replayReasoning: boolean | undefined): ModelPort {
  const version = versionOf(model);
  const calls = model as unknown as AiSdkCalls;
  const family = familyOf(model.provider);
  const origin: Origin = {
    provider: providerName(model.provider),
    modelName: model.modelId,
    warn: warner(),
  };
  const target: Target = {
    family,
    keys: keysOf(model.provider),
    version,
    replaysReasoning: replayReasoning ?? replaysReasoning(family, model.modelId),
    warn: origin.warn,
  };

  async function* stream(request: ModelRequest): AsyncGenerator<ModelPart, void, undefined> {
    const response = await guarded(() => calls.doStream(ask(request)));
    const parts = response.stream.getReader();
    const reader = new AiSdkReader(origin);
    const ready: ModelPart[] = [];
    try {
      for (;;) {
        const { done, value } = await guarded(() => parts.read());
        if (done) return;
        reader.read(value, ready);
        for (const part of ready) yield part;
        ready.length = 0;
      }
    } finally {
      // A stream that failed rejects this too; it has been reported.
      parts.cancel().catch(() => {});
    }
  }

  async function generate(request: ModelRequest): Promise<readonly ModelPart[]> {
    const result = await guarded(() => calls.doGenerate(ask(request)));
    return new AiSdkReader(origin).readResult(result);
  }

  function ask(request: ModelRequest): AiSdkRequest {
    return toAiSdkRequest(request, target);
  }

  async function guarded<Value>(body: () => PromiseLike<Value>): Promise<Value> {
    try {
      return await body();
    } catch (error) {
      throw toModelError(error, origin);
    }
  }

  return {
    provider: origin.provider,
    modelName: origin.modelName,
    rawToolCalls: !otherShapes.has(family),
    stream,
    generate,
  };
}
// Vendors whose API does not have OpenAI's shape of tool calls.
const otherShapes: ReadonlySet<string> = new Set(["anthropic", "google", "bedrock", "cohere"]);

// Packages that decide for each model which reasoning it takes back.
const deciding: ReadonlySet<string> = new Set([
  "anthropic",
  "google",
  "openai",
  "azure",
  "bedrock",
  "deepseek",
  "alibaba",
  "xai",
  "mistral",
  "groq",
  "moonshotai",
]);

function replaysReasoning(family: string, modelId: string): boolean {
  return deciding.has(family) || /deepseek[-_/]?v4/i.test(modelId);
}

function versionOf(model: AiSdkModel): AiSdkVersion {
  const version: unknown = isAiSdkModel(model) ? model.specificationVersion : undefined;
  if (version === "v2" || version === "v3" || version === "v4") return version;
  const what =
    typeof version === "string"
      ? `Specification ${version} of AI SDK models is not known`
      : `A model of an AI SDK provider was expected: got ${describe(model)}`;
  throw new SuperstepError("INVALID_MODEL", `${what}.`, {
    fix: 'Give what a provider package makes, such as openai("gpt-5"), of specification v2, v3 or v4.',
  });
}

/** Each text once for each model. */
function warner(): (text: string) => void {
  const subjects = new Map<string, object>();
  return (text) => {
    // The texts may quote what a provider sent: they are not kept without end.
    if (subjects.size >= 100) return;
    let subject = subjects.get(text);
    if (!subject) subjects.set(text, (subject = {}));
    warnOnce(subject, text);
  };
}
