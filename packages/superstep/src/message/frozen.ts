import { copyPlain, deepFreeze } from "../channels/freeze.ts";

/** Parts of messages: frozen to any depth and shared by the messages made of each other. */
const frozenParts = new WeakSet<object>();

/**
 * A part that a message may hold: plain objects and arrays copied and frozen to any depth, unless
 * they are a part of a message already; everything else as it is.
 */
export function frozenPart<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null || frozenParts.has(value)) return value;
  return freezePart(copyPlain(value) as Value & object);
}

/** Freezes, in place, what was made for a message and nobody else holds. */
export function freezePart<Value extends object>(value: Value): Value {
  deepFreeze(value);
  frozenParts.add(value);
  return value;
}
