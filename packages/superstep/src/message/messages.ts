import { brand, brandSymbol, hasBrand } from "../errors/brand.ts";
import { mergeChunks } from "./chunk-merge.ts";
import { blocksWithCalls, type ContentInput, textOf, toBlocks, toContent } from "./content.ts";
import { freezePart, frozenPart } from "./frozen.ts";
import {
  isAIMessage,
  isAIMessageChunk,
  isHumanMessage,
  isRemoveMessage,
  isSystemMessage,
  isToolMessage,
} from "./guards.ts";
import { invalidMessage } from "./invalid.ts";
import { assemble, withCalls, withPieces } from "./message-calls.ts";
import { storeMessages } from "./stored.ts";
import type { FinishedCalls } from "./tool-calls.ts";
import type {
  AIMessageChunkData,
  AIMessageData,
  ContentBlock,
  HumanMessageData,
  InvalidToolCall,
  MessageContent,
  MessageData,
  MessageType,
  RemoveMessageData,
  SystemMessageData,
  ToolCall,
  ToolCallChunk,
  ToolMessageData,
  UsageMetadata,
} from "./types.ts";

type Fields = Readonly<Record<string, unknown>>;

interface CommonFields {
  /** Minted by the reducer when missing. */
  readonly id?: string | null | undefined;
  readonly name?: string | null | undefined;
  readonly additional_kwargs?: Fields | undefined;
  readonly response_metadata?: Fields | undefined;
}

/** What a message is made of: `content`, or `contentBlocks` in the standard (v1) form. */
export type MessageFields = CommonFields &
  (
    | { readonly content: ContentInput; readonly contentBlocks?: undefined }
    | { readonly content?: undefined; readonly contentBlocks: readonly ContentBlock[] }
  );

/** A tool call to make a message with; without an id it is given one. */
export interface ToolCallInput {
  readonly name: string;
  readonly args: Fields;
  readonly id?: string | null | undefined;
  readonly type?: "tool_call" | undefined;
  readonly provider?: Fields | undefined;
}

export interface AIMessageFields extends CommonFields {
  /** Default: empty. */
  readonly content?: ContentInput | undefined;
  readonly contentBlocks?: readonly ContentBlock[] | undefined;
  /** Default: the calls in `additional_kwargs.tool_calls` (OpenAI's shape), parsed; else none. */
  readonly tool_calls?: readonly ToolCallInput[] | undefined;
  readonly invalid_tool_calls?:
    | readonly (Omit<InvalidToolCall, "type"> & { readonly type?: "invalid_tool_call" })[]
    | undefined;
  /** Pieces of calls, when there are no `tool_calls`; a whole message takes them finished. */
  readonly tool_call_chunks?: readonly ToolCallChunk[] | undefined;
  readonly usage_metadata?: UsageMetadata | null | undefined;
}

export type ToolMessageFields = MessageFields & {
  /** The id of the call that this answers. */
  readonly tool_call_id: string;
  readonly status?: "success" | "error" | undefined;
  /** What the tool produced beside the content; the model does not see it. */
  readonly artifact?: unknown;
};

/** The plain data of a message of a type. */
type Plain<Type> = MessageData & { readonly type: Type };

const ownClasses = new Set<unknown>();
const chunkMark = brandSymbol("AIMessageChunk");
const common = ["id", "name", "additional_kwargs", "response_metadata"];
const ofAnswers = [
  ...common,
  "tool_calls",
  "invalid_tool_calls",
  "tool_call_chunks",
  "usage_metadata",
];
const wireFields: Readonly<Record<MessageType, readonly string[]>> = {
  human: common,
  system: common,
  ai: ofAnswers,
  tool: [...common, "tool_call_id", "status"],
  remove: ["id"],
};

/**
 * What all messages have in common. An instance is frozen, its plain parts to any depth (they are
 * copied, so what was handed in stays as it was), and has the fields of the wire as its only own
 * properties; absent fields are not there. Fields that are asked for without being there answer
 * from the prototype: `tool_calls` is `[]`, `additional_kwargs` is `{}`.
 *
 * Throws `INVALID_MESSAGE` when a field is of the wrong kind.
 */
abstract class Message {
  declare readonly type: MessageType;
  declare readonly content: MessageContent;
  declare readonly id: string | undefined;
  declare readonly name: string | undefined;
  /** What a provider wants or gave beside the standard fields. */
  declare readonly additional_kwargs: Fields;
  /** Facts on how the message was made: model, finish reason, headers. */
  declare readonly response_metadata: Fields;

