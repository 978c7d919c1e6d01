import { SuperstepError } from "../errors/errors.ts";
import { type Kind, kindOf } from "./kinds.ts";
import { maxDepth, maxLength, version } from "./limits.ts";
import { pathText } from "./path.ts";
import { isPlainList, isRecordPrototype, symbolKey } from "./plain.ts";
import { nameOf, unstorable } from "./refuse.ts";
import { addItem, type Pairs, type Tag, typed, untyped } from "./tags.ts";

/** How a value is encoded. */
export interface EncodeOptions {
  /** Names the value in errors. Default: "value". */
  readonly root?: string;
  /** Objects, by identity, that are stored as a reference by this name. */
  readonly refs?: ReadonlyMap<object, string>;
}

/**
 * The value as text. Throws `UNSTORABLE_VALUE`, with the path, for what is not on the closed list:
 * JSON values, undefined, -0, NaN, infinities, BigInt, Date, RegExp, URL, Map, Set, typed arrays,
 * DataView, ArrayBuffer, Buffer, errors (name, message, code, cause, the errors of an aggregate; no
 * stack, no other fields), objects without a prototype, and registered types. An object is its own
 * enumerable properties; getters are read, nothing else of a value is executed. An object that is
 * met twice is stored twice.
 */
export function encode(value: unknown, options: EncodeOptions = {}): string {
  const walk = new Walk(options);
  const text = stringify(walk.all(value), walk);
  if (text !== undefined && text.length <= maxLength) return text;
  const size = `a value of more than ${maxLength / 2 ** 20} million characters`;
  throw unstorable(options.root ?? "value", size, "Store large data elsewhere, and here its name.");
}

/** `undefined` when the text would be longer than any text can be. */
function stringify(data: unknown, { tag }: Walk): string | undefined {
  try {
    const json = version + JSON.stringify(data);
    return tag === undefined ? json : `${json}\n${JSON.stringify(tag)}`;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error; // a getter that threw when it was read again
  }
}

const otherFix = "Store plain data: the fields that are needed, without getters and proxies.";
const classFix =
  "Store plain data instead (the fields that are needed), and make the object where it is used.";

/**
 * One walk over a value. Each method gives the data for JSON, which is the value itself where JSON
 * has all of it, and leaves the types beside it in `tag`.
 */
class Walk {
  tag: Tag | undefined;
  readonly #root: string;
  readonly #refs: ReadonlyMap<object, string> | undefined;
  /** The way to where the walk is; entries beyond its depth are left from earlier. */
  readonly #keys: (string | number)[] = [];
  readonly #owners: object[] = [];
  #depth = 0;

  constructor({ root, refs }: EncodeOptions) {
    this.#root = root ?? "value";
    this.#refs = refs;
  }

  all(value: unknown): unknown {
    try {
      return this.value(value, 0);
    } catch (error) {
      if (error instanceof SuperstepError && error.code === "UNSTORABLE_VALUE") throw error;
      throw unstorable(this.#path(), "what throws when it is read", otherFix, error);
    }
  }

  #path(): string {
    return pathText(this.#root, this.#keys.slice(0, this.#depth), this.#owners);
  }

  value(value: unknown, depth: number): unknown {
    this.#depth = depth;
    this.tag = undefined;
    switch (typeof value) {
      case "string":
      case "boolean":
        return value;
      case "number":
        return this.#number(value);
      case "object":
        return value === null ? null : this.#object(value, depth);
      case "undefined":
        this.tag = "undefined";
        return null;
      case "bigint":
        this.tag = "bigint";
        return String(value);
      case "function":
      case "symbol":
        throw this.#refuse(nameOf(value), "Leave it out of what is stored: keep data there only.");
    }
  }

  #number(value: number): number | null {
    if (!isJsonNumber(value)) this.tag = Object.is(value, -0) ? "-0" : String(value);
    return Number.isFinite(value) ? value : null;
  }

