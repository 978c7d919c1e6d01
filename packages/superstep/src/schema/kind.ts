import { describe } from "../errors/describe.ts";
import { SuperstepError } from "../errors/errors.ts";
import { isPlain } from "./json-copy.ts";
import type { Schema, StandardSchema } from "./types.ts";

/** Whether `value` offers the Standard Schema interface. ArkType's schemas are functions. */
export function isStandardSchema(value: unknown): value is StandardSchema {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return false;
  const standard = (value as Partial<StandardSchema>)["~standard"];
  return typeof standard === "object" && typeof standard?.validate === "function";
}

/**
 * Throws `INVALID_SCHEMA` for what is neither a Standard Schema nor a plain object that could be
 * JSON Schema; an object of schemas (a raw shape) is none.
 */
export function checkSchema(value: unknown): asserts value is Schema {
  if (isStandardSchema(value)) return;
  if (!isPlain(value)) throw notASchema(`A schema cannot be ${describe(value)}.`);
  const shape = Object.entries(value).find(([, member]) => isStandardSchema(member));
  if (shape) {
    throw notASchema(
      `An object whose member ${JSON.stringify(shape[0])} is a schema is not a schema itself.`,
    );
  }
}

function notASchema(message: string): SuperstepError {
  return new SuperstepError("INVALID_SCHEMA", message, {
    fix:
      "Give a Standard Schema (Zod from 3.24, Valibot, ArkType, ...) such as z.object({ ... }), " +
      "or a JSON Schema object.",
  });
}
