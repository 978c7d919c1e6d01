import type { AIMessage, AIMessageChunk, BaseMessage } from "../message/messages.ts";
import type { ContentBlock, UsageMetadata } from "../message/types.ts";
import type { CallOptions, ModelSettings, ProviderTool, ToolDefinition } from "./types.ts";

/** Opaque data of a provider on one part, by provider name. */
export type ProviderData = Readonly<Record<string, unknown>>;

/** Why an answer ended. Only "stop" and "tool-calls" are complete answers. */
export type FinishReason =
  | "stop"
  | "tool-calls"
  | "length"
  | "content-filter"
  | "error"
  | "other"
  | (string & {});

/** One event of an answer, whoever the provider is. */
export type ModelPart =
  /** More text of a block. Pieces of one block come with the same `block`. */
  | {
      readonly type: "text" | "reasoning";
      readonly text: string;
      readonly block?: string | undefined;
      readonly provider?: ProviderData | undefined;
      readonly annotations?: readonly unknown[] | undefined;
    }
  /** A whole block, kept as it is. */
  | { readonly type: "block"; readonly block: ContentBlock }
  /** A piece of a call's arguments. The first piece of a call has its name. */
  | {
      readonly type: "tool-call-delta";
      readonly id: string;
      readonly name?: string | undefined;
      readonly args: string;
    }
  /** A call whose pieces came is the provider's own after all. */
  | { readonly type: "tool-call-withdrawn"; readonly id: string }
  /** A call, finished; `args` is the whole text, whether pieces of it came before or not. */
  | {
      readonly type: "tool-call";
      readonly id: string;
      readonly name: string;
      readonly args: string;
      readonly provider?: ProviderData | undefined;
    }
  /** A piece of the message in its final form, from models that make such pieces themselves. */
  | { readonly type: "chunk"; readonly chunk: AIMessageChunk }
  /** The whole message, for what pieces cannot say; before the end. It adds no piece. */
  | { readonly type: "message"; readonly message: AIMessage }
  /** The end. Without this part the answer is incomplete. */
  | {
      readonly type: "finish";
      readonly reason: FinishReason | undefined;
      /** What the provider says on why, for the error; default: nothing. */
      readonly detail?: string | undefined;
      readonly usage?: UsageMetadata | undefined;
      readonly metadata?: Readonly<Record<string, unknown>> | undefined;
    };

/** What a model is asked. */
export interface ModelRequest {
  readonly messages: readonly BaseMessage[];
  /** `undefined` when no tool is bound. */
  readonly tools: readonly (ToolDefinition | ProviderTool)[] | undefined;
  /** What was bound and what this call added, `tools` and `tags` aside. */
  readonly settings: ModelSettings;
  readonly options: CallOptions | undefined;
  /** Aborted when the call is aborted or nobody reads on. */
  readonly signal: AbortSignal;
}

/** What stands behind a chat model: a provider package, a script, a recording. */
export interface ModelPort {
  readonly provider: string;
  readonly modelName: string;
  /** Whether calls are kept in `additional_kwargs.tool_calls` too, in OpenAI's shape. */
  readonly rawToolCalls?: boolean;
  stream(request: ModelRequest): AsyncIterable<ModelPart>;
  /** The same answer at once, used when nobody reads pieces. Default: the stream, collected. */
  generate?(request: ModelRequest): Promise<readonly ModelPart[]>;
}
