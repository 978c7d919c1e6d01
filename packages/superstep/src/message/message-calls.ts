import { invalidMessage } from "./invalid.ts";
import {
  claimId,
  type FinishedCalls,
  finishToolCalls,
  type RawToolCall,
  ToolCallAssembler,
} from "./tool-calls.ts";
import type { InvalidToolCall, ToolCallChunk } from "./types.ts";

type Fields = Readonly<Record<string, unknown>>;

/**
 * The fields of an AI message with its calls made whole. Calls come from `tool_calls`; else from the
 * pieces of a stream; else from `additional_kwargs.tool_calls`, where OpenAI's shape is kept raw;
 * else, in content of the standard (v1) form, from its blocks.
 */
export function withCalls(fields: Fields): Fields {
  const given = listOf("tool_calls", fields["tool_calls"]);
  const pieces = listOf("tool_call_chunks", fields["tool_call_chunks"]);
  const invalid = listOf("invalid_tool_calls", fields["invalid_tool_calls"]);
  const found = findCalls(fields, given, pieces);
  if (!found && !invalid?.length) return fields;
  const taken = new Set<string>();
  const calls = finishToolCalls(found ?? [], taken);
  const all = [...calls.invalid_tool_calls, ...(invalid ?? []).map((call) => claim(call, taken))];
  const { tool_call_chunks: _, tool_calls: __, invalid_tool_calls: ___, ...rest } = fields;
  return {
    ...rest,
    ...(calls.tool_calls.length > 0 && { tool_calls: calls.tool_calls }),
    ...(all.length > 0 && { invalid_tool_calls: all }),
  };
}

/** The fields of a piece of a stream: calls are kept as pieces only. */
export function withPieces(fields: Fields): Fields {
  const { tool_calls, invalid_tool_calls, ...rest } = fields;
  const pieces = listOf("tool_call_chunks", fields["tool_call_chunks"]);
  const calls = [...(listOf("", tool_calls) ?? []), ...(listOf("", invalid_tool_calls) ?? [])];
  if (calls.length === 0 || pieces?.length) return rest;
  return { ...rest, tool_call_chunks: calls.map((call, index) => asPiece(rawCall(call), index)) };
}

/** What the pieces amount to, as the calls of a message. */
export function assemble(pieces: readonly ToolCallChunk[]): FinishedCalls {
  const assembler = new ToolCallAssembler();
  assembler.addAll(pieces);
  return assembler.finish();
}

function findCalls(
  fields: Fields,
  given: readonly unknown[] | undefined,
  pieces: readonly unknown[] | undefined,
): Iterable<RawToolCall> | undefined {
  if (given && (given.length > 0 || !pieces?.length)) return given.map(rawCall);
  if (pieces?.length) {
    const assembler = new ToolCallAssembler();
    assembler.addAll(pieces as readonly ToolCallChunk[]);
    return assembler.calls();
  }
  const raw = (fields["additional_kwargs"] as Fields | null | undefined)?.["tool_calls"];
  if (Array.isArray(raw) && raw.length > 0) return raw.map(rawCall);
  const metadata = fields["response_metadata"] as Fields | null | undefined;
  const content = fields["content"];
  if (metadata?.["output_version"] !== "v1" || !Array.isArray(content)) return undefined;
  return content.filter((block: Fields | null) => block?.["type"] === "tool_call").map(rawCall);
}

/** A call in our shape, or in OpenAI's: `{ id, function: { name, arguments } }`. */
function rawCall(call: unknown): RawToolCall {
  if (typeof call !== "object" || call === null) {
    throw invalidMessage("A tool call is { name, args, id }", call);
  }
  const inner = (call as Fields)["function"];
  if (typeof inner !== "object" || inner === null) return call;
  const { name, arguments: args } = inner as Fields;
  const { id, provider } = call as RawToolCall;
  return { id, name, args, provider };
}

function asPiece(call: RawToolCall, index: number): Fields {
  const { id, name, provider } = call;
  const args = typeof call.args === "string" ? call.args : JSON.stringify(call.args ?? {});
  const known = { id: id || undefined, index, name, args, provider };
  const present = Object.entries(known).filter(([, value]) => value !== undefined);
  return { type: "tool_call_chunk", ...Object.fromEntries(present) };
}

function claim(call: unknown, taken: Set<string>): InvalidToolCall {
  const { name, args, error, id } = call as Partial<InvalidToolCall>;
  return {
    name: name ?? undefined,
    args: args ?? undefined,
    id: claimId(id, taken),
    error: error ?? "Malformed args.",
    type: "invalid_tool_call",
  };
}

function listOf(field: string, value: unknown): readonly unknown[] | undefined {
  if (value === undefined || value === null) return undefined;
  if (Array.isArray(value)) return value;
  throw invalidMessage(`${field} of a message is a list`, value);
}
