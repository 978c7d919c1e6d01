// What plain data is. Another realm (a vm context, an iframe) has an Object.prototype and an
// Array.prototype of its own; their objects are as plain as ours, but those of a subclass are not.

/** A list made by a literal or by `JSON.parse`, not of a subclass. */
export function isPlainList(value: unknown): value is readonly unknown[] {
  if (!Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // The prototype of arrays is an array itself; that of a subclass is not.
  return prototype === Array.prototype || Array.isArray(prototype);
}

/** An object made by a literal, `Object.create(null)` or `JSON.parse`. */
export function isPlainRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype = Object.getPrototypeOf(value) as object | null;
  return prototype === null || isRecordPrototype(prototype);
}

export function isRecordPrototype(prototype: object): boolean {
  return (
    prototype === Object.prototype ||
    (Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, "isPrototypeOf"))
  );
}

const locationMark = Symbol.for("superstep.errorLocation");

/** A symbol that is a key of `value`, other than the note of where it was thrown. */
export function symbolKey(value: object): symbol | undefined {
  const symbols = Object.getOwnPropertySymbols(value);
  return symbols.length === 0 ? undefined : symbols.find((symbol) => symbol !== locationMark);
}

/** Sets a property of our own, whatever its name. */
export function setOwn(record: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== "__proto__") record[key] = value;
  else {
    Object.defineProperty(record, key, {
      value,
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
}
