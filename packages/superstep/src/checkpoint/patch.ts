import { isPlainList, isPlainRecord, setOwn, symbolKey } from "../json/plain.ts";
import { SuperstepError } from "../errors/errors.ts";

type Splice = readonly [start: number, deleteCount: number, items: readonly unknown[]];

/**
 * How one value became the next, as plain nested lists: what an entry means is told by its place, so
 * data of users is never mistaken for it.
 *
 * - `[0, value]`: the value itself.
 * - `[1, ...splices]`: a list. `start` is the index in the new list; what lies between splices is
 *   kept from the old one, in order.
 * - `[2, changed, dropped]`: a record. Keys that stayed keep their place, new ones follow.
 */
export type Patch =
  | readonly [kind: 0, value: unknown]
  | readonly [kind: 1, ...splices: Splice[]]
  | readonly [
      kind: 2,
      changed: readonly (readonly [key: string, patch: Patch])[],
      dropped: readonly string[],
    ];

/** Records nested deeper are stored whole, so that a patch is hardly deeper than the value. */
const maxNesting = 32;
/** A list with more changes than this stores all that follows them. */
const maxSplices = 8;

/**
 * What changed from `before` to `after`. Values are immutable: what is identical has not changed and
 * is not looked into, so the cost is one comparison an entry. Falls back to the value itself when
 * there is little in common, and when the patched record would have its keys in another order.
 */
export function diff(before: unknown, after: unknown): Patch {
  return diffNested(before, after, 0);
}

function diffNested(before: unknown, after: unknown, depth: number): Patch {
  if (isPlainList(before) && isPlainList(after)) return diffLists(before, after);
  if (depth < maxNesting && isPlainRecord(before) && isPlainRecord(after)) {
    return diffRecords(before, after, depth);
  }
  return [0, after];
}

function diffLists(before: readonly unknown[], after: readonly unknown[]): Patch {
  const splices: Splice[] = [];
  let [at, from, kept] = [0, 0, 0];
  for (;;) {
    const same = commonLength(before, from, after, at);
    [at, from, kept] = [at + same, from + same, kept + same];
    if (at === after.length && from === before.length) break;
    const splice =
      splices.length < maxSplices - 1 ? smallSplice(before, from, after, at) : undefined;
    if (!splice) {
      const end = commonEnd(before, from, after, at);
      kept += end;
      splices.push([at, before.length - end - from, after.slice(at, after.length - end)]);
      break;
    }
    splices.push(splice);
    [at, from] = [at + splice[2].length, from + splice[1]];
  }
  return kept === 0 || !isDense(after) ? [0, after] : [1, ...splices];
}

/** One item replaced, or some taken out or put in; `undefined` when it is none of these. */
function smallSplice(
  before: readonly unknown[],
  from: number,
  after: readonly unknown[],
  at: number,
): Splice | undefined {
  if (at === after.length || from === before.length) return undefined;
  const hasNext = at + 1 < after.length && from + 1 < before.length;
  if (hasNext && Object.is(before[from + 1], after[at + 1])) return [at, 1, [after[at]]];
  // Equal numbers may be chance; objects and texts that are found again have moved.
  const found = typeof after[at] === "number" ? -1 : before.indexOf(after[at], from + 1);
  if (found >= 0) return [at, found - from, []];
  const moved = typeof before[from] === "number" ? -1 : after.indexOf(before[from], at + 1);
  return moved < 0 ? undefined : [at, 0, after.slice(at, moved)];
}

function commonLength(
  before: readonly unknown[],
  from: number,
  after: readonly unknown[],
  at: number,
): number {
  const most = Math.min(before.length - from, after.length - at);
  let length = 0;
  while (length < most && Object.is(before[from + length], after[at + length])) length++;
  return length;
}

function commonEnd(
  before: readonly unknown[],
  from: number,
  after: readonly unknown[],
  at: number,
): number {
  const most = Math.min(before.length - from, after.length - at);
  let length = 0;
  while (length < most && Object.is(before.at(-1 - length), after.at(-1 - length))) length++;
  return length;
}

