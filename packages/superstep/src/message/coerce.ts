import { infoOf } from "./lists.ts";
import { hasBrand, brandSymbol } from "../errors/brand.ts";
import { isAIMessageChunk } from "./guards.ts";
import { atIndex, invalidMessage } from "./invalid.ts";
import {
  AIMessage,
  type AIMessageChunk,
  type BaseMessage,
  HumanMessage,
  type MessageFields,
  RemoveMessage,
  SystemMessage,
  ToolMessage,
  type ToolMessageFields,
} from "./messages.ts";
import type { ContentInput } from "./content.ts";
import type { MessageData, MessageType } from "./types.ts";

/** The roles and types by which a message may say whose it is. */
export type MessageRole =
  | "user"
  | "human"
  | "assistant"
  | "ai"
  | "system"
  | "developer"
  | "tool"
  | "remove";

/** A message as `{ role, content }`, OpenAI's shape included. */
export interface RoleMessage {
  readonly role: MessageRole | (string & {});
  readonly content?: ContentInput | null | undefined;
  readonly [field: string]: unknown;
}

/** A message of LangChain, or one that it has serialised. */
export type ForeignMessage =
  | { readonly lc: number; readonly type: "constructor"; readonly kwargs: object }
  | { getType(): string; readonly content: unknown }
  | { _getType(): string; readonly content: unknown };

/** Everything that can stand for one message. A text is a message of the user. */
export type MessageLike =
  | string
  | BaseMessage
  | AIMessageChunk
  | MessageData
  | RoleMessage
  | readonly [role: MessageRole | (string & {}), content: ContentInput]
  | ForeignMessage;

/**
 * Messages as a caller may write them: one, or a list. An array at the top is always the list, so
 * that `["system", "hi"]` is two texts whoever wrote them; a role needs `[["system", "hi"]]`.
 */
export type MessagesInput = MessageLike | readonly MessageLike[];

type Fields = Readonly<Record<string, unknown>>;
const mark = brandSymbol("message");

/**
 * The message that `input` stands for. An instance is returned as it is, but a piece of a stream
 * is finished to a whole message.
 *
 * Throws `INVALID_MESSAGE` for anything that is no message.
 */
export function coerceMessage(input: unknown): BaseMessage {
  if (typeof input === "string") return new HumanMessage(input);
  if (typeof input !== "object" || input === null) throw invalidMessage("No message", input);
  if (hasBrand(input, mark)) {
    if (isAIMessageChunk(input)) return (input as unknown as AIMessageChunk).toMessage();
    return Object.freeze(input) as BaseMessage;
  }
  if (Array.isArray(input)) return fromPair(input);
  return fromFields(input as Fields);
}

/**
 * The messages that `input` stands for. Results of tools without an id of their call, which some
 * providers make, are given those that were minted for the calls before them, in order.
 *
 * Throws `INVALID_MESSAGE`, which names the index, what stood there and the forms that are taken.
 */
export function coerceMessages(input: unknown): BaseMessage[] {
  if (infoOf(input)) return input as BaseMessage[]; // the reducer made it
  if (!Array.isArray(input)) return [coerceMessage(input)];
  const messages: BaseMessage[] = [];
  let minted: string[] = [];
  for (let index = 0; index < input.length; index++) {
    const item: unknown = input[index];
    try {
      const message = coerceMessage(item);
      if (message.type === "ai" && message !== item) minted = mintedIds(item, message);
      messages.push(isUnaddressed(message, minted) ? address(message, minted.shift()!) : message);
    } catch (error) {
      throw atIndex(index, error);
    }
  }
  return messages;
}

function fromPair(pair: readonly unknown[]): BaseMessage {
  const [role, content] = pair;
  const type = typeof role === "string" ? types.get(role) : undefined;
  if (pair.length !== 2 || type === undefined) {
    throw invalidMessage("A message as a list is [role, content]", pair);
  }
  return build(type, { content, ...roleKwargs(role) });
}

// LangChain's and the wire's names. Names of pieces are Python's.
const types: ReadonlyMap<unknown, MessageType> = new Map<string, MessageType>([
  ["human", "human"],
  ["user", "human"],
  ["HumanMessage", "human"],
  ["HumanMessageChunk", "human"],
  ["ai", "ai"],
  ["assistant", "ai"],
  ["AIMessage", "ai"],
  ["AIMessageChunk", "ai"],
  ["system", "system"],
  ["developer", "system"],
  ["SystemMessage", "system"],
  ["SystemMessageChunk", "system"],
  ["tool", "tool"],
  ["ToolMessage", "tool"],
  ["ToolMessageChunk", "tool"],
  ["remove", "remove"],
  ["RemoveMessage", "remove"],
]);

