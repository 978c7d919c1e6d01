// Copies of JSON values that no key can harm: `__proto__` is left out at every depth, since a
// consumer that merges such an object would change its prototype.

const forbidden = "__proto__";

/** Whether a key named `__proto__` stands anywhere in `value`. */
function isHarmful(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some(isHarmful);
  if (Object.hasOwn(value, forbidden)) return true;
  for (const key in value) {
    const member = (value as Readonly<Record<string, unknown>>)[key];
    if (typeof member === "object" && isHarmful(member)) return true;
  }
  return false;
}

/** `value` itself, or a copy without `__proto__` where it has such a key. */
export function withoutProto(value: unknown): unknown {
  try {
    return isHarmful(value) ? copyJson(value, Object.prototype) : value;
  } catch (error) {
    // Arguments that hold themselves, or are nested without end, are no JSON; the schema decides.
    if (error instanceof RangeError) return value;
    throw error;
  }
}

/**
 * A deep copy of plain objects and arrays, without `__proto__` and without members that are
 * `undefined`; the objects of the copy have `prototype`. Everything else stays what it is.
 */
export function copyJson(value: unknown, prototype: object | null): unknown {
  if (Array.isArray(value)) return value.map((each) => copyJson(each, prototype));
  if (!isPlain(value)) return value;
  const copy = Object.create(prototype) as Record<string, unknown>;
  for (const [key, member] of Object.entries(value)) {
    if (key !== forbidden && member !== undefined) copy[key] = copyJson(member, prototype);
  }
  return copy;
}

/** Whether `value` is an object literal or came from JSON. */
export function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
