import { parseToolArguments } from "../message/tool-calls.ts";
import type { ToolCall } from "../message/types.ts";
import { withoutProto } from "../schema/json-copy.ts";
import type { JsonSchema, Schema, Validation } from "../schema/types.ts";
import { validate } from "../schema/validate.ts";

/** Turns what a tool is invoked with into the argument of its function. */
export type InputParser = (input: unknown) => Validation | Promise<Validation>;

/** What a tool without a schema takes: one text, called `input`. */
export const textInput: JsonSchema = Object.freeze({
  type: "object",
  properties: Object.freeze({ input: Object.freeze({ type: "string" }) }),
});

/** The JSON Schema for a tool whose one argument is a text that fits `text`. */
export function asTextInput(text: JsonSchema): JsonSchema {
  const { $schema: _, ...input } = text;
  return { type: "object", properties: { input }, required: ["input"] };
}

/** The parser for a schema; `text` says that the schema is for one text, called `input`. */
export function inputParser(schema: Schema | undefined, text: boolean): InputParser {
  if (!schema) return parseText;
  if (!text) return (input) => validate(schema, withoutProto(asArguments(input)));
  return (input) => {
    const found = typeof input === "string" ? { value: input } : textMember(input);
    return found.issues ? found : validate(schema, found.value);
  };
}

/** Whether the schema is for a text, in the libraries where that can be seen from outside. */
export function isTextSchema(schema: Schema): boolean {
  const { type, expression, _def } = schema as {
    readonly type?: unknown;
    readonly expression?: unknown;
    readonly _def?: { readonly typeName?: unknown };
  };
  return type === "string" || expression === "string" || _def?.typeName === "ZodString";
}

/** No arguments at all, however they were written, are the empty object. */
function asArguments(input: unknown): unknown {
  return typeof input === "object" && input !== null ? input : (parseToolArguments(input) ?? input);
}

function parseText(input: unknown): Validation {
  if (typeof input === "string") return { value: input };
  const found = textMember(input);
  if (found.issues) return found;
  if (found.value === undefined) return { value: "" };
  if (typeof found.value === "string") return found;
  return { issues: [{ message: `expected string, received ${typeof found.value}`, path }] };
}
const path: readonly string[] = ["input"];

/** `{ input: "text" }` as models and LangChain programs write it; `{}` has no text. */
function textMember(input: unknown): Validation {
  if (input === undefined || input === null) return { value: undefined };
  const keys = typeof input === "object" ? Object.keys(input) : [];
  if (typeof input === "object" && (keys.length === 0 || keys.includes("input"))) {
    return { value: (input as { readonly input?: unknown }).input };
  }
  return { issues: [{ message: `expected a text, or an object with the text as "input"` }] };
}

/** Whether `value` is a call of the model rather than arguments. */
export function isToolCall(value: unknown): value is ToolCall {
  if (typeof value !== "object" || value === null) return false;
  const call = value as Partial<ToolCall>;
  return call.type === "tool_call" && typeof call.name === "string" && "args" in call;
}
