import { brandSymbol } from "../errors/brand.ts";
import { isPlainRecord } from "../json/plain.ts";
import { registerType } from "../json/codec.ts";
import { freezePart } from "./frozen.ts";
import { invalidMessage } from "./invalid.ts";
import type { MessageType } from "./types.ts";

type ClassName =
  | "HumanMessage"
  | "SystemMessage"
  | "AIMessage"
  | "AIMessageChunk"
  | "ToolMessage"
  | "RemoveMessage";

const classOfType: Readonly<Record<MessageType, ClassName>> = {
  human: "HumanMessage",
  system: "SystemMessage",
  ai: "AIMessage",
  tool: "ToolMessage",
  remove: "RemoveMessage",
};
const lists = ["tool_calls", "invalid_tool_calls", "tool_call_chunks"];

/**
 * Tells the codec how messages are stored: as their own fields, under one name for all whole
 * messages, so that a history has one tag. They come back with exactly the fields they had: nothing
 * is normalised, parsed or minted a second time.
 */
export function storeMessages(
  classes: Readonly<Record<ClassName, { readonly prototype: object }>>,
  wireFields: Readonly<Record<MessageType, readonly string[]>>,
  check: (type: MessageType, fields: Record<string, unknown>) => void,
): void {
  const revive = (data: unknown, name?: ClassName): object => {
    const type = isPlainRecord(data) ? (data["type"] as MessageType) : undefined;
    if (type === undefined || !Object.hasOwn(classOfType, type)) {
      throw invalidMessage("A stored message has a type", data);
    }
    const fields = data as Record<string, unknown>;
    checkNames(type, fields, wireFields[type]);
    check(type, fields);
    const message: unknown = Object.create(classes[name ?? classOfType[type]].prototype);
    for (const value of Object.values(fields)) {
      if (typeof value === "object" && value !== null) freezePart(value);
    }
    return Object.freeze(Object.assign(message as object, fields));
  };
  for (const name of Object.keys(classes)) {
    registerType({
      name: name === "AIMessageChunk" ? name : "message",
      mark: brandSymbol(name),
      encode: (message) => ({ ...message }),
      decode: name === "AIMessageChunk" ? reviveChunk : (data) => revive(data),
    });
  }
  function reviveChunk(data: unknown): object {
    const chunk = revive(data, "AIMessageChunk");
    if ((chunk as { readonly type: unknown }).type === "ai") return chunk;
    throw invalidMessage("A piece of an answer has the type ai", data);
  }
}

function checkNames(
  type: MessageType,
  fields: Readonly<Record<string, unknown>>,
  known: readonly string[],
): void {
  const { content } = fields;
  if (typeof content !== "string" && !Array.isArray(content)) {
    throw invalidMessage("A stored message has a text or blocks as its content", content);
  }
  for (const field of Object.keys(fields)) {
    const isKnown = known.includes(field) || field === "type" || field === "content";
    if (!isKnown && !(type === "tool" && field === "artifact")) {
      throw invalidMessage("A stored message has only fields of messages", field);
    }
    const value = fields[field];
    if (lists.includes(field) && value !== undefined && !Array.isArray(value)) {
      throw invalidMessage(`${field} of a message is a list`, value);
    }
  }
}
