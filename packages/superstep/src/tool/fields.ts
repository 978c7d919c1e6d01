import { describe, listNames } from "../errors/describe.ts";
import { SuperstepError } from "../errors/errors.ts";
import { checkSchema } from "../schema/kind.ts";
import type { Schema } from "../schema/types.ts";
import { isTextSchema } from "./input.ts";

/** Whether a tool returns its content, or `[content, artifact]`; the model sees the content only. */
export type ResponseFormat = "content" | "content_and_artifact";

/**
 * What a second run of the same call would do. `pure`: nothing but read. `idempotent`: the same as
 * one run. `once`: harm, so that a call whose outcome is unknown is not run again.
 */
export type Effect = "pure" | "idempotent" | "once";

/** What a tool is made of, besides its function. */
export interface ToolFields<S = Schema | undefined> {
  /** `[a-zA-Z0-9_-]`, 1 to 64 characters: what all providers accept. */
  readonly name: string;
  /** Default: the description of the schema, else "<name> tool". */
  readonly description?: string | undefined;
  readonly schema?: S | undefined;
  /** Default "content". */
  readonly responseFormat?: ResponseFormat | undefined;
  /** Whether the result ends the agent's run. Default false. */
  readonly returnDirect?: boolean | undefined;
  /** Kept with the tool. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** What a provider wants beside the definition, by provider. */
  readonly extras?: Readonly<Record<string, unknown>> | undefined;
  readonly effect?: Effect | undefined;
  /** Whether refused arguments are explained as JSON too. Default false. */
  readonly verboseParsingErrors?: boolean | undefined;
}

interface CheckedFields {
  readonly name: string;
  readonly description: string;
  readonly schema: Schema | undefined;
  /** Whether the tool takes one text rather than an object. */
  readonly takesText: boolean;
}

const fieldNames: ReadonlySet<string> = new Set<keyof ToolFields>([
  "name",
  "description",
  "schema",
  "responseFormat",
  "returnDirect",
  "metadata",
  "extras",
  "effect",
  "verboseParsingErrors",
]);
const choices = {
  responseFormat: ["content", "content_and_artifact"],
  returnDirect: [true, false],
  effect: ["pure", "idempotent", "once"],
  verboseParsingErrors: [true, false],
} as const satisfies { readonly [Field in keyof ToolFields]?: readonly unknown[] };

export function checkFields(func: unknown, fields: ToolFields<unknown>): CheckedFields {
  if (typeof fields !== "object" || fields === null) {
    throw invalidTool(`A tool cannot be described by ${describe(fields)}.`);
  }
  const { name, schema } = fields;
  checkName(name);
  const title = `Tool ${JSON.stringify(name)}`;
  if (typeof func !== "function") throw invalidTool(`${title} has ${describe(func)} as function.`);
  for (const key of Object.keys(fields)) {
    if (!fieldNames.has(key)) {
      throw new SuperstepError("UNKNOWN_OPTION", `${title} has the unknown field "${key}".`, {
        fix: `Use ${listNames(fieldNames)}.`,
      });
    }
  }
  for (const [key, allowed] of Object.entries(choices)) {
    const value = fields[key as keyof typeof choices];
    if (value === undefined || (allowed as readonly unknown[]).includes(value)) continue;
    throw new SuperstepError("INVALID_OPTION", `${title}: ${key} cannot be ${describe(value)}.`, {
      fix: `Give one of ${allowed.map((each) => JSON.stringify(each)).join(", ")}.`,
    });
  }
  if (schema !== undefined) checkSchema(schema);
  const known: Schema | undefined = schema;
  const description = fields.description ?? descriptionOf(known) ?? `${name} tool`;
  const takesText = known === undefined || isTextSchema(known);
  return { name, description, schema: known, takesText };
}

/** Throws `INVALID_TOOL` for a name that some provider would refuse. */
export function checkName(name: unknown): asserts name is string {
  if (typeof name === "string" && /^[a-zA-Z0-9_-]{1,64}$/.test(name)) return;
  const problem = `A tool cannot be named ${describe(name)}.`;
  throw invalidTool(problem, "Use 1 to 64 of the characters a-z, A-Z, 0-9, _ and -.");
}

const example = "Give a function and its description: tool(fn, { name, description, schema }).";

export function invalidTool(message: string, fix: string = example): SuperstepError {
  return new SuperstepError("INVALID_TOOL", message, { fix });
}

/** What the schema says of itself. ArkType's schemas (functions) always say something generated. */
export function descriptionOf(schema: Schema | undefined): string | undefined {
  if (typeof schema !== "object") return undefined;
  const { description } = schema as { readonly description?: unknown };
  return typeof description === "string" && description !== "" ? description : undefined;
}
