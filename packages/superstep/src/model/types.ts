import type { MessagesInput } from "../message/coerce.ts";
import type { AIMessage, AIMessageChunk } from "../message/messages.ts";
import type { TaskContext } from "../stream/task-context.ts";

/** JSON Schema. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** A tool as a model sees it. `parameters` is JSON Schema. */
export interface ToolDefinition {
  readonly type: "function";
  readonly function: {
    readonly name: string;
    readonly description?: string;
    readonly parameters?: JsonSchema;
    /** Whether the provider must keep to the schema, where it can. */
    readonly strict?: boolean;
  };
}

/**
 * A tool that the provider runs itself, in the provider's own shape (any object with a `type` other
 * than "function"), or as the provider package makes it (`anthropic.tools.webSearch_20250305({})`).
 */
export type ProviderTool = Readonly<Record<string, unknown>>;

/** What can be bound: one of our tools, a definition, or a provider's own tool. */
export type BindableTool =
  | ToolDefinition
  | ProviderTool
  | {
      readonly name: string;
      readonly description: string;
      /** JSON Schema of the arguments. */
      toJsonSchema(): JsonSchema | Promise<JsonSchema>;
    };

/** "auto", "none", "any" (also spelt "required"), or the name of the tool that must be called. */
export type ToolChoice = "auto" | "none" | "any" | "required" | (string & {});

/** Data for one provider each, by provider name; the package of that provider defines it. */
export type ProviderOptions = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Settings of a call. What is not set, or set to `undefined`, is not sent. */
export interface ModelSettings {
  /** Converted when the request is made; names can be read before that. */
  readonly tools?: readonly BindableTool[] | undefined;
  readonly tool_choice?: ToolChoice | undefined;
  /** Whether one answer may call several tools. */
  readonly parallel_tool_calls?: boolean | undefined;
  readonly temperature?: number | undefined;
  /** The most tokens of the answer. An answer that is cut by it is an error. */
  readonly maxTokens?: number | undefined;
  readonly topP?: number | undefined;
  readonly topK?: number | undefined;
  readonly presencePenalty?: number | undefined;
  readonly frequencyPenalty?: number | undefined;
  /** Texts at which the answer ends. */
  readonly stop?: readonly string[] | undefined;
  readonly seed?: number | undefined;
  /** Headers of the HTTP request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Passed to the provider package untouched. */
  readonly providerOptions?: ProviderOptions | undefined;
  /** JSON Schema that the answer must follow, for providers that can enforce one. */
  readonly responseFormat?: Readonly<{ name?: string; schema: JsonSchema }> | undefined;
  /** Added to those bound before. A call tagged `nostream` streams no tokens into its run. */
  readonly tags?: readonly string[] | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Options of one call. The runtime of a node can be given as it is: its signal, tags and metadata
 * are used and the rest is not looked at.
 */
export interface CallOptions extends ModelSettings {
  /** Aborting rejects the call at once and stops the request. */
  readonly signal?: AbortSignal | undefined;
  /** The task that the tokens belong to. Default: the one that is running, where that is known. */
  readonly task?: TaskContext | undefined;
}

/**
 * A chat model. Models are immutable: `bindTools` and `bind` give a new one. Anything with this
 * shape can be used where a model is asked for.
 */
export interface ChatModel {
  /** The answer, whole. Rejects with `INCOMPLETE_RESPONSE` when it was cut, filtered or failed. */
  invoke(input: MessagesInput, options?: CallOptions): Promise<AIMessage>;
  /**
   * The answer in pieces that share one id; concatenated they are the message `invoke` gives.
   * Leaving the loop stops the request.
   */
  stream(input: MessagesInput, options?: CallOptions): AsyncIterable<AIMessageChunk>;
  /** The model with tools, which replace those bound before. */
  bindTools(tools: readonly BindableTool[], settings?: ModelSettings): ChatModel;
  /** The model with settings, over those it has. */
  bind(settings: ModelSettings): ChatModel;
  /** What has been bound so far. */
  readonly settings: ModelSettings;
  readonly provider: string;
  readonly modelName: string;
}
