import { describe } from "../errors/describe.ts";
import { isError } from "../errors/is-error.ts";

/**
 * A tool's result as text for the model: a string as it is, `undefined` as "", everything else as
 * JSON. Never fails, since what the tool did is done: what JSON does not have (BigInt, NaN, Map, Set,
 * errors, cycles) is written as near as possible.
 */
export function resultText(value: unknown): string {
  if (typeof value === "string") return value;
  if (value === undefined) return "";
  if (value === null) return "null";
  if (typeof value === "number" || typeof value === "bigint") return String(value); // NaN too
  if (typeof value !== "object") return JSON.stringify(value) ?? describe(value);
  if (isError(value)) return thrownText(value);
  try {
    const json = isKeyed(value) ? undefined : JSON.stringify(value);
    if (json !== undefined) return json;
  } catch {
    // a cycle or a BigInt; written out below
  }
  try {
    return JSON.stringify(readable(value, []));
  } catch {
    return describe(value); // a hostile proxy or getter
  }
}

function isKeyed(value: object): boolean {
  return value instanceof Map || value instanceof Set;
}

function readable(value: unknown, above: readonly object[]): unknown {
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return value;
  if (above.includes(value)) return "[circular]";
  if ("toJSON" in value && typeof value.toJSON === "function") return value;
  if (value instanceof Error) return thrownText(value);
  const within = [...above, value];
  if (isKeyed(value) || Array.isArray(value)) {
    return Array.from(value as Iterable<unknown>, (each) => readable(each, within));
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, readable(member, within)]),
  );
}

/**
 * What was thrown, for the model: name and message of an error, the value of anything else. Never a
 * stack, also where a message quotes one: paths of the server are not the model's business.
 */
export function thrownText(thrown: unknown): string {
  try {
    if (isErrorLike(thrown)) {
      const { name, message } = thrown;
      return withoutStack(message === "" ? name : `${name}: ${message}`);
    }
    // An error with a name or message that is no text is shown by its kind, not by its parts.
    if (isError(thrown)) return describe(thrown);
    return thrown === undefined ? "undefined" : resultText(thrown);
  } catch {
    return "an error that cannot be shown"; // a getter or a proxy that throws
  }
}

function isErrorLike(value: unknown): value is { name: string; message: string } {
  if (typeof value !== "object" || value === null) return false;
  const { name, message } = value as { readonly name?: unknown; readonly message?: unknown };
  return typeof name === "string" && typeof message === "string";
}

/** Leaves out the lines `    at f (file:line:column)`. */
export function withoutStack(text: string): string {
  if (!text.includes("\n")) return text;
  return text
    .split("\n")
    .filter((line) => !/^\s+at\s.*(?::\d+:\d+\)?|<anonymous>\)?|\[native code\])$/.test(line))
    .join("\n");
}
