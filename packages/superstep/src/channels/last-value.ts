import { type Channel, ConflictingWrites } from "./channel.ts";

/**
 * Holds the one value written last. Two tasks of a superstep may not both change it; handing back
 * the value as it was read is no change, so parallel nodes may each return the state they got.
 */
export function lastValue(initial?: () => unknown): Channel {
  const rule = { kind: "LastValue", update, keepsWrites: true };
  return initial ? { ...rule, initial } : rule;
}

function update(current: unknown, writes: readonly unknown[]): unknown {
  if (writes.length === 1) return writes[0];
  const changes = writes.filter((value) => !Object.is(value, current));
  if (changes.length > 1) throw new ConflictingWrites(changes.length);
  return changes.length === 1 ? changes[0] : current;
}
