import type {
  AIMessageChunkData,
  AIMessageData,
  HumanMessageData,
  MessageData,
  MessageType,
  RemoveMessageData,
  SystemMessageData,
  ToolMessageData,
} from "./types.ts";

// The guards look at the fields, not at the class: a message that went through JSON, or was made by
// another copy of this package, is as good as one that was not. They narrow to the plain data, which
// for a union of our classes is the class.

/** Whether `value` is a message of any type, as an instance or as plain data. */
export function isBaseMessage(value: unknown): value is MessageData {
  return messageTypes.has(typeOf(value));
}
const messageTypes: ReadonlySet<unknown> = new Set<MessageType>([
  "human",
  "ai",
  "system",
  "tool",
  "remove",
]);

export function isHumanMessage(value: unknown): value is HumanMessageData {
  return typeOf(value) === "human";
}

export function isSystemMessage(value: unknown): value is SystemMessageData {
  return typeOf(value) === "system";
}

/** Whether `value` is an answer of a model, or a piece of one. */
export function isAIMessage(value: unknown): value is AIMessageData {
  return typeOf(value) === "ai";
}

/** Whether `value` is a piece of a streamed answer. */
export function isAIMessageChunk(value: unknown): value is AIMessageChunkData {
  return isAIMessage(value) && Array.isArray((value as MessageData).tool_call_chunks);
}

export function isToolMessage(value: unknown): value is ToolMessageData {
  return typeOf(value) === "tool" && typeof (value as MessageData).tool_call_id === "string";
}

export function isRemoveMessage(value: unknown): value is RemoveMessageData {
  return typeOf(value) === "remove" && typeof (value as MessageData).id === "string";
}

/** The type of a message; `undefined` for anything that has no content. */
function typeOf(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  const { type, content } = value as Partial<MessageData>;
  return typeof content === "string" || Array.isArray(content) ? type : undefined;
}
