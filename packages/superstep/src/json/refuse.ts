import { SuperstepError } from "../errors/errors.ts";

/** The error for what cannot be stored. `path` is where it is, `what` names it. */
export function unstorable(
  path: string,
  what: string,
  fix: string,
  cause?: unknown,
): SuperstepError {
  const details = cause === undefined ? { fix } : { fix, cause };
  return new SuperstepError("UNSTORABLE_VALUE", `${path}: ${what} cannot be stored.`, details);
}

/** The error for a stored text that nothing can be made of. */
export function corrupt(problem: string, fix: string = damaged, cause?: unknown): SuperstepError {
  const details = cause === undefined ? { fix } : { fix, cause };
  return new SuperstepError("CORRUPT_CHECKPOINT", problem, details);
}

const damaged =
  "The stored text was changed or cut: restore it from a backup, or delete what it belongs to.";

/** A value that no type holds, as an error names it. Runs nothing of the value's own. */
export function nameOf(value: unknown): string {
  if (typeof value === "symbol") return value.toString();
  if (typeof value === "function") {
    const name: unknown = Object.getOwnPropertyDescriptor(value, "name")?.value;
    return typeof name === "string" && name !== "" ? `function ${name}` : "a function";
  }
  return classNameOf(value as object) ?? "an object of an unknown class";
}

function classNameOf(value: object): string | undefined {
  const prototype = Object.getPrototypeOf(value) as object | null;
  if (!prototype) return undefined;
  const constructor: unknown = Object.getOwnPropertyDescriptor(prototype, "constructor")?.value;
  if (typeof constructor !== "function") return classNameOf(prototype);
  const name: unknown = Object.getOwnPropertyDescriptor(constructor, "name")?.value;
  return typeof name === "string" && name !== "" ? name : undefined;
}
