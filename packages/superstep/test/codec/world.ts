import { SuperstepError } from "superstep";
import { expect } from "vitest";
import { decode, encode } from "../../src/json/codec.ts";

/** What comes back when `value` is stored. */
export const roundTrip = <Value>(value: Value): Value => decode(encode(value)) as Value;

/** Whether two values are the same to the bit: numbers by Object.is, prototypes, keys in order. */
export function isExact(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (typeof one !== "object" || typeof other !== "object" || !one || !other) return false;
  if (Object.getPrototypeOf(one) !== Object.getPrototypeOf(other)) return false;
  const content = contentOf(one);
  if (content !== undefined) return isExact(content, contentOf(other));
  const keys = keysOf(one);
  const others = keysOf(other);
  return (
    keys.length === others.length &&
    keys.every(
      (key, at) => key === others[at] && isExact(Reflect.get(one, key), Reflect.get(other, key)),
    )
  );
}

const keysOf = (value: object) => Reflect.ownKeys(value).filter((key) => key !== "stack");

/** What is inside an object beside its properties. */
function contentOf(value: object): unknown {
  if (value instanceof Date) return value.getTime();
  if (value instanceof RegExp) return `${String(value)} ${value.lastIndex}`;
  if (value instanceof URL) return value.href;
  if (value instanceof Map || value instanceof Set) return Array.from(value as Iterable<unknown>);
  if (value instanceof ArrayBuffer) return Array.from(new Uint8Array(value));
  if (!ArrayBuffer.isView(value)) return undefined;
  return Array.from(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
}

/** What the text gives, or the error of a damaged text, which is the only one that there may be. */
export function decodedOrRefused(text: string, refs: (name: string) => unknown): unknown {
  try {
    return decode(text, { refs });
  } catch (error) {
    if (error instanceof SuperstepError && error.code === "CORRUPT_CHECKPOINT") return error;
    throw error;
  }
}

export function expectExact(value: unknown): void {
  const back = roundTrip(value);
  expect(back).toStrictEqual(value);
  expect(isExact(back, value)).toBe(true);
}

/** The error that the action throws, which has this code. */
export function refusal(action: () => unknown, code: string): SuperstepError {
  try {
    action();
  } catch (error) {
    expect(error).toBeInstanceOf(SuperstepError);
    expect((error as SuperstepError).code).toBe(code);
    expect((error as SuperstepError).fix).not.toBe("");
    return error as SuperstepError;
  }
  throw new Error("nothing was refused");
}

export const unstorable = (value: unknown, root = "state"): string =>
  refusal(() => encode(value, { root }), "UNSTORABLE_VALUE").message;

export const corrupt = (text: unknown): string =>
  refusal(() => decode(text as string), "CORRUPT_CHECKPOINT").message;
