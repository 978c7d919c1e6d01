import { describe } from "../errors/describe.ts";
import { errorMessage, SuperstepError } from "../errors/errors.ts";
import { maxDepth, maxLength, version } from "./limits.ts";
import { pathText } from "./path.ts";
import { isPlainList, isPlainRecord } from "./plain.ts";
import { corrupt } from "./refuse.ts";
import { typeNamed } from "./registry.ts";
import { constants, revivers } from "./revive.ts";

/** How a text is decoded. */
export interface DecodeOptions {
  /** The object that was stored as a reference by this name. */
  readonly refs?: (name: string) => unknown;
}

/**
 * The value of a text that `encode` made. Plain objects and lists are new and not frozen. Throws
 * `CORRUPT_CHECKPOINT` for any other text, saying what is wrong and where. Only the types of this
 * package come to life, and only where the list of types beside the data says so.
 */
export function decode(text: string, options: DecodeOptions = {}): unknown {
  const [data, tag] = parse(text);
  if (tag === undefined) return data;
  const revival = new Revival(options);
  try {
    return revival.value(tag, data, 0);
  } catch (error) {
    if (error instanceof SuperstepError && error.code === "CORRUPT_CHECKPOINT") throw error;
    throw revival.error(`could not be made (${errorMessage(error)})`, error);
  }
}

function parse(text: unknown): [data: unknown, tag: unknown] {
  if (typeof text !== "string") throw corrupt(`A stored value is a text: got ${describe(text)}.`);
  if (text.length > maxLength) {
    throw corrupt(
      `The stored text has ${text.length} characters: more than the ${maxLength} that can be.`,
    );
  }
  if (text[0] !== version) throw corrupt(...unknownVersion(text));
  const line = text.indexOf("\n");
  const [end, types] = line < 0 ? [text.length, undefined] : [line, text.slice(line + 1)];
  let part = "data";
  try {
    const data: unknown = JSON.parse(text.slice(1, end));
    part = "types";
    return [data, types === undefined ? undefined : JSON.parse(types)];
  } catch (error) {
    throw corrupt(
      `The ${part} of the stored text cannot be read: ${errorMessage(error)}.`,
      undefined,
      error,
    );
  }
}

function unknownVersion(text: string): [problem: string, fix?: string] {
  const first = text[0];
  if (first === undefined) return ["The stored text is empty."];
  return /\d/.test(first)
    ? [
        `The stored text has format ${first}; this version of superstep reads format ${version}.`,
        "Use the version of superstep that stored it, or a later one.",
      ]
    : [`The stored text has no format version: it begins with ${describe(text.slice(0, 20))}.`];
}

/** Goes the way of the types through the data, and makes values of what is there, inner ones first. */
class Revival {
  readonly #refs: DecodeOptions["refs"];
  readonly #keys: (string | number)[] = [];
  #depth = 0;

  constructor({ refs }: DecodeOptions) {
    this.#refs = refs;
  }

  value(tag: unknown, data: unknown, depth: number): unknown {
    this.#depth = depth;
    if (typeof tag === "string") return this.#revive(tag, data);
    if (!isPlainList(tag) || tag.length < 3 || tag.length % 2 === 0 || depth > maxDepth) {
      throw this.error("has a type that cannot be read");
    }
    const type: unknown = tag[0];
    if (isPlainList(data)) this.#items(data as unknown[], tag, depth);
    else if (isPlainRecord(data)) this.#fields(data, tag, depth);
    else throw this.error("has types for what is inside, but nothing is");
    this.#depth = depth;
    if (type === 0) return data;
    if (typeof type === "string") return this.#revive(type, data);
    throw this.error("has a type that cannot be read");
  }

  /** Each index once, in order: what came to life is not entered again. */
  #items(data: unknown[], tag: readonly unknown[], depth: number): void {
    let next = 0;
    for (let at = 1; at < tag.length; at += 2) {
      const key = tag[at];
      const [from, to] = (isPlainList(key) && key.length === 2 ? key : [key, key]) as number[];
      if (!isIndex(from) || !isIndex(to) || from < next || to < from || to >= data.length) {
        throw this.error(
          `has a type for ${describe(key)}, which is no place in a list of ${data.length}`,
        );
      }
      for (let index = from; index <= to; index++) {
        this.#keys[depth] = index;
        data[index] = this.value(tag[at + 1], data[index], depth + 1);
      }
      this.#depth = depth;
      next = to + 1;
    }
  }

  #fields(fields: Readonly<Record<string, unknown>>, tag: readonly unknown[], depth: number): void {
    const data = fields as Record<string, unknown>; // fresh from the text
    const seen = new Set<string>();
    for (let at = 1; at < tag.length; at += 2) {
      const key = tag[at];
      if (typeof key !== "string" || !Object.hasOwn(data, key) || seen.has(key)) {
        throw this.error(`has a type for ${describe(key)}, which is no field of it`);
      }
      seen.add(key);
      this.#keys[depth] = key;
      data[key] = this.value(tag[at + 1], data[key], depth + 1);
      this.#depth = depth;
    }
  }

  #revive(type: string, data: unknown): unknown {
    if (constants.has(type)) return constants.get(type);
    if (type === "ref") return this.#ref(data);
    const value = (revivers.get(type) ?? typeNamed(type)?.decode ?? this.#unknown(type))(data);
    if (value === undefined) throw this.error(`is no ${type}: ${describe(data)}`);
    return value;
  }

  #unknown(type: string): never {
    throw corrupt(
      `${this.#path()} has the type ${describe(type)}, which is not known here.`,
      "Use the version of superstep that stored it or a later one, and import `superstep` where it is read.",
    );
  }

  #ref(name: unknown): unknown {
    const value = typeof name === "string" ? this.#refs?.(name) : undefined;
    if (typeof value === "object" && value !== null) return value;
    throw this.error(`refers to ${describe(name)}, and there is no such object`);
  }

  error(problem: string, cause?: unknown): SuperstepError {
    return corrupt(`The stored value is damaged: ${this.#path()} ${problem}.`, undefined, cause);
  }

  #path(): string {
    return pathText("value", this.#keys.slice(0, this.#depth));
  }
}

function isIndex(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
