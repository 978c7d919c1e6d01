import { SuperstepError } from "../errors/errors.ts";
import type { JsonSchema } from "./types.ts";

/** How many schemas may stand inside each other, references followed. */
export const maxSchemaDepth = 100;

/** Stands in a converted schema where something has no JSON Schema; the value says what. */
export const unconvertible = "x-superstep-unconvertible";

// Members whose own members are schemas by name; their names are not keywords.
const maps: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "dependentSchemas",
  "$defs",
  "definitions",
]);
// Members that hold values, not schemas.
const values: ReadonlySet<string> = new Set(["default", "const", "enum", "examples", "required"]);

/**
 * Walks a JSON Schema once, in time linear in its size.
 *
 * Throws `INVALID_SCHEMA`, naming the place, when schemas stand in each other more than
 * `maxSchemaDepth` deep, when one contains itself (other than by `$ref`), when a `$ref` leads
 * nowhere, or when a part could not be converted.
 */
export function checkJsonSchema(root: JsonSchema): void {
  new Walk(root).visit(root, 0);
}

class Walk {
  readonly #root: JsonSchema;
  /** Schemas that were walked, with the depth of what they hold. */
  readonly #heights = new Map<object, number>();
  readonly #open = new Set<object>();
  readonly #path: string[] = [];

  constructor(root: JsonSchema) {
    this.#root = root;
  }

  /** The height of `schema`, which stands at `depth`. */
  visit(schema: object, depth: number): number {
    if (depth > maxSchemaDepth) this.#fail(tooDeep, flatten);
    const known = this.#heights.get(schema);
    if (known !== undefined) {
      if (depth + known > maxSchemaDepth) this.#fail(tooDeep, flatten);
      return known;
    }
    if (this.#open.has(schema)) this.#fail("contains itself", "Use $ref for recursion.");
    this.#open.add(schema);
    let height = 0;
    for (const [key, member] of Object.entries(schema)) {
      if (key === unconvertible) this.#fail(`has no JSON Schema: ${String(member)}`, leaveOut);
      else if (key === "$ref") height = Math.max(height, this.#follow(member, depth));
      else height = Math.max(height, this.#member(key, member, depth));
    }
    this.#open.delete(schema);
    this.#heights.set(schema, height);
    return height;
  }

  #member(key: string, member: unknown, depth: number): number {
    if (typeof member !== "object" || member === null || values.has(key)) return 0;
    if (!Array.isArray(member) && !maps.has(key)) return this.#step(member, depth, [key]);
    let height = 0;
    for (const [name, each] of Object.entries(member)) {
      if (typeof each !== "object" || each === null) continue;
      height = Math.max(height, this.#step(each, depth, [key, name]));
    }
    return height;
  }

  #step(schema: object, depth: number, segments: readonly string[]): number {
    this.#path.push(...segments);
    const height = 1 + this.visit(schema, depth + 1);
    this.#path.length -= segments.length;
    return height;
  }

  #follow(ref: unknown, depth: number): number {
    // References by $id or $anchor are the validator's and the provider's to resolve.
    if (typeof ref !== "string" || (ref !== "#" && !ref.startsWith("#/"))) return 0;
    const target = resolvePointer(this.#root, ref);
    if (target === undefined) {
      this.#fail(`refers to ${JSON.stringify(ref)}, which is not there`, "Define it or remove it.");
    }
    if (typeof target !== "object" || this.#open.has(target)) return 0; // true, false; recursion
    return this.#step(target, depth, ["$ref"]);
  }

  #fail(problem: string, fix: string): never {
    throw new SuperstepError("INVALID_SCHEMA", `The schema at ${this.#where()} ${problem}.`, {
      fix,
    });
  }

  #where(): string {
    const escaped = this.#path.map((key) => key.replaceAll("~", "~0").replaceAll("/", "~1"));
    // A path at the depth limit is of no use in full.
    return `#${escaped
      .slice(0, 40)
      .map((key) => `/${key}`)
      .join("")}${escaped.length > 40 ? "/..." : ""}`;
  }
}

const tooDeep = `is nested more than ${maxSchemaDepth} levels deep (limit ${maxSchemaDepth})`;
const flatten = `Flatten the schema to at most ${maxSchemaDepth} levels, references counted.`;
const leaveOut = "Use a type that JSON has, or describe the input with another schema.";

/** What a reference within the document (`#`, `#/a/b`) stands for; `undefined` if nothing. */
export function resolvePointer(root: JsonSchema, ref: string): object | boolean | undefined {
  let target: unknown = root;
  for (const segment of ref.split("/").slice(1)) {
    const key = decode(segment).replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof target !== "object" || target === null || !Object.hasOwn(target, key)) {
      return undefined;
    }
    target = (target as Readonly<Record<string, unknown>>)[key];
  }
  const found = typeof target === "boolean" || (typeof target === "object" && target !== null);
  return found ? (target as object | boolean) : undefined;
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment; // a lone % is itself
  }
}
