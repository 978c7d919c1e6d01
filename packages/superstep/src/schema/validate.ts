import { isStandardSchema } from "./kind.ts";
import { validateJson } from "./validate-json.ts";
import type { OutputOf, Schema, Validation } from "./types.ts";

/**
 * Checks `value` against `schema` and gives back what the schema makes of it: defaults applied,
 * transforms run. `value` itself is not changed. A promise where the schema checks asynchronously,
 * and the first time for a plain JSON Schema, whose validator is loaded then.
 *
 * Throws or rejects with `INVALID_SCHEMA` when the schema cannot be used, `MISSING_PACKAGE` when
 * `@cfworker/json-schema` is needed and not installed.
 */
export function validate<S extends Schema>(
  schema: S,
  value: unknown,
): Validation<OutputOf<S>> | Promise<Validation<OutputOf<S>>> {
  type Result = Validation<OutputOf<S>> | Promise<Validation<OutputOf<S>>>;
  if (isStandardSchema(schema)) return schema["~standard"].validate(value) as Result;
  return validateJson(schema, value) as Result;
}
