import { isPlainList } from "./plain.ts";

/**
 * The types of what is in a value, as a tree that stands beside its data. A name is the type of a
 * value that has nothing of a type inside. A list is the type (0 when it is plain data), followed by
 * pairs of a key and what is there: a name in a record, an index in a list, or `[from, to]` for
 * neighbours in a list that have the same types.
 */
export type Tag = string | readonly [type: string | 0, ...pairs: unknown[]];

/** Pairs while they are collected. */
export type Pairs = unknown[];

/** The tag of a value of a type. */
export function typed(type: string, pairs: Pairs | undefined): Tag {
  return pairs ? [type, ...pairs] : type;
}

/** The tag of plain data; `undefined` when nothing in it has a type. */
export function untyped(pairs: Pairs | undefined): Tag | undefined {
  return pairs ? [0, ...pairs] : undefined;
}

/** Adds the tag of the next item of a list, so that a long list of one kind has one tag. */
export function addItem(pairs: Pairs, index: number, tag: Tag): void {
  const last = pairs.length - 2;
  const before = last < 0 ? undefined : (pairs[last] as number | [number, number]);
  const end = typeof before === "object" ? before[1] : before;
  if (before === undefined || end !== index - 1 || !isSame(pairs[last + 1], tag)) {
    pairs.push(index, tag);
  } else if (typeof before === "object") before[1] = index;
  else pairs[last] = [before, index];
}

function isSame(one: unknown, other: unknown): boolean {
  if (!isPlainList(one) || !isPlainList(other)) return one === other;
  return one.length === other.length && one.every((item, index) => isSame(item, other[index]));
}
