import { resolvePointer } from "./depth.ts";
import { copyJson, isPlain } from "./json-copy.ts";
import type { JsonSchema } from "./types.ts";

/**
 * Fills in what `schema` gives a `default` for and `value` does not have: in properties, in the
 * elements of lists, through `allOf` and `$ref`. Not within `anyOf`, `oneOf` and conditions, where
 * it depends on what applies. Changes `value`, which is the caller's own copy.
 */
export function applyDefaults(schema: JsonSchema, value: unknown): unknown {
  return fill(schema, value, schema);
}

function fill(schema: unknown, value: unknown, root: JsonSchema): unknown {
  if (!isPlain(schema)) return value;
  const { $ref, allOf, properties, items } = schema;
  let filled = value === undefined ? copyJson(schema["default"], Object.prototype) : value;
  if (typeof $ref === "string" && $ref.startsWith("#")) {
    filled = fill(resolvePointer(root, $ref), filled, root);
  }
  if (Array.isArray(allOf)) for (const each of allOf) filled = fill(each, filled, root);
  if (isPlain(filled) && isPlain(properties)) fillMembers(properties, filled, root);
  if (Array.isArray(filled) && isPlain(items)) {
    for (const [index, each] of filled.entries()) filled[index] = fill(items, each, root);
  }
  return filled;
}

function fillMembers(
  properties: Readonly<Record<string, unknown>>,
  value: Readonly<Record<string, unknown>>,
  root: JsonSchema,
): void {
  const own = value as Record<string, unknown>;
  for (const [key, member] of Object.entries(properties)) {
    if (key === "__proto__") continue;
    const present = Object.hasOwn(own, key);
    const filled = fill(member, present ? own[key] : undefined, root);
    if (present || filled !== undefined) own[key] = filled;
  }
}
