import { isBaseMessage } from "../message/guards.ts";
import type { MessageData } from "../message/types.ts";

/** A value as Python prints it with `repr`; messages as LangChain's. Never throws. */
export function pythonRepr(value: unknown): string {
  return repr(value, []);
}

/** Arguments of a call as Python writes them: `a=1, b='x'`. */
export function pythonArguments(args: Readonly<Record<string, unknown>>): string {
  const names = Object.keys(args);
  if (!names.every((name) => identifier.test(name))) return `**${pythonRepr(args)}`;
  return names.map((name) => `${name}=${pythonRepr(args[name])}`).join(", ");
}
const identifier = /^[\p{ID_Start}_]\p{ID_Continue}*$/u;

/** `outer` are the values that this one stands in. */
function repr(value: unknown, outer: readonly object[]): string {
  switch (typeof value) {
    case "string":
      return pythonString(value);
    case "number":
      return pythonNumber(value);
    case "bigint":
      return String(value);
    case "boolean":
      return value ? "True" : "False";
    case "undefined":
      return "None";
    case "symbol":
      return `<${String(value)}>`;
    case "function":
      return `<function ${value.name}>`;
    case "object":
      return value === null ? "None" : reprObject(value, outer);
  }
}

const maxDepth = 100;

function reprObject(value: object, outer: readonly object[]): string {
  if (outer.includes(value) || outer.length > maxDepth)
    return Array.isArray(value) ? "[...]" : "{...}";
  const within = [...outer, value];
  try {
    if (Array.isArray(value)) return `[${value.map((item) => repr(item, within)).join(", ")}]`;
    if (isBaseMessage(value)) return reprMessage(value, within);
    if (value instanceof Map) return reprDict([...value], within);
    if (value instanceof Set) return reprSet([...value], within);
    if (value instanceof Error) return `${value.name}(${pythonString(value.message)})`;
    if (ArrayBuffer.isView(value))
      return `<${value.constructor.name} of ${value.byteLength} bytes>`;
    const json = (value as { readonly toJSON?: unknown }).toJSON;
    if (typeof json === "function") return repr(json.call(value), within);
    return reprDict(Object.entries(value), within);
  } catch {
    return "<unreadable>"; // a getter that throws, or a proxy that refuses
  }
}

function reprDict(
  entries: readonly (readonly [unknown, unknown])[],
  outer: readonly object[],
): string {
  return `{${entries.map(([key, item]) => `${repr(key, outer)}: ${repr(item, outer)}`).join(", ")}}`;
}

function reprSet(items: readonly unknown[], outer: readonly object[]): string {
  return items.length === 0 ? "set()" : `{${items.map((item) => repr(item, outer)).join(", ")}}`;
}

const classNames: Readonly<Record<MessageData["type"], string>> = {
  human: "HumanMessage",
  system: "SystemMessage",
  ai: "AIMessage",
  tool: "ToolMessage",
  remove: "RemoveMessage",
};

/** The fields that are set, in LangChain's order; a status only when it tells of an error. */
function reprMessage(message: MessageData, outer: readonly object[]): string {
  const { content, name, id, tool_calls = [], tool_call_id, status } = message;
  const fields = Object.entries({
    content: message.type === "remove" ? undefined : content,
    name,
    id,
    tool_calls: tool_calls.length > 0 ? tool_calls : undefined,
    tool_call_id,
    status: status === "error" ? status : undefined,
  }).filter(([, value]) => value !== undefined);
  const shown = fields.map(([field, value]) => `${field}=${repr(value, outer)}`);
  return `${classNames[message.type]}(${shown.join(", ")})`;
}

/** Single quotes, unless only those occur inside; what cannot be printed is escaped. */
function pythonString(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const shown = text.replace(special, (char) => (char === quote ? `\\${char}` : escaped(char)));
  return quote + shown + quote;
}

const escapes: ReadonlyMap<string, string> = new Map([
  ["'", "'"],
  ['"', '"'],
  ["\\", "\\\\"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
]);
/** Quotes and backslashes, and what Python does not print: all but the space of these classes. */
const special = /(?! )[\\'"\p{C}\p{Z}]/gu;

function escaped(char: string): string {
  const known = escapes.get(char);
  if (known) return known;
  const code = char.codePointAt(0)!;
  const hex = (length: number): string => code.toString(16).padStart(length, "0");
  if (code < 0x100) return `\\x${hex(2)}`;
  return code < 0x10000 ? `\\u${hex(4)}` : `\\U${hex(8)}`;
}

/** A whole number is an int, anything else a float. */
function pythonNumber(value: number): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  if (Object.is(value, -0)) return "-0.0";
  const text = value !== 0 && Math.abs(value) < 1e-4 ? value.toExponential() : String(value);
  return text.replace(/e([+-])(\d)$/, "e$10$2");
}
