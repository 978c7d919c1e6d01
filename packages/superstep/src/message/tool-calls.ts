import { freezePart } from "./frozen.ts";
import { mintId } from "./mint.ts";
import type { InvalidToolCall, ToolCall, ToolCallChunk } from "./types.ts";

type Args = Readonly<Record<string, unknown>>;

/** The calls of one message, sorted into those that can be executed and those that cannot. */
export interface FinishedCalls {
  readonly tool_calls: readonly ToolCall[];
  readonly invalid_tool_calls: readonly InvalidToolCall[];
}

/** A call as somebody wrote it: with or without an id, its arguments as a text or an object. */
export interface RawToolCall {
  readonly id?: unknown;
  readonly name?: unknown;
  readonly args?: unknown;
  readonly provider?: unknown;
}

/**
 * The arguments of a call as an object; `undefined` when they are none ("Malformed args.").
 *
 * No text at all, an empty one and `null` are a call without arguments: `{}`. Some providers open
 * every call with `{}` and then send the real object; the real object counts.
 */
export function parseToolArguments(args: unknown): Args | undefined {
  if (args === undefined || args === null) return {};
  if (typeof args !== "string") return isRecord(args) ? args : undefined;
  const text = args.trim();
  if (text === "" || text === "null") return {};
  const parsed = parseRecord(text);
  if (parsed || !text.startsWith("{}")) return parsed;
  return parseToolArguments(text.slice(2));
}

/**
 * Makes calls of one message whole: arguments parsed, ids minted where missing or empty, an id that
 * occurs twice made unique. A call without a name or with arguments that do not parse is invalid;
 * it has an id too, so that it can be answered. `taken` holds the ids of the message's other calls.
 */
export function finishToolCalls(
  calls: Iterable<RawToolCall>,
  taken: Set<string> = new Set(),
): FinishedCalls {
  const tool_calls: ToolCall[] = [];
  const invalid_tool_calls: InvalidToolCall[] = [];
  for (const call of calls) {
    const id = claimId(call.id, taken);
    const args = parseToolArguments(call.args);
    const name = isText(call.name) ? call.name : undefined;
    if (name !== undefined && args) {
      const provider = isRecord(call.provider) ? { provider: call.provider } : undefined;
      tool_calls.push({ name, args, id, type: "tool_call", ...provider });
    } else {
      const error = args ? "The call names no tool." : "Malformed args.";
      invalid_tool_calls.push({ name, args: asText(call.args), id, error, type: invalid });
    }
  }
  return { tool_calls, invalid_tool_calls };
}
const invalid = "invalid_tool_call";

/** The id, or a minted one when there is none or it is empty; unique among `taken`. */
export function claimId(id: unknown, taken: Set<string>): string {
  const given = typeof id === "number" ? String(id) : id;
  let unique = isText(given) ? given : mintId("call");
  for (let copy = 2; taken.has(unique); copy++) unique = `${String(given)}_${copy}`;
  taken.add(unique);
  return unique;
}

/** Lists of pieces in which each piece is a call. */
const onePerCall = new WeakSet<readonly ToolCallChunk[]>();

interface OpenCall {
  id: string | undefined;
  index: number | undefined;
  name: string | undefined;
  args: string | undefined;
  provider: Args | undefined;
}
const nothing: OpenCall = {
  id: undefined,
  index: undefined,
  name: undefined,
  args: undefined,
  provider: undefined,
};

/**
 * Puts streamed calls together. A piece belongs to the call with its id; else to the latest call
 * with its index; else to the latest call. Nothing is parsed before the end of the stream, since
 * arguments that parse so far may go on.
 */
export class ToolCallAssembler {
  readonly #calls: OpenCall[] = [];

  add(piece: ToolCallChunk): void {
    const id = isText(piece.id) ? piece.id : undefined;
    const name = isText(piece.name) ? piece.name : undefined;
    const index = piece.index ?? undefined;
    const args = piece.args ?? undefined;
    const call = this.#find(id, index, { name, args });
    if (!call) {
      this.#calls.push({ id, index, name, args, provider: piece.provider });
      return;
    }
    call.id ??= id;
    call.index ??= index;
    call.name = name ?? call.name;
    if (args !== undefined) call.args = (call.args ?? "") + args;
    if (piece.provider) call.provider = { ...call.provider, ...piece.provider };
  }

  /** Adds the pieces of one chunk. What `chunks` gave before is not searched for calls again. */
  addAll(pieces: readonly ToolCallChunk[]): void {
    const whole = this.#calls.length === 0 && onePerCall.has(pieces);
    for (const piece of pieces) {
      if (whole) this.#calls.push({ ...nothing, ...piece });
      else this.add(piece);
    }
  }

  /** The calls as far as they are known, one piece each; frozen. */
  chunks(): readonly ToolCallChunk[] {
    const chunks = this.#calls.map((call) => {
      const known = Object.entries(call).filter(([, value]) => value !== undefined);
      return { ...Object.fromEntries(known), type: "tool_call_chunk" as const };
    });
    freezePart(chunks);
    onePerCall.add(chunks);
    return chunks;
  }

  /** The calls, once the stream has ended. */
  finish(): FinishedCalls {
    return finishToolCalls(this.calls());
  }

  /** The calls as they were written. Pieces that held nothing at all are no call. */
  calls(): readonly RawToolCall[] {
    return this.#calls.filter(({ id, name, args }) => id ?? name ?? (args?.trim() || undefined));
  }

  #find(id: string | undefined, index: number | undefined, piece: Content): OpenCall | undefined {
    const calls = this.#calls;
    const latest = calls.at(-1);
    if (id !== undefined) {
      const known = calls.findLast((call) => call.id === id);
      if (known) return known;
    }
    // A call whose id comes late is found by its index, or as the latest when there are no indexes.
    const found =
      index === undefined
        ? latest
        : (calls.findLast((call) => call.index === index) ??
          (latest?.index === undefined ? latest : undefined));
    if (!found) return undefined;
    if (id !== undefined && found.id !== undefined) return undefined;
    return startsAnother(found, id, piece) ? undefined : found;
  }
}

interface Content {
  readonly name: string | undefined;
  readonly args: string | undefined;
}

/**
 * Whether a piece without a known id begins a new call although its index is in use: it names
 * another tool, or it brings arguments where they are complete. Gateways exist that send whole
 * calls, all with index 0. A name that is repeated in every piece begins nothing.
 */
function startsAnother(call: OpenCall, id: string | undefined, piece: Content): boolean {
  if (piece.name === undefined || call.name === undefined) return false;
  if (id !== undefined && call.id === undefined && call.index === undefined) return true;
  if (piece.name !== call.name) return true;
  const complete = call.args?.trim();
  return (
    piece.args?.trimStart().startsWith("{") === true &&
    complete !== undefined &&
    complete !== "{}" &&
    parseRecord(complete) !== undefined
  );
}

function parseRecord(text: string): Args | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined; // the caller reports it as a call that cannot be executed
  }
}

function asText(args: unknown): string | undefined {
  if (typeof args === "string" || args === undefined) return args;
  return JSON.stringify(args);
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function isRecord(value: unknown): value is Args {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
