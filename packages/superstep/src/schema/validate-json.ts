import { errorMessage, SuperstepError } from "../errors/errors.ts";
import { applyDefaults } from "./defaults.ts";
import { checkJsonSchema } from "./depth.ts";
import { copyJson } from "./json-copy.ts";
import { checkSchema } from "./kind.ts";
import { missingPackage } from "./peer.ts";
import type { Issue, JsonSchema, Validation } from "./types.ts";

// The part of the library that is used; its own types would be missing where it is not installed.
interface Library {
  readonly Validator: new (schema: never, draft: Draft, shortCircuit: boolean) => Validator;
}
interface Validator {
  validate(value: unknown): { readonly errors: readonly LibraryError[] };
}
type Draft = "4" | "7" | "2019-09" | "2020-12";

let library: Library | undefined;
const validators = new WeakMap<JsonSchema, Validator>();

/** `validate` for plain JSON Schema: defaults are filled in, then the whole is checked. */
export function validateJson(schema: JsonSchema, value: unknown): Validation | Promise<Validation> {
  const known = validators.get(schema);
  if (known) return check(schema, known, value);
  if (library) return check(schema, build(schema, library), value);
  return load().then((loaded) => check(schema, build(schema, loaded), value));
}

async function load(): Promise<Library> {
  try {
    return (library = await import("@cfworker/json-schema"));
  } catch (error) {
    throw missingPackage("@cfworker/json-schema", "Validation against plain JSON Schema", error);
  }
}

function build(schema: JsonSchema, { Validator }: Library): Validator {
  checkSchema(schema);
  checkJsonSchema(schema);
  // The library writes into the schemas that it is given; TypeBox's symbols are left behind too.
  const copy = JSON.parse(JSON.stringify(schema)) as JsonSchema;
  // Not only the first problem: the model is told all of them at once.
  const validator = new Validator(copy as never, draftOf(copy), false);
  validators.set(schema, validator);
  return validator;
}

/** The draft that `$schema` names; the newest if it names none. */
function draftOf({ $schema }: JsonSchema): Draft {
  if (typeof $schema !== "string") return "2020-12";
  if ($schema.includes("draft-04")) return "4";
  if ($schema.includes("2019-09")) return "2019-09";
  return /draft-0[67]/.test($schema) ? "7" : "2020-12";
}

function check(schema: JsonSchema, validator: Validator, value: unknown): Validation {
  let filled: unknown;
  let errors: readonly LibraryError[];
  try {
    filled = applyDefaults(schema, copyJson(value, Object.prototype));
    // Without a prototype, so that "constructor" and its like are not taken for members.
    errors = validator.validate(copyJson(filled, null) ?? null).errors;
  } catch (error) {
    if (error instanceof RangeError) throw endless(error);
    // Values that JSON does not have, or a reference that cannot be followed.
    return { issues: [{ message: errorMessage(error) }] };
  }
  if (errors.length === 0) return { value: filled };
  return { issues: toIssues(errors) };
}

function endless(cause: unknown): SuperstepError {
  return new SuperstepError(
    "INVALID_SCHEMA",
    "The schema refers to itself without end, or the value is nested too deep for it.",
    { fix: "Let each recursion of the schema go through a member of the value.", cause },
  );
}

interface LibraryError {
  readonly keyword: string;
  readonly error: string;
  /** A JSON pointer, such as `#/days/0/name`. */
  readonly instanceLocation: string;
}

// These only say that something within is wrong, which has its own entry.
const containers: ReadonlySet<string> = new Set(
  "$ref allOf items prefixItems properties patternProperties additionalProperties".split(" "),
);

function toIssues(errors: readonly LibraryError[]): readonly Issue[] {
  const telling = errors.filter((error) => !containers.has(error.keyword));
  const shown = telling.filter(
    (error) => error.keyword !== "false" || isUnexpected(error, telling),
  );
  return (shown.length > 0 ? shown : errors).map(({ keyword, error, instanceLocation }) => ({
    message: keyword === "false" ? "Not allowed here." : error,
    path: instanceLocation
      .split("/")
      .slice(1)
      .map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~")),
  }));
}

/** The library takes members that are wrong for additional ones too; these are told apart here. */
function isUnexpected(error: LibraryError, all: readonly LibraryError[]): boolean {
  const { instanceLocation: place } = error;
  return !all.some(
    ({ keyword, instanceLocation: other }) =>
      other.startsWith(`${place}/`) || (other === place && keyword !== "false"),
  );
}