function fromFields(input: Fields): BaseMessage {
  if (input["lc"] !== undefined && input["type"] === "constructor") return fromSerialised(input);
  const getType = input["_getType"] ?? input["getType"];
  if (typeof getType === "function") return fromForeign(input, getType.call(input));
  const type = types.get(input["type"]) ?? types.get(input["role"]);
  if (!type) {
    const given = input["role"] ?? input["type"];
    const problem = given === undefined ? "An object without a role or type" : "An unknown role";
    throw invalidMessage(problem, given ?? input);
  }
  // Stored messages of LangChain: { type, data: { content, ... } }.
  const { content, data } = input;
  const stored = content === undefined && typeof data === "object" && data !== null;
  const fields = stored ? (data as Fields) : input;
  return build(type, { ...withExtras(fields), ...roleKwargs(input["role"], fields) });
}

/** `{ lc: 1, type: "constructor", id: [..., "HumanMessage"], kwargs }`: read as data, by name. */
function fromSerialised(input: Fields): BaseMessage {
  const { id, kwargs } = input;
  const type = Array.isArray(id) ? types.get(id.at(-1)) : undefined;
  if (!type || typeof kwargs !== "object" || kwargs === null) {
    throw invalidMessage("A serialised object that is no message", input);
  }
  return build(type, kwargs);
}

// What is read of an instance of LangChain; some of it are getters, so copying would miss it.
const foreignFields = [
  "content",
  "id",
  "name",
  "additional_kwargs",
  "response_metadata",
  "tool_calls",
  "invalid_tool_calls",
  "usage_metadata",
  "tool_call_id",
  "status",
  "artifact",
];

function fromForeign(input: Fields, name: unknown): BaseMessage {
  const type = types.get(name) ?? types.get(input["role"]);
  if (!type) throw invalidMessage("A message of an unknown type", name);
  const fields: Record<string, unknown> = {};
  for (const field of foreignFields) fields[field] = input[field];
  return build(type, { ...fields, ...roleKwargs(input["role"], fields) });
}

/** The constructors check what they are given, so the casts claim nothing. */
function build(type: MessageType, fields: object): BaseMessage {
  switch (type) {
    case "human":
      return new HumanMessage(fields as MessageFields);
    case "system":
      return new SystemMessage(fields as MessageFields);
    case "ai":
      return new AIMessage(fields);
    case "tool":
      return new ToolMessage(fields as ToolMessageFields);
    case "remove":
      return new RemoveMessage(fields as { readonly id: string });
    default:
      return type satisfies never;
  }
}

const knownFields: ReadonlySet<string> = new Set([
  ...foreignFields,
  "contentBlocks",
  "tool_call_chunks",
  "type",
  "role",
  "example", // of old LangChain messages; says nothing
]);

/** Fields that no message has are kept where providers look for them. */
function withExtras(fields: Fields): Fields {
  const unknown = Object.keys(fields).filter((key) => !knownFields.has(key));
  const extras = unknown.filter((key) => fields[key] !== undefined && fields[key] !== null);
  if (extras.length === 0) return fields;
  const kept = Object.fromEntries(extras.map((key) => [key, fields[key]]));
  return { ...fields, additional_kwargs: { ...kept, ...kwargsOf(fields) } };
}

/** The role "developer" is a system message that remembers its role, under LangChain's name. */
function roleKwargs(role: unknown, fields: Fields = {}): Fields {
  if (role !== "developer") return {};
  return { additional_kwargs: { ...kwargsOf(fields), __openai_role__: "developer" } };
}

function kwargsOf(fields: Fields): Fields | undefined {
  return fields["additional_kwargs"] as Fields | undefined;
}

/** The ids of the calls that came without one; none when it is not clear which is which. */
function mintedIds(item: unknown, message: BaseMessage): string[] {
  const given = (item as { readonly tool_calls?: unknown }).tool_calls;
  if (!Array.isArray(given) || message.type !== "ai") return [];
  if (message.invalid_tool_calls.length > 0) return [];
  const ids = new Set(given.map((call: { readonly id?: unknown }) => call.id));
  return message.tool_calls.filter((call) => !ids.has(call.id)).map((call) => call.id);
}

function isUnaddressed(message: BaseMessage, minted: readonly string[]): message is ToolMessage {
  return message.type === "tool" && message.tool_call_id === "" && minted.length > 0;
}

function address(message: ToolMessage, tool_call_id: string): ToolMessage {
  return new ToolMessage({ ...message.toJSON(), tool_call_id });
}
