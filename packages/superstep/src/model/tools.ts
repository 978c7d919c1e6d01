import { describe, listNames } from "../errors/describe.ts";
import { SuperstepError } from "../errors/errors.ts";
import type { BindableTool, JsonSchema, ProviderTool, ToolDefinition } from "./types.ts";

type Fields = Readonly<Record<string, unknown>>;
type Converted = ToolDefinition | ProviderTool;

// A tool is converted once, whatever the number of models and calls that it is bound to.
const converted = new WeakMap<object, Converted | Promise<Converted>>();

/** The tools as they are sent. Throws `INVALID_TOOL` for what is no tool. */
export async function convertTools(
  tools: readonly BindableTool[] | undefined,
): Promise<readonly Converted[] | undefined> {
  if (tools === undefined || tools.length === 0) return undefined;
  const results = tools.map(convertTool);
  const all: Converted[] = [];
  for (const result of results) all.push(result instanceof Promise ? await result : result);
  return all;
}

function convertTool(tool: BindableTool): Converted | Promise<Converted> {
  if ((typeof tool !== "object" && typeof tool !== "function") || tool === null) {
    throw notATool(tool);
  }
  const before = converted.get(tool);
  if (before) return before;
  const result = conversion(tool);
  converted.set(tool, result);
  if (result instanceof Promise) {
    result.then(
      (known) => converted.set(tool, known),
      () => converted.delete(tool),
    );
  }
  return result;
}

function conversion(tool: BindableTool): Converted | Promise<Converted> {
  const fields = tool as Fields;
  const { name, description, type } = fields;
  if (typeof fields["toJsonSchema"] === "function") {
    const schema = (fields as { toJsonSchema(): JsonSchema | Promise<JsonSchema> }).toJsonSchema();
    return schema instanceof Promise
      ? schema.then((parameters) => definition(name, description, parameters))
      : definition(name, description, schema);
  }
  if (type === "function") {
    if (typeof fields["function"] === "object") return tool;
    return definition(name, description, fields["parameters"]); // OpenAI's Responses shape
  }
  const anthropic = fields["input_schema"] ?? fields["inputSchema"];
  if (typeof name === "string" && typeof anthropic === "object" && type === undefined) {
    return definition(name, description, anthropic);
  }
  if (typeof type === "string") return tool;
  throw notATool(tool);
}

function definition(name: unknown, description: unknown, parameters: unknown): ToolDefinition {
  const known = { name, description, parameters };
  const present = Object.entries(known).filter(([, value]) => value !== undefined);
  return {
    type: "function",
    function: Object.fromEntries(present) as unknown as ToolDefinition["function"],
  };
}

/** The name of a tool, converted or not; `undefined` for a provider's tool without one. */
export function nameOfTool(tool: BindableTool): string | undefined {
  const fields = tool as Fields;
  const inner = fields["function"] as Fields | undefined;
  const name = fields["type"] === "function" && inner ? inner["name"] : fields["name"];
  return typeof name === "string" ? name : undefined;
}

export type ResolvedToolChoice =
  | { readonly type: "auto" | "none" | "required" }
  | { readonly type: "tool"; readonly toolName: string };

/**
 * The choice in the one form that ports read. OpenAI's and Anthropic's objects are taken too.
 * `undefined` when nothing was chosen, or there is no tool to choose.
 */
export function resolveToolChoice(
  choice: unknown,
  tools: readonly Converted[] | undefined,
): ResolvedToolChoice | undefined {
  if (choice === undefined || choice === null || !tools) return undefined;
  const named = typeof choice === "object" ? nameInChoice(choice as Fields) : choice;
  switch (named) {
    case "auto":
    case "none":
    case "required":
      return { type: named };
    case "any":
      return { type: "required" };
    default:
  }
  const names = tools.map(nameOfTool).filter((name) => name !== undefined);
  if (typeof named === "string" && names.includes(named)) return { type: "tool", toolName: named };
  throw new SuperstepError(
    "INVALID_OPTION",
    `tool_choice ${describe(choice)} is neither a mode nor the name of a bound tool.`,
    { fix: `Modes: "auto", "none", "any", "required". Bound tools: ${listNames(names)}.` },
  );
}

function nameInChoice(choice: Fields): unknown {
  const inner = choice["function"] as Fields | undefined;
  return inner?.["name"] ?? choice["name"] ?? choice["type"];
}

function notATool(tool: unknown): SuperstepError {
  return new SuperstepError("INVALID_TOOL", `A model cannot bind ${describe(tool)} as a tool.`, {
    fix:
      "Bind what tool(...) makes, { type: 'function', function: { name, description, parameters } }, " +
      "or a provider's own tool, which has a type.",
  });
}
