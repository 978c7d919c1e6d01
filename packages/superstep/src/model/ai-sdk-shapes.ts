// The parts of AI SDK's language model specifications V2, V3 and V4 that we read and write, in
// loose form: one set of shapes for the three. @ai-sdk/provider declares them exactly.
import type { ProviderData } from "./port.ts";
import type { JsonSchema, ProviderOptions } from "./types.ts";

/**
 * A language model of an AI SDK provider (specification V2, V3 or V4). What `openai("gpt-5")`,
 * `anthropic(...)`, `google(...)` and the like return fits.
 */
export interface AiSdkModel {
  /** "v2", "v3" or "v4". */
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  doGenerate(options: never): PromiseLike<unknown>;
  doStream(options: never): PromiseLike<unknown>;
}

/** The same with the shapes of this file; the cast is made once, after the version was checked. */
export interface AiSdkCalls {
  doGenerate(options: AiSdkRequest): PromiseLike<AiSdkResult>;
  doStream(options: AiSdkRequest): PromiseLike<{ readonly stream: ReadableStream<AiSdkPart> }>;
}

export type AiSdkVersion = "v2" | "v3" | "v4";

export interface AiSdkRequest {
  readonly prompt: readonly AiSdkMessage[];
  readonly abortSignal: AbortSignal;
  readonly tools?: readonly AiSdkTool[];
  readonly toolChoice?: { readonly type: string; readonly toolName?: string };
  readonly responseFormat?: {
    readonly type: "json";
    readonly schema: JsonSchema;
    readonly name?: string;
  };
  readonly providerOptions?: ProviderOptions;
  readonly [setting: string]: unknown;
}

export interface AiSdkTool {
  readonly type: "function" | "provider" | "provider-defined";
  readonly name: string;
  readonly [field: string]: unknown;
}

export interface AiSdkMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string | readonly AiSdkPromptPart[];
  readonly providerOptions?: ProviderData | undefined;
}

export interface AiSdkPromptPart {
  readonly type: string;
  readonly providerOptions?: ProviderData | undefined;
  readonly [field: string]: unknown;
}

export interface AiSdkUsage {
  // V2
  readonly totalTokens?: number | undefined;
  readonly reasoningTokens?: number | undefined;
  readonly cachedInputTokens?: number | undefined;
  // V2 as numbers, V3 and V4 as records
  readonly inputTokens?: number | AiSdkTokens | undefined;
  readonly outputTokens?: number | AiSdkTokens | undefined;
  readonly raw?: Readonly<Record<string, unknown>> | undefined;
}

export interface AiSdkTokens {
  readonly total?: number | undefined;
  readonly cacheRead?: number | undefined;
  readonly cacheWrite?: number | undefined;
  readonly text?: number | undefined;
  readonly reasoning?: number | undefined;
}

export interface AiSdkFinish {
  readonly finishReason?: string | { readonly unified: string; readonly raw?: string | undefined };
  readonly usage?: AiSdkUsage | undefined;
  readonly providerMetadata?: Readonly<Record<string, unknown>> | undefined;
}

/** A part of a stream, or of the content of a whole answer. Which fields there are, `type` tells. */
export interface AiSdkPart extends AiSdkFinish {
  readonly type: string;
  readonly id?: string;
  readonly text?: string;
  readonly delta?: string;
  readonly toolCallId?: string;
  readonly toolName?: string;
  readonly input?: unknown;
  readonly inputEncoding?: string;
  readonly kind?: string;
  readonly result?: unknown;
  readonly isError?: boolean;
  readonly preliminary?: boolean;
  readonly providerExecuted?: boolean;
  readonly mediaType?: string;
  readonly data?: unknown;
  readonly modelId?: string;
  readonly error?: unknown;
  readonly citations?: readonly unknown[];
  readonly warnings?: readonly AiSdkWarning[];
}

export interface AiSdkWarning {
  readonly type: string;
  readonly feature?: string;
  readonly setting?: unknown;
  readonly details?: string;
  readonly message?: string;
  readonly tool?: { readonly name?: string };
}

export interface AiSdkResult extends AiSdkFinish {
  readonly content: readonly AiSdkPart[];
  readonly response?: { readonly id?: string; readonly modelId?: string } | undefined;
  readonly warnings?: readonly AiSdkWarning[];
}
