/**
 * Objects that were found frozen and whose content is frozen too. Only objects met a second time
 * come in here: what is new is frozen and left, so a value that is written once costs no entry.
 */
const frozenThroughout = new WeakSet<object>();

/**
 * Freezes plain objects and arrays, to any depth, in place. Everything else (Map, Set, Date, typed
 * arrays, class instances, functions) passes by reference and stays as it is.
 *
 * `previous` is the value that stood here before: a list or record that grew from it is only
 * searched where it differs, so appending to a long one costs a comparison an entry and no more.
 */
export function deepFreeze(value: unknown, previous?: unknown): void {
  if (!isPlain(value) || value === previous) return;
  if (!isPlain(previous)) return freezeAll([value]);
  const added: object[] = [];
  const keep = (item: unknown, before: unknown): void => {
    if (item !== before && isPlain(item)) added.push(item);
  };
  if (Array.isArray(value) && Array.isArray(previous)) {
    for (let index = 0; index < value.length; index++) keep(value[index], previous[index]);
  } else {
    for (const key of Object.keys(value)) keep(Reflect.get(value, key), Reflect.get(previous, key));
  }
  Object.freeze(value);
  freezeAll(added);
}

/** A stack instead of recursion: depth is the caller's data, not ours. */
function freezeAll(pending: object[]): void {
  for (let object = pending.pop(); object !== undefined; object = pending.pop()) {
    if (Object.isFrozen(object)) {
      if (frozenThroughout.has(object)) continue;
      frozenThroughout.add(object);
    } else {
      Object.freeze(object);
    }
    const content: unknown[] = Array.isArray(object) ? object : Object.values(object);
    for (const item of content) if (isPlain(item)) pending.push(item);
  }
}

/** Freezes what is new in `value`; what is frozen already counts as frozen throughout. */
export function freezeNew(value: unknown): void {
  const pending = [value];
  while (pending.length > 0) {
    const item = pending.pop();
    if (!isPlain(item) || Object.isFrozen(item)) continue;
    Object.freeze(item);
    for (const inner of Object.values(item)) if (isPlain(inner)) pending.push(inner);
  }
}

/** An array, or an object made by a literal, `Object.create(null)` or `JSON.parse`. */
export function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return true;
  const prototype = Object.getPrototypeOf(value) as object | null;
  // Object.prototype of any realm is the one object that an object can have above it and no more.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/**
 * Copies plain objects and arrays to any depth, so that freezing the copy leaves the original to
 * its owner. Everything that is not plain is shared with the original.
 */
export function copyPlain(original: unknown): unknown {
  const copies = new Map<object, object>();
  const pending: [from: object, to: object][] = [];
  const copyOf = (item: unknown): unknown => {
    if (!isPlain(item)) return item;
    const known = copies.get(item);
    if (known) return known;
    const copy: object = Array.isArray(item) ? [] : Object.create(Object.getPrototypeOf(item));
    copies.set(item, copy);
    pending.push([item, copy]);
    return copy;
  };
  const top = copyOf(original);
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [from, to] = next as [Record<string, unknown>, Record<string, unknown>];
    for (const key of Object.keys(from)) {
      const value = copyOf(from[key]);
      if (key !== "__proto__") to[key] = value;
      else Object.defineProperty(to, key, { value, enumerable: true });
    }
    if (Array.isArray(from)) to["length"] = from.length; // holes at the end
  }
  return top;
}
