import { errorMessage, SuperstepError } from "../errors/errors.ts";
import { maxSchemaDepth, unconvertible } from "./depth.ts";
import { checkSchema, isStandardSchema } from "./kind.ts";
import { missingPackage } from "./peer.ts";
import type { JsonSchema, Schema, StandardSchema } from "./types.ts";

interface Converter {
  readonly input: (options: {
    readonly target: string;
    readonly libraryOptions?: Readonly<Record<string, unknown>>;
  }) => JsonSchema;
}

const target = "draft-07"; // what all providers read, and all libraries write
const purpose = "JSON Schema for a schema of";

/**
 * JSON Schema of what `schema` takes. Parts that have none are marked with `unconvertible` where the
 * library tells them apart.
 *
 * Throws `INVALID_SCHEMA` when the library refuses or offers no JSON Schema, `MISSING_PACKAGE` when
 * the package that converts is not installed.
 */
export function convert(schema: Schema): JsonSchema | Promise<JsonSchema> {
  checkSchema(schema);
  if (!isStandardSchema(schema)) return schema;
  const converter = (schema["~standard"] as { readonly jsonSchema?: Converter }).jsonSchema;
  if (converter) return fromStandard(schema, converter);
  if ("_zod" in schema) return fromZod4(schema);
  const { vendor } = schema["~standard"];
  if (vendor === "zod") return fromZod3(schema);
  if (vendor === "valibot") return fromValibot(schema);
  throw new SuperstepError("INVALID_SCHEMA", `Schemas of ${vendor} offer no JSON Schema.`, {
    fix: "Use a library with Standard JSON Schema (Zod, ArkType, Valibot), or give JSON Schema.",
  });
}

function fromStandard(schema: StandardSchema, converter: Converter): JsonSchema {
  const { vendor } = schema["~standard"];
  if (vendor === "arktype") {
    return attempt(() => converter.input({ target, libraryOptions: { fallback: arkFallback } }));
  }
  try {
    return converter.input({ target });
  } catch (error) {
    if (vendor !== "zod" || isStackOverflow(error)) throw refused(error);
    // Zod says what it cannot convert but not where. The second pass is for the place only.
    const marked = attempt(() => converter.input({ target, libraryOptions: { unrepresentable } }));
    return { ...marked, [unconvertible]: errorMessage(error) };
  }
}

/** Zod's (>= 4.6) hook for what has no JSON Schema; `message` says what it is. */
function unrepresentable({ message }: { readonly message: string }): JsonSchema {
  return { [unconvertible]: message };
}

interface ArkContext {
  readonly code: string;
  readonly base: JsonSchema;
}
// Without these the schema still describes the type, only less narrowly; the rest is no JSON.
const arkNarrowing: ReadonlySet<string> = new Set(["predicate", "patternIntersection"]);
const arkMarks = "date domain proto unit symbolKey arrayObject arrayPostfix".split(" ");
const arkFallback = {
  ...Object.fromEntries(
    arkMarks.map((code) => [code, ({ base }: ArkContext) => ({ ...base, [unconvertible]: code })]),
  ),
  default: ({ code, base }: ArkContext) =>
    arkNarrowing.has(code) || code === "morph" ? base : undefined,
};

/** Zod 4.0 and 4.1, and its mini variant: the converter is a function beside the schema. */
async function fromZod4(schema: StandardSchema): Promise<JsonSchema> {
  let zod: { toJSONSchema: (schema: never, options: never) => unknown };
  try {
    zod = await import("zod/v4/core");
  } catch (error) {
    throw missingPackage("zod", `${purpose} Zod 4`, error);
  }
  const options = { target: "draft-7", io: "input" };
  return attempt(() => zod.toJSONSchema(schema as never, options as never) as JsonSchema);
}

// What `zod-to-json-schema` describes although no JSON value would pass the schema.
const zod3Lies: ReadonlySet<string> = new Set(
  ["BigInt", "Date", "Map", "NaN", "Promise", "Set"].map((name) => `Zod${name}`),
);

function postProcess(json: unknown, def: { typeName?: string; coerce?: boolean }): unknown {
  const { typeName = "", coerce } = def;
  const lie = json === undefined || (zod3Lies.has(typeName) && !coerce);
  return lie ? { [unconvertible]: typeName } : json;
}

async function fromZod3(schema: StandardSchema): Promise<JsonSchema> {
  let library: { zodToJsonSchema: (schema: never, options: never) => unknown };
  try {
    library = await import("zod-to-json-schema");
  } catch (error) {
    throw missingPackage("zod-to-json-schema", `${purpose} Zod 3`, error);
  }
  return attempt(() => {
    return library.zodToJsonSchema(schema as never, { postProcess } as never) as JsonSchema;
  });
}

async function fromValibot(schema: StandardSchema): Promise<JsonSchema> {
  let library: { toJsonSchema: (schema: never, options: never) => unknown };
  try {
    library = await import("@valibot/to-json-schema");
  } catch (error) {
    throw missingPackage("@valibot/to-json-schema", `${purpose} Valibot`, error);
  }
  const options = {
    target,
    typeMode: "input",
    errorMode: "ignore",
    overrideSchema: ({ errors, jsonSchema }: { errors?: readonly string[]; jsonSchema: object }) =>
      errors ? { ...jsonSchema, [unconvertible]: errors.join(" ") } : undefined,
  };
  return attempt(() => library.toJsonSchema(schema as never, options as never) as JsonSchema);
}

function attempt(conversion: () => JsonSchema): JsonSchema {
  try {
    return conversion();
  } catch (error) {
    throw refused(error);
  }
}

function refused(error: unknown): SuperstepError {
  const problem = isStackOverflow(error)
    ? `it is nested too deep (limit ${maxSchemaDepth} levels)`
    : errorMessage(error);
  return new SuperstepError("INVALID_SCHEMA", `No JSON Schema can be made of it: ${problem}.`, {
    fix: "Use a type that JSON has, or describe the input with another schema.",
    cause: error,
  });
}

function isStackOverflow(error: unknown): boolean {
  return error instanceof RangeError;
}