  constructor(type: MessageType, fields: Fields) {
    const own = this as Record<string, unknown>;
    own["type"] = type;
    own["content"] = frozenPart(contentFrom(type, fields));
    for (const field of wireFields[type]) {
      const value = fields[field];
      if (value !== undefined && value !== null) own[field] = frozenPart(value);
    }
    if (type === "tool" && fields["artifact"] !== undefined) {
      own["artifact"] = frozenPart(fields["artifact"]);
    }
    checkFields(type, own);
    // A class that users derive may add fields of its own after this.
    if (ownClasses.has(new.target)) Object.freeze(this);
  }

  /** The kind of message: "human", "ai", "system", "tool" or "remove". */
  getType(): this["type"] {
    return this.type;
  }

  /** The same as `getType()`, under its older name. */
  _getType(): this["type"] {
    return this.type;
  }

  /** All texts of the content, joined; "" when there is none. */
  get text(): string {
    return textOf(this.content);
  }

  /** The content as a list of blocks, tool calls included. */
  get contentBlocks(): readonly ContentBlock[] {
    return toBlocks(this.content);
  }

  /** The message as plain data. */
  toJSON(): Plain<this["type"]> {
    return { ...(this as Plain<this["type"]>) };
  }
}
defaults(Message, { additional_kwargs: {}, response_metadata: {} });

/** What a user said: `new HumanMessage("hi")`, content blocks, or `{ content, id, name, ... }`. */
export class HumanMessage extends Message {
  declare readonly type: "human";

  constructor(fields: ContentInput | MessageFields) {
    super("human", fieldsFrom(fields));
  }

  /** Whether `value` is a message of a user, as an instance or as plain data. */
  static isInstance(value: unknown): value is HumanMessageData {
    return isHumanMessage(value);
  }
}

/** Instructions to the model. */
export class SystemMessage extends Message {
  declare readonly type: "system";

  constructor(fields: ContentInput | MessageFields) {
    super("system", fieldsFrom(fields));
  }

  static isInstance(value: unknown): value is SystemMessageData {
    return isSystemMessage(value);
  }
}

/** An answer of a model: text, and calls of tools. */
export class AIMessage extends Message {
  declare readonly type: "ai";
  /** The calls that can be executed. Ids are never empty and differ within the message. */
  declare readonly tool_calls: readonly ToolCall[];
  /** Calls with arguments that do not parse, or without a name. */
  declare readonly invalid_tool_calls: readonly InvalidToolCall[];
  declare readonly usage_metadata: UsageMetadata | undefined;

  constructor(fields: ContentInput | AIMessageFields) {
    // A piece of a stream keeps its calls in pieces.
    const finish = hasBrand(new.target.prototype, chunkMark) ? withPieces : withCalls;
    super("ai", finish(fieldsFrom(fields)));
  }

  override get contentBlocks(): readonly ContentBlock[] {
    return blocksWithCalls(this.content, this.tool_calls);
  }

  static isInstance(value: unknown): value is AIMessageData {
    return isAIMessage(value);
  }
}
defaults(AIMessage, { tool_calls: [], invalid_tool_calls: [] });

/**
 * A piece of a streamed answer. `tool_calls` and `invalid_tool_calls` are what the pieces so far
 * amount to; only after the last piece are they the calls of the model.
 */
export class AIMessageChunk extends AIMessage {
  declare readonly tool_call_chunks: readonly ToolCallChunk[];

  static override isInstance(value: unknown): value is AIMessageChunkData {
    return isAIMessageChunk(value);
  }

  /** This piece and those that came after it, as one. The cost is that of the new pieces. */
  concat(...later: readonly AIMessageChunk[]): AIMessageChunk {
    return new AIMessageChunk(mergeChunks([this, ...later]));
  }

  /** The whole message, once the last piece is there: calls parsed, ids minted where missing. */
  toMessage(): AIMessage {
    const { tool_call_chunks: _, ...fields } = this.toJSON();
    return new AIMessage({ ...(fields as AIMessageFields), ...callsOf(this) });
  }
}
defaults(AIMessageChunk, { tool_call_chunks: [] });
for (const field of ["tool_calls", "invalid_tool_calls"] as const) {
  Object.defineProperty(AIMessageChunk.prototype, field, {
    get(this: AIMessageChunk): unknown {
      return callsOf(this)[field];
    },
  });
}

const assembled = new WeakMap<AIMessageChunk, FinishedCalls>();

/** Assembled when somebody asks, and once: ids that are minted stay what they are. */
function callsOf(chunk: AIMessageChunk): FinishedCalls {
  let calls = assembled.get(chunk);
  if (!calls) assembled.set(chunk, (calls = freezePart(assemble(chunk.tool_call_chunks))));
  return calls;
}

