import { convert } from "./convert.ts";
import { checkJsonSchema } from "./depth.ts";
import type { JsonSchema, Schema } from "./types.ts";

const converted = new WeakMap<object, JsonSchema | Promise<JsonSchema>>();

/**
 * JSON Schema (draft-07) of what `schema` takes as input, converted once for each schema object. A
 * plain JSON Schema (TypeBox's too) is handed back as it is. The result is shared: do not change it.
 *
 * A promise only where a package has to be loaded for it, the first time: Zod 3 needs
 * `zod-to-json-schema`, Valibot `@valibot/to-json-schema`, Zod before 4.2 and Zod mini `zod` itself.
 *
 * Throws or rejects with `INVALID_SCHEMA`, naming the place, when a part has no JSON Schema (nothing
 * is ever left out), a reference leads nowhere, or the nesting is deeper than 100;
 * `MISSING_PACKAGE`, with the command that installs it.
 */
export function toJsonSchema(schema: Schema): JsonSchema | Promise<JsonSchema> {
  const known = converted.get(schema);
  if (known) return known;
  const result = convert(schema);
  if (result instanceof Promise) {
    const checked = result.then((json) => remember(schema, json));
    converted.set(schema, checked);
    checked.catch(() => converted.delete(schema)); // a package may be installed later
    return checked;
  }
  return remember(schema, result);
}

function remember(schema: Schema, json: JsonSchema): JsonSchema {
  checkJsonSchema(json);
  converted.set(schema, json);
  return json;
}