/** Whether all of the list is in its items; what is not is for the codec to refuse. */
function isDense(list: readonly unknown[]): boolean {
  return Object.keys(list).length === list.length && symbolKey(list) === undefined;
}

function diffRecords(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
  depth: number,
): Patch {
  const changed: [string, Patch][] = [];
  const keys = Object.keys(after);
  let whole = 0;
  for (const key of keys) {
    const known = Object.hasOwn(before, key);
    if (known && Object.is(before[key], after[key])) continue;
    const patch: Patch = known ? diffNested(before[key], after[key], depth + 1) : [0, after[key]];
    if (patch[0] === 0) whole++;
    changed.push([key, patch]);
  }
  const dropped = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
  const fits =
    whole < keys.length &&
    Object.getPrototypeOf(before) === Object.getPrototypeOf(after) &&
    symbolKey(after) === undefined &&
    keepsOrder(before, after);
  return fits ? [2, changed, dropped] : [0, after];
}

/** Whether keys that stayed come first, in the order that they had. */
function keepsOrder(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): boolean {
  const stayed = Object.keys(before).filter((key) => Object.hasOwn(after, key));
  const added = Object.keys(after).filter((key) => !Object.hasOwn(before, key));
  const patched = [...stayed, ...added].filter((key) => !isIndexKey(key));
  const wanted = Object.keys(after).filter((key) => !isIndexKey(key));
  return patched.every((key, place) => key === wanted[place]);
}

/** Such keys come first in every object, in the order of their numbers. */
function isIndexKey(key: string): boolean {
  return /^(0|[1-9]\d{0,9})$/.test(key) && Number(key) < 2 ** 32 - 1;
}

/** The value that `patch` makes of `before`. Throws `CORRUPT_CHECKPOINT` when it does not fit. */
export function applyPatch(before: unknown, patch: Patch): unknown {
  const [kind, ...rest] = (Array.isArray(patch) ? patch : []) as readonly unknown[];
  if (kind === 0 && rest.length === 1) return rest[0];
  if (kind === 1) return applySplices(before, rest);
  if (kind === 2 && rest.length === 2) return applyRecord(before, rest[0], rest[1]);
  throw corrupt("is no patch");
}

function applySplices(before: unknown, splices: readonly unknown[]): unknown[] {
  if (!isPlainList(before)) throw corrupt("is for a list, and there was none");
  const after: unknown[] = [];
  let from = 0;
  const keep = (count: number): void => {
    if (!isCount(count) || from + count > before.length) throw corrupt("is for another list");
    for (const end = from + count; from < end; from++) after.push(before[from]);
  };
  for (const splice of splices) {
    if (!isPlainList(splice) || splice.length !== 3) throw corrupt("has a splice that is none");
    const [start, deleteCount, items] = splice as unknown as Splice;
    if (!isCount(start) || !isCount(deleteCount) || !isPlainList(items)) {
      throw corrupt("has a splice that is none");
    }
    keep(start - after.length);
    from += deleteCount;
    for (const item of items) after.push(item);
  }
  keep(before.length - from);
  return after;
}

function applyRecord(before: unknown, changed: unknown, dropped: unknown): object {
  if (!isPlainRecord(before)) throw corrupt("is for a record, and there was none");
  if (!isPlainList(changed) || !isPlainList(dropped)) throw corrupt("has changes that are none");
  const after = Object.create(Object.getPrototypeOf(before) as object | null) as Record<
    string,
    unknown
  >;
  const gone = new Set<unknown>(dropped);
  for (const key of Object.keys(before)) if (!gone.has(key)) setOwn(after, key, before[key]);
  for (const change of changed) {
    const [key, patch] = (isPlainList(change) ? change : []) as readonly [unknown, Patch];
    if (typeof key !== "string") throw corrupt("has a change without a key");
    const old = Object.hasOwn(before, key) ? before[key] : undefined;
    setOwn(after, key, applyPatch(old, patch));
  }
  return after;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function corrupt(problem: string): SuperstepError {
  return new SuperstepError("CORRUPT_CHECKPOINT", `A stored change of a value ${problem}.`, {
    fix: "The stored text was changed or cut: restore it from a backup, or delete the thread.",
  });
}