/**
 * The result of a tool call: `new ToolMessage({ content, tool_call_id, name, status, artifact })`,
 * or `new ToolMessage(content, tool_call_id, name)`.
 */
export class ToolMessage extends Message {
  declare readonly type: "tool";
  declare readonly tool_call_id: string;
  declare readonly status: "success" | "error" | undefined;
  declare readonly artifact: unknown;

  constructor(fields: ToolMessageFields);
  constructor(content: ContentInput, tool_call_id: string, name?: string);
  constructor(fields: ContentInput | ToolMessageFields, tool_call_id?: string, name?: string) {
    super(
      "tool",
      tool_call_id === undefined
        ? fieldsFrom(fields)
        : { ...fieldsFrom(fields), tool_call_id, ...(name === undefined ? undefined : { name }) },
    );
  }

  static isInstance(value: unknown): value is ToolMessageData {
    return isToolMessage(value);
  }
}

/** Tells the reducer of messages to delete the message with this id, or all: `REMOVE_ALL_MESSAGES`. */
export class RemoveMessage extends Message {
  declare readonly type: "remove";
  declare readonly id: string;

  constructor(fields: { readonly id: string }) {
    super("remove", { content: "", id: fields?.id });
  }

  static isInstance(value: unknown): value is RemoveMessageData {
    return isRemoveMessage(value);
  }
}

/** Any message. */
export type BaseMessage = HumanMessage | AIMessage | SystemMessage | ToolMessage | RemoveMessage;

/** For `instanceof`: what all classes of messages derive from. */
export const BaseMessage: typeof Message = Message;

brand(Message, "message");
const classes = {
  HumanMessage,
  SystemMessage,
  AIMessage,
  AIMessageChunk,
  ToolMessage,
  RemoveMessage,
};
for (const [name, constructor] of Object.entries(classes)) {
  brand(constructor, name);
  ownClasses.add(constructor);
}
storeMessages(classes, wireFields, checkFields);

/** The message with another id or name; the same class, and the rest shared with the original. */
export function copyWith<Kind extends BaseMessage>(
  message: Kind,
  fields: { readonly id?: string; readonly name?: string },
): Kind {
  const copy = Object.create(Object.getPrototypeOf(message) as object) as Kind;
  return Object.freeze(Object.assign(copy, message, fields));
}

/** A prototype answers for fields that an instance does not have. */
function defaults(constructor: { readonly prototype: object }, fields: Fields): void {
  for (const [name, value] of Object.entries(fields)) {
    Object.defineProperty(constructor.prototype, name, {
      value: Object.freeze(value),
      writable: true,
    });
  }
}

/** What a constructor was given, as fields. Nothing is copied yet. */
function fieldsFrom(given: unknown): Fields {
  if (typeof given === "string" || Array.isArray(given)) return { content: given };
  if (typeof given !== "object" || given === null) {
    throw invalidMessage("A message is made of a text, content blocks or fields", given);
  }
  const fields = given as Fields;
  // Among LangChain's fields `contentBlocks` is content in the standard form.
  if (!Array.isArray(fields["contentBlocks"]) || fields["content"] !== undefined) return fields;
  const response_metadata = {
    ...(fields["response_metadata"] as Fields | undefined),
    output_version: "v1",
  };
  return { ...fields, content: fields["contentBlocks"], response_metadata };
}

function contentFrom(type: MessageType, fields: Fields): MessageContent {
  const given = fields["content"];
  const absent = given === undefined || given === null;
  const content = absent && type === "ai" ? "" : toContent(given, type);
  const metadata = fields["response_metadata"] as Fields | null | undefined;
  return metadata?.["output_version"] === "v1" ? toBlocks(content) : content;
}

function checkFields(type: MessageType, own: Record<string, unknown>): void {
  for (const field of ["id", "name"]) {
    if (own[field] === "") delete own[field]; // nobody's id: providers send it for "none"
    else if (own[field] !== undefined) checkText(field, own[field]);
  }
  for (const field of ["additional_kwargs", "response_metadata", "usage_metadata"]) {
    const value = own[field];
    if (value !== undefined && (typeof value !== "object" || Array.isArray(value))) {
      throw invalidMessage(`${field} of a message is an object`, value);
    }
  }
  if (type === "remove") checkText("id", own["id"]);
  if (type !== "tool") return;
  checkText("tool_call_id", own["tool_call_id"]);
  const status = own["status"];
  if (status !== undefined && status !== "success" && status !== "error") {
    throw invalidMessage('status of a tool message is "success" or "error"', status);
  }
}

function checkText(field: string, value: unknown): void {
  if (typeof value !== "string") throw invalidMessage(`${field} of a message is a text`, value);
}
