import { bufferClass, fromBase64 } from "./bytes.ts";
import { numbers, typedArrays } from "./names.ts";
import { isPlainList, isPlainRecord, setOwn } from "./plain.ts";
import { decodeError } from "./stored-error.ts";

/** Makes the value of its data; `undefined` when the data is not what the type is stored as. */
export type Reviver = (data: unknown) => unknown;

interface View {
  readonly BYTES_PER_ELEMENT: number;
  new (buffer: ArrayBuffer): object;
}

/** Revivers of the built-in types; nothing else in this package makes an object of a stored name. */
export const revivers: ReadonlyMap<string, Reviver> = new Map<string, Reviver>([
  ["bigint", bigintOf],
  ["Date", dateOf],
  ["RegExp", regExpOf],
  ["URL", (data) => (typeof data === "string" ? new URL(data) : undefined)],
  ["Map", mapOf],
  ["Set", (data) => (isPlainList(data) ? new Set(data) : undefined)],
  ["ArrayBuffer", (data) => fromBase64(data)?.buffer],
  ["DataView", dataViewOf],
  ["Buffer", nodeBufferOf],
  ["Error", (data) => (isPlainRecord(data) ? decodeError(data) : undefined)],
  ["null-prototype", withoutPrototype],
  ...typedArrays.map((name): [string, Reviver] => [name, (data) => viewOf(name, data)]),
]);

/** Data of these types is a placeholder. */
export const constants: ReadonlyMap<string, number | undefined> = new Map([
  ...numbers,
  ["undefined", undefined],
]);

function bigintOf(data: unknown): bigint | undefined {
  return typeof data === "string" && /^-?\d+$/.test(data) ? BigInt(data) : undefined;
}

function dateOf(data: unknown): Date | undefined {
  if (data === null) return new Date(Number.NaN);
  if (typeof data !== "number") return undefined;
  const date = new Date(data);
  return date.getTime() === data ? date : undefined;
}

function regExpOf(data: unknown): RegExp | undefined {
  if (!isPlainList(data) || data.length < 2 || data.length > 3) return undefined;
  const [source, flags, lastIndex = 0] = data;
  if (typeof source !== "string" || typeof flags !== "string") return undefined;
  if (typeof lastIndex !== "number") return undefined;
  const expression = new RegExp(source, flags); // compiled, not run
  expression.lastIndex = lastIndex;
  return expression;
}

function mapOf(data: unknown): Map<unknown, unknown> | undefined {
  if (!isPlainList(data) || data.length % 2 !== 0) return undefined;
  const map = new Map<unknown, unknown>();
  for (let at = 0; at < data.length; at += 2) map.set(data[at], data[at + 1]);
  return map;
}

function dataViewOf(data: unknown): DataView | undefined {
  const bytes = fromBase64(data);
  return bytes && new DataView(bytes.buffer);
}

function nodeBufferOf(data: unknown): Uint8Array | undefined {
  const bytes = fromBase64(data);
  return bytes && (bufferClass()?.from(bytes.buffer) ?? bytes);
}

function viewOf(name: string, data: unknown): object | undefined {
  const View = (globalThis as unknown as Readonly<Record<string, View | undefined>>)[name];
  if (!View) throw new TypeError(`this platform has no ${name}`);
  const bytes = fromBase64(data);
  if (!bytes || bytes.length % View.BYTES_PER_ELEMENT !== 0) return undefined;
  return new View(bytes.buffer);
}

function withoutPrototype(data: unknown): object | undefined {
  if (!isPlainRecord(data)) return undefined;
  const record = Object.create(null) as Record<string, unknown>;
  for (const key of Object.keys(data)) setOwn(record, key, data[key]);
  return record;
}
