import { describe } from "../errors/describe.ts";
import { SuperstepError } from "../errors/errors.ts";
import { toJsonSchema } from "../schema/to-json-schema.ts";
import type { JsonSchema, Schema } from "../schema/types.ts";
import { checkName, descriptionOf, type Effect, invalidTool } from "./fields.ts";
import { textInput } from "./input.ts";

/**
 * What is accepted wherever a tool is: a tool of ours, or any object of this shape, the tools of
 * LangChain among them. `invoke` takes arguments or a tool call, and a config.
 */
export interface ToolLike {
  readonly name: string;
  readonly description?: string | undefined;
  readonly schema?: unknown;
  readonly returnDirect?: boolean | undefined;
  readonly effect?: Effect | undefined;
  invoke(input: never, config?: never): unknown;
  toJsonSchema?(): JsonSchema | Promise<JsonSchema>;
}

/** A tool that can be bound to a model and executed. */
export interface ExecutableTool {
  readonly name: string;
  readonly description: string;
  readonly schema: unknown;
  readonly returnDirect: boolean;
  readonly effect: Effect | undefined;
  invoke(input: unknown, config?: unknown): Promise<unknown>;
  toJsonSchema(): JsonSchema | Promise<JsonSchema>;
}

/** Whether `value` can be used as a tool. Goes by shape, not by class. */
export function isTool(value: unknown): value is ToolLike {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return false;
  const { name, invoke, schema, toJsonSchema: convert } = value as Partial<ToolLike>;
  return (
    typeof name === "string" &&
    typeof invoke === "function" &&
    (schema !== undefined || typeof convert === "function")
  );
}

const adopted = new WeakMap<ToolLike, ExecutableTool>();

/**
 * `value` as a tool that can be bound and executed: itself if it can do both, else a tool that
 * stands for it, the same each time.
 *
 * Throws `INVALID_TOOL` for what is no tool, or has a name that providers refuse.
 */
export function toTool(value: unknown): ExecutableTool {
  if (!isTool(value)) {
    throw invalidTool(
      `${describe(value)} is not a tool.`,
      "Make one with tool(fn, { name, description, schema }).",
    );
  }
  checkName(value.name);
  if (value.toJsonSchema) return value as ExecutableTool;
  const known = adopted.get(value);
  if (known) return known;
  const tool = adopt(value);
  adopted.set(value, tool);
  return tool;
}

function adopt(foreign: ToolLike): ExecutableTool {
  const schema = foreign.schema as Schema;
  return Object.freeze({
    name: foreign.name,
    description: foreign.description ?? descriptionOf(schema) ?? `${foreign.name} tool`,
    schema,
    returnDirect: foreign.returnDirect ?? false,
    effect: foreign.effect,
    invoke: async (input: unknown, config?: unknown) =>
      foreign.invoke(input as never, config as never),
    toJsonSchema: () => toJsonSchema(schema ?? textInput),
  });
}

/**
 * Tools by name, in the order given; finding one takes the same time however many there are.
 *
 * Throws `INVALID_TOOL` for what is no tool, `DUPLICATE_TOOL` when two have one name.
 */
export function toolTable(tools: Iterable<unknown>): ReadonlyMap<string, ExecutableTool> {
  const table = new Map<string, ExecutableTool>();
  for (const value of tools) {
    const tool = toTool(value);
    if (table.has(tool.name)) {
      throw new SuperstepError("DUPLICATE_TOOL", `Two tools are named ${describe(tool.name)}.`, {
        fix: "Give each tool a name of its own.",
      });
    }
    table.set(tool.name, tool);
  }
  return table;
}
