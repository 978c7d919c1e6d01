// The names of types in stored texts. They never change: what was stored once loads for ever.

/** Numbers that JSON has no text for. */
export const numbers: ReadonlyMap<string, number> = new Map([
  ["NaN", Number.NaN],
  ["Infinity", Number.POSITIVE_INFINITY],
  ["-Infinity", Number.NEGATIVE_INFINITY],
  ["-0", -0],
]);

/** Views of bytes with elements of one kind. */
export const typedArrays: readonly string[] = [
  "Int8Array",
  "Uint8Array",
  "Uint8ClampedArray",
  "Int16Array",
  "Uint16Array",
  "Int32Array",
  "Uint32Array",
  "Float16Array",
  "Float32Array",
  "Float64Array",
  "BigInt64Array",
  "BigUint64Array",
];

export const builtinNames: ReadonlySet<string> = new Set([
  ...numbers.keys(),
  ...typedArrays,
  "undefined",
  "bigint",
  "Date",
  "RegExp",
  "URL",
  "Map",
  "Set",
  "Buffer",
  "ArrayBuffer",
  "DataView",
  "Error",
  "null-prototype",
  "ref",
]);
