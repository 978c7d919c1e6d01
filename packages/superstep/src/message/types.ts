// The wire shape of messages: what is stored, sent and compared. Field names are the wire's.

export type MessageType = "human" | "ai" | "system" | "tool" | "remove";

/** A call of a tool by the model. `args` is parsed; `id` is never empty. */
export interface ToolCall {
  readonly type: "tool_call";
  readonly id: string;
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** Opaque data of the provider that made the call; goes back to that provider only. */
  readonly provider?: Readonly<Record<string, unknown>> | undefined;
}

/** A call that cannot be executed: its arguments do not parse, or the answer was cut. */
export interface InvalidToolCall {
  readonly type: "invalid_tool_call";
  readonly id: string | undefined;
  readonly name: string | undefined;
  /** The arguments as the model wrote them. */
  readonly args: string | undefined;
  readonly error: string;
}

/** A piece of a streamed call. Pieces belong together by id, else by index, else to the latest. */
export interface ToolCallChunk {
  readonly type: "tool_call_chunk";
  readonly id?: string | undefined;
  readonly index?: number | undefined;
  readonly name?: string | undefined;
  readonly args?: string | undefined;
  /** As in `ToolCall`. */
  readonly provider?: Readonly<Record<string, unknown>> | undefined;
}

/** Tokens of one model call. */
export interface UsageMetadata {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly total_tokens: number;
  readonly input_token_details?: TokenDetails & {
    readonly cache_read?: number;
    readonly cache_creation?: number;
  };
  readonly output_token_details?: TokenDetails & { readonly reasoning?: number };
}

/** Parts of a count of tokens, by name. */
export type TokenDetails = Readonly<Record<string, number | undefined>>;

/** One part of a message's content; `provider` data is opaque and goes back to its provider only. */
export interface ContentBlock {
  readonly type: string;
  readonly [field: string]: unknown;
}

export type MessageContent = string | readonly ContentBlock[];

interface CommonData {
  readonly content: MessageContent;
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly additional_kwargs?: Readonly<Record<string, unknown>>;
  readonly response_metadata?: Readonly<Record<string, unknown>>;
}

/** The plain data of each kind of message. The classes of `messages.ts` have these shapes too. */
export interface HumanMessageData extends CommonData {
  readonly type: "human";
}
export interface SystemMessageData extends CommonData {
  readonly type: "system";
}
export interface AIMessageData extends CommonData {
  readonly type: "ai";
  readonly tool_calls?: readonly ToolCall[];
  readonly invalid_tool_calls?: readonly InvalidToolCall[];
  readonly usage_metadata?: UsageMetadata | undefined;
}
/** A piece of a streamed message. */
export interface AIMessageChunkData extends AIMessageData {
  readonly tool_call_chunks: readonly ToolCallChunk[];
}
export interface ToolMessageData extends CommonData {
  readonly type: "tool";
  readonly tool_call_id: string;
  readonly status?: "success" | "error" | undefined;
  readonly artifact?: unknown;
}
/** Deletes the message with this id, or all of them, when the reducer of messages meets it. */
export interface RemoveMessageData extends CommonData {
  readonly type: "remove";
  readonly id: string;
}

/** Any message as JSON. Everything that takes messages takes this form too. */
export interface MessageData extends CommonData {
  readonly type: MessageType;
  readonly tool_calls?: readonly ToolCall[];
  readonly invalid_tool_calls?: readonly InvalidToolCall[];
  readonly tool_call_chunks?: readonly ToolCallChunk[];
  readonly usage_metadata?: UsageMetadata | undefined;
  readonly tool_call_id?: string;
  readonly status?: "success" | "error" | undefined;
  readonly artifact?: unknown;
}