  #object(value: object, depth: number): unknown {
    const ref = this.#refs?.get(value);
    if (ref !== undefined) {
      this.tag = "ref";
      return ref;
    }
    this.#enter(value, depth);
    if (Array.isArray(value)) {
      if (!isPlainList(value)) throw this.#refuse(nameOf(value), classFix);
      return this.#list(value, depth, undefined);
    }
    const prototype = Object.getPrototypeOf(value) as object | null;
    const record = value as Readonly<Record<string, unknown>>;
    if (prototype === Object.prototype) return this.#record(record, depth, undefined);
    if (prototype === null) return this.#record(record, depth, "null-prototype");
    const kind = kindOf(prototype);
    if (kind) return this.#typed(kind, value, depth);
    if (isRecordPrototype(prototype)) return this.#record(record, depth, undefined);
    throw this.#refuse(nameOf(value), classFix);
  }

  /** Comparing with one ancestor, whose depth is a power of two, finds every cycle in time. */
  #enter(value: object, depth: number): void {
    const anchor = depth < 2 ? 0 : 2 ** (31 - Math.clz32(depth - 1));
    if (depth > 0 && this.#owners[anchor] === value) throw this.#cycle(value, depth);
    if (depth > maxDepth) {
      throw this.#refuse(
        `what is nested more than ${maxDepth} deep`,
        "Store it flat: a list of parts that name each other.",
      );
    }
    this.#owners[depth] = value;
  }

  /** The cycle may have been closed before it was noticed. */
  #cycle(value: object, depth: number): SuperstepError {
    const owners = [...this.#owners.slice(0, depth), value];
    const end = owners.findIndex((owner, index) => owners.indexOf(owner) < index);
    const start = owners.indexOf(owners[end] as object);
    this.#depth = end;
    const target = pathText(this.#root, this.#keys.slice(0, start), this.#owners);
    return this.#refuse(
      `a cycle that leads back to ${target}`,
      "Store ids instead of references to what is further up.",
    );
  }

  #list(list: readonly unknown[], depth: number, type: string | undefined): unknown {
    let copy: unknown[] | undefined;
    let pairs: Pairs | undefined;
    for (let index = 0; index < list.length; index++) {
      const item = list[index];
      if (isJsonLeaf(item)) continue;
      this.#keys[depth] = index;
      if (item === undefined) this.#refuseHole(list, index, depth);
      const data = this.value(item, depth + 1);
      if (data !== item) (copy ??= [...list])[index] = data;
      if (this.tag !== undefined) addItem((pairs ??= []), index, this.tag);
    }
    this.#depth = depth;
    if (type === undefined) this.#refuseKeys(list, Object.keys(list)[list.length]);
    this.tag = type === undefined ? untyped(pairs) : typed(type, pairs);
    return copy ?? list;
  }

  #record(
    record: Readonly<Record<string, unknown>>,
    depth: number,
    type: string | undefined,
  ): unknown {
    let copy: Record<string, unknown> | undefined;
    let pairs: Pairs | undefined;
    for (const key of Object.keys(record)) {
      const item = record[key];
      if (isJsonLeaf(item)) continue;
      this.#keys[depth] = key;
      const data = this.value(item, depth + 1);
      // An own `__proto__` is copied as such, so that setting it sets no prototype.
      if (data !== item) (copy ??= { ...record })[key] = data;
      if (this.tag !== undefined) (pairs ??= []).push(key, this.tag);
    }
    this.#depth = depth;
    this.#refuseKeys(record, undefined);
    this.tag = type === undefined ? untyped(pairs) : typed(type, pairs);
    return copy ?? record;
  }

  #typed({ name, data, bare }: Kind, value: object, depth: number): unknown {
    let inner: unknown;
    try {
      inner = data(value);
    } catch (error) {
      throw unstorable(this.#path(), nameOf(value), classFix, error);
    }
    if (bare) this.#refuseKeys(value, Object.keys(value)[0]);
    if (Array.isArray(inner)) return this.#list(inner, depth, name);
    if (typeof inner === "object" && inner !== null) {
      return this.#record(inner as Readonly<Record<string, unknown>>, depth, name);
    }
    this.tag = name;
    return inner;
  }

  #refuseHole(list: readonly unknown[], index: number, depth: number): void {
    if (index in list) return;
    this.#depth = depth + 1;
    throw this.#refuse("a hole in a list", "Fill the hole: Array.from(list) makes it undefined.");
  }

  /** Properties that the stored form has no place for. */
  #refuseKeys(value: object, key: string | undefined): void {
    const found = key ?? symbolKey(value);
    if (found === undefined) return;
    const what = typeof found === "symbol" ? String(found) : JSON.stringify(found);
    const owner = typeof found === "symbol" ? "" : ` of ${nameOf(value)}`;
    throw this.#refuse(`the own property ${what}${owner}`, "Keep it in a plain object beside it.");
  }

  #refuse(what: string, fix: string): SuperstepError {
    return unstorable(this.#path(), what, fix);
  }
}

/** Whether JSON holds all of the value, and there is nothing inside. */
function isJsonLeaf(value: unknown): boolean {
  if (typeof value === "number") return isJsonNumber(value);
  return typeof value === "string" || typeof value === "boolean" || value === null;
}

function isJsonNumber(value: number): boolean {
  return Number.isFinite(value) && !Object.is(value, -0);
}
