import { toBase64 } from "./bytes.ts";
import { typedArrays } from "./names.ts";
import { typeWithPrototype } from "./registry.ts";
import { encodeError, errorClassOf } from "./stored-error.ts";

/** How the instances of a class are stored. */
export interface Kind {
  readonly name: string;
  /**
   * The value as data; what is inside may be anything that can be stored. Throws when the value only
   * has the prototype of its class (`Object.create(Date.prototype)`).
   */
  readonly data: (value: object) => unknown;
  /** Whether own enumerable properties would be lost. */
  readonly bare?: true;
}

// The methods are taken from the prototypes when the module loads and called on the value, so that
// nothing that the value itself brings along is executed.
const timeOf = method(Date.prototype, "getTime");
const iterateMap = method(Map.prototype, "entries");
const iterateSet = method(Set.prototype, "values");

function method(prototype: object, name: string): (value: object) => unknown {
  const call = Object.getOwnPropertyDescriptor(prototype, name)?.value as () => unknown;
  return (value) => call.call(value);
}

function getter(prototype: object, name: string | symbol): (value: object) => unknown {
  const property = Object.getOwnPropertyDescriptor(prototype, name);
  return (value) => property?.get?.call(value) as unknown;
}

const sourceOf = getter(RegExp.prototype, "source");
const flagsOf = getter(RegExp.prototype, "flags");
const lengthOf = getter(ArrayBuffer.prototype, "byteLength");
const viewPrototype = Object.getPrototypeOf(Uint8Array.prototype) as object;
const viewNameOf = getter(viewPrototype, Symbol.toStringTag);

function bytesOfView(value: object): string {
  const { buffer, byteOffset, byteLength } = value as ArrayBufferView;
  lengthOf(buffer); // throws for shared memory, which cannot come back as shared
  return toBase64(new Uint8Array(buffer, byteOffset, byteLength));
}

function bytesOfTypedArray(value: object): string {
  if (viewNameOf(value) === undefined) throw new TypeError("no typed array");
  return bytesOfView(value);
}

function entriesOf(value: object): unknown[] {
  return [...(iterateMap(value) as Iterable<[unknown, unknown]>)].flat(1);
}

function membersOf(value: object): unknown[] {
  return [...(iterateSet(value) as Iterable<unknown>)];
}

const kinds: readonly Kind[] = [
  {
    name: "Date",
    bare: true,
    data(value) {
      const time = timeOf(value) as number;
      return Number.isNaN(time) ? null : time;
    },
  },
  { name: "Map", bare: true, data: entriesOf },
  { name: "Set", bare: true, data: membersOf },
  {
    name: "RegExp",
    bare: true,
    data(value) {
      const { lastIndex } = value as RegExp;
      if (typeof lastIndex !== "number") throw new TypeError("no index");
      const parts = [sourceOf(value), flagsOf(value)];
      return lastIndex === 0 ? parts : [...parts, lastIndex];
    },
  },
  { name: "URL", bare: true, data: (value) => getter(URL.prototype, "href")(value) },
  { name: "Buffer", data: bytesOfTypedArray },
  ...typedArrays.map((name): Kind => ({ name, data: bytesOfTypedArray })),
  { name: "DataView", bare: true, data: bytesOfView },
  {
    name: "ArrayBuffer",
    bare: true,
    data(value) {
      lengthOf(value);
      return toBase64(new Uint8Array(value as ArrayBuffer));
    },
  },
];
const byName = new Map(kinds.map((kind) => [kind.name, kind]));
const byPrototype = new WeakMap<object, Kind>();

/** How values with this prototype are stored; `undefined` when they cannot be. */
export function kindOf(prototype: object): Kind | undefined {
  const known = byPrototype.get(prototype);
  if (known) return known;
  const kind = ownKind(prototype) ?? builtinKind(prototype) ?? errorKind(prototype);
  if (kind) byPrototype.set(prototype, kind);
  return kind;
}

function ownKind(prototype: object): Kind | undefined {
  const type = typeWithPrototype(prototype);
  return type && { name: type.name, data: type.encode };
}

/** By the global of the name, or as the original of another realm. */
function builtinKind(prototype: object): Kind | undefined {
  const globals = globalThis as unknown as Readonly<
    Record<string, { readonly prototype?: unknown } | undefined>
  >;
  const kind = kinds.find(({ name }) => globals[name]?.prototype === prototype);
  if (kind) return kind;
  const constructor: unknown = Object.getOwnPropertyDescriptor(prototype, "constructor")?.value;
  if (typeof constructor !== "function") return undefined;
  const text = Function.prototype.toString.call(constructor);
  const native = /^function (\w+)\(\) \{ \[native code\] \}$/.exec(text)?.[1];
  return native === undefined ? undefined : byName.get(native);
}

function errorKind(prototype: object): Kind | undefined {
  const className = errorClassOf(prototype);
  return className === undefined
    ? undefined
    : { name: "Error", data: (error) => encodeError(error, className) };
}
