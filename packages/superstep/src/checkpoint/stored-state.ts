import { describe } from "../errors/describe.ts";
import { errorMessage, SuperstepError } from "../errors/errors.ts";
import { isError } from "../errors/is-error.ts";
import { errorLocation } from "../errors/location.ts";
import { decode, encode } from "../json/codec.ts";
import { applyPatch, diff, type Patch } from "./patch.ts";

// What is in the texts that a saver keeps.

/** How one channel changed. `undefined` is the empty channel. */
export interface ChannelChange {
  readonly name: string;
  readonly before: unknown;
  readonly after: unknown;
}

type ChannelEntry = readonly [name: string, patch: Patch];

/** Throws `UNSTORABLE_VALUE`, which names the state key and the path inside it. */
export function encodeChannels(changes: readonly ChannelChange[]): string {
  const entries = changes.map(({ name, before, after }): ChannelEntry => [
    name,
    diff(before, after),
  ]);
  return encodeOr(entries, () => changes.map(({ name, after }) => [name, after]));
}

/**
 * Encodes `stored`. When something in it cannot be stored, the error is that of the value at its
 * place in the state, which `values` gives by key.
 */
function encodeOr(
  stored: unknown,
  values: () => readonly (readonly [key: string, value: unknown])[],
): string {
  try {
    return encode(stored);
  } catch (error) {
    for (const [key, value] of values()) encode(value, { root: `state.${key}` });
    throw error;
  }
}

/** The values of all channels that are not empty, from a snapshot and what came after it. */
export function decodeChannels(chain: readonly string[]): ReadonlyMap<string, unknown> {
  const values = new Map<string, unknown>();
  for (const text of chain) applyChannels(values, text);
  return values;
}

/** Brings `values` from one checkpoint to the next. */
export function applyChannels(values: Map<string, unknown>, text: string): void {
  for (const [name, patch] of listOf(decode(text), "state") as readonly ChannelEntry[]) {
    const value = applyPatch(values.get(name), patch);
    if (value === undefined) values.delete(name);
    else values.set(name, value);
  }
}

/** A task that is due: the node, and the input when it is a Send. */
export type StoredTask = readonly [node: string] | readonly [node: string, args: unknown];

/**
 * `refs`: values of channels by identity, which Sends often carry; they are not
 * stored again.
 */
export function encodeNext(
  tasks: readonly StoredTask[],
  refs: ReadonlyMap<object, string> | undefined,
): string {
  return encode(tasks, refs ? { root: "next", refs } : { root: "next" });
}

export function decodeNext(
  text: string,
  channels: ReadonlyMap<string, unknown>,
): readonly StoredTask[] {
  return listOf(
    decode(text, { refs: (name) => channels.get(name) }),
    "next",
  ) as readonly StoredTask[];
}

/** The nodes of the tasks that are due; their inputs are not looked at. */
export function nodesDue(text: string): readonly string[] {
  return dueIn(text).map(([node]) => node);
}

/** The same, of the tasks that are Sends, in the order of their index. */
export function nodesSent(text: string): readonly string[] {
  return dueIn(text).flatMap(([node, ...input]) => (input.length > 0 ? [node] : []));
}

function dueIn(text: string): readonly StoredTask[] {
  return listOf(decode(text, { refs: () => ({}) }), "next") as readonly StoredTask[];
}

/** What a finished task did. */
export interface TaskRecord {
  /** Values for channels, by name. */
  readonly writes: readonly (readonly [channel: string, value: unknown])[];
  /** Instances of Send. */
  readonly sends: readonly unknown[];
  /** What it noted for the trace. */
  readonly events: readonly (readonly unknown[])[];
}

export function encodeRecord({ writes, sends, events }: TaskRecord): string {
  return encodeOr([writes, sends, events], () => [
    ...writes,
    ...sends.map((send, index) => [`send[${index}]`, send] as const),
  ]);
}

export function decodeRecord(text: string): TaskRecord {
  const [writes, sends, events] = listOf(decode(text), "record of a task");
  return {
    writes: listOf(writes, "writes of a task") as TaskRecord["writes"],
    sends: listOf(sends, "sends of a task"),
    events: listOf(events, "events of a task") as TaskRecord["events"],
  };
}

/** The tasks of a superstep that is over, with what each noted for the trace. */
export interface EndedTask {
  readonly node: string;
  readonly events: readonly (readonly unknown[])[];
}

export function encodeTasks(tasks: readonly EndedTask[]): string {
  return encode(tasks.map(({ node, events }) => [node, ...events]));
}

export function decodeTasks(text: string): readonly EndedTask[] {
  const tasks = listOf(decode(text), "tasks") as readonly (readonly [string, ...unknown[][]])[];
  return tasks.map(([node, ...events]) => ({ node, events }));
}

/** What is kept of the error that ended a run. */
export interface StoredError {
  readonly name: string;
  readonly message: string;
  readonly code: string | undefined;
  readonly fix: string | undefined;
  /** The task that it arose in: see `ErrorLocation.path`. */
  readonly path: readonly (string | number)[] | undefined;
  readonly open: OpenQuestion | undefined;
}

/** The question that a run leaves open, for the run that asks it again. */
export interface OpenQuestion {
  /** Its input, encoded. */
  readonly asked: string;
  /** Whether the input is in a checkpoint. */
  readonly begun: boolean;
}

/** Never throws: the end of a run must not hang on what its error is made of. */
export function encodeError(error: unknown, open: OpenQuestion | undefined): string {
  let known: Omit<StoredError, "open">;
  try {
    known = {
      name: isError(error) ? textOf(error.name) : "Error",
      message: textOf(errorMessage(error)),
      code: codeOf(error),
      fix: error instanceof SuperstepError ? textOf(error.fix) : undefined,
      path: errorLocation(error)?.path,
    };
  } catch {
    const message = "an error that cannot be read"; // a getter of it throws
    known = { name: "Error", message, code: undefined, fix: undefined, path: undefined };
  }
  return encode({ ...known, open });
}

const maxText = 10_000;

function textOf(text: unknown): string {
  return typeof text === "string" ? text.slice(0, maxText).toWellFormed() : describe(text);
}

/** System errors and those of many libraries have one. */
function codeOf(error: unknown): string | undefined {
  const code: unknown = isError(error) ? (error as { readonly code?: unknown }).code : undefined;
  return typeof code === "string" ? textOf(code) : undefined;
}

export function decodeError(text: string): StoredError {
  return decode(text) as StoredError;
}

function listOf(value: unknown, what: string): readonly unknown[] {
  if (Array.isArray(value)) return value as readonly unknown[];
  throw new SuperstepError("CORRUPT_CHECKPOINT", `The stored ${what} is no list.`, {
    fix: "The stored text was changed or cut: restore it from a backup, or delete the thread.",
  });
}
