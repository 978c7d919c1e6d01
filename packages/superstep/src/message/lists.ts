import type { BaseMessage } from "./messages.ts";

/** What is known of a list that the reducer made: frozen, of our messages, each with an id. */
export interface ListInfo {
  /** Where ids stand, for this list and those it grew from or into; see `positionOf`. */
  index?: Map<string, number> | undefined;
  /** So many messages from the start are a history in which each call has its result. */
  valid: number;
}

const known = new WeakMap<readonly unknown[], ListInfo>();
const scannedLength = 32;
const severalPlaces = -1;

export function infoOf(list: unknown): ListInfo | undefined {
  return Array.isArray(list) ? known.get(list) : undefined;
}

/** Freezes a list of messages with ids and remembers it. */
export function register(list: BaseMessage[], info: ListInfo = { valid: 0 }): BaseMessage[] {
  Object.freeze(list);
  known.set(list, info);
  return list;
}

/** Where the message with this id stands. A long list is indexed the first time it is asked. */
export function positionOf(
  list: readonly BaseMessage[],
  info: ListInfo,
  id: string,
): number | undefined {
  if (list.length <= scannedLength) return scan(list, id);
  info.index ??= indexOf(list);
  const position = info.index.get(id);
  if (position === undefined) return undefined;
  if (position === severalPlaces) return scan(list, id);
  // The index is that of several lists; in this one something else may stand there, or nothing.
  return list[position]?.id === id ? position : undefined;
}

/**
 * The index of a list that grew by `added`. It is handed on, not copied, so growing costs what is
 * added. Lists that grew from one list in two ways (a fork) share it: an id that stands in two
 * places is marked and then looked for in the list.
 */
export function grownIndex(
  from: readonly BaseMessage[],
  info: ListInfo,
  added: readonly BaseMessage[],
): Map<string, number> | undefined {
  const { index } = info;
  // Entries of forks that nobody holds any more are got rid of by indexing anew when asked.
  if (!index || index.size > 2 * from.length + scannedLength) return undefined;
  for (let i = 0; i < added.length; i++) {
    const id = added[i]!.id!;
    const position = from.length + i;
    const before = index.get(id);
    if (before === undefined) index.set(id, position);
    else if (before !== position) index.set(id, severalPlaces);
  }
  return index;
}

function indexOf(list: readonly BaseMessage[]): Map<string, number> {
  const index = new Map<string, number>();
  for (let position = 0; position < list.length; position++) {
    index.set(list[position]!.id!, position);
  }
  return index;
}

function scan(list: readonly BaseMessage[], id: string): number | undefined {
  for (let position = list.length - 1; position >= 0; position--) {
    if (list[position]!.id === id) return position;
  }
  return undefined;
}
