import { concatChunks } from "../message/chunks.ts";
import { AIMessage, AIMessageChunk, type AIMessageFields, copyWith } from "../message/messages.ts";
import { claimId, finishToolCalls, parseToolArguments } from "../message/tool-calls.ts";
import type { ContentBlock, ToolCallChunk } from "../message/types.ts";
import type { ModelPart, ProviderData } from "./port.ts";

type TextPart = Extract<ModelPart, { type: "text" | "reasoning" }>;
type CallPart = Extract<ModelPart, { type: "tool-call" }>;
export type FinishPart = Extract<ModelPart, { type: "finish" }>;

interface StreamedCall {
  /** Unique in this answer, which what the provider sent need not be. */
  readonly id: string;
  readonly index: number;
  name: string;
  args: string;
  provider: ProviderData | undefined;
}

/** Turns the parts of one answer into the pieces of one message. Keeps no text. */
export class Chunker {
  #id: string;
  readonly #rawToolCalls: boolean;
  readonly #calls: StreamedCall[] = [];
  readonly #ids = new Set<string>();
  /** Finished calls that nothing has come after yet. */
  readonly #unplaced: StreamedCall[] = [];
  readonly #openCalls = new Map<string, StreamedCall>();
  /** The block that a piece without an index is added to. */
  #last: { readonly type: string; readonly block: string | undefined } | undefined;
  #blocks = 0;
  #started = false;
  #revised = false;
  #whole: AIMessage | undefined;
  /** The last part, once it has come. */
  finish: FinishPart | undefined;

  constructor(id: string, rawToolCalls: boolean) {
    this.#id = id;
    this.#rawToolCalls = rawToolCalls;
  }

  /** The piece that a part amounts to; `undefined` for a part that adds nothing. */
  take(part: ModelPart): AIMessageChunk | undefined {
    switch (part.type) {
      case "text":
      case "reasoning":
        return this.#text(part);
      case "block":
        this.#last = undefined;
        this.#blocks++;
        return this.#piece([...this.#placeCalls(), part.block]);
      case "tool-call-delta":
        return this.#delta(part.id, part.name, part.args);
      case "tool-call":
        return this.#call(part);
      case "tool-call-withdrawn":
        return this.#withdraw(part.id);
      case "chunk":
        return this.#adopt(part.chunk);
      case "message":
        this.#whole = part.message;
        return undefined;
      case "finish":
        this.finish = part;
        return this.#end(part);
      default:
        return part satisfies never;
    }
  }

  /** The message that the pieces so far amount to. */
  message(pieces: readonly AIMessageChunk[]): AIMessage {
    const whole = this.#whole;
    if (!whole) return this.#corrected(concatChunks(pieces).toMessage());
    return whole.id === undefined ? copyWith(whole, { id: this.#id }) : whole;
  }

  #text(part: TextPart): AIMessageChunk | undefined {
    const { type, text, block } = part;
    const plain = isPlain(part);
    if (text === "" && plain) return undefined;
    const last = this.#last;
    if (last?.type === type && last.block === block) {
      if (type === "text" && plain) return this.#piece(text);
      return this.#piece([textBlock(part)]);
    }
    this.#last = { type, block };
    this.#blocks++;
    const before = this.#placeCalls();
    // A block beside another one of its type would flow into it; an index keeps them apart.
    const apart = last?.type === type && before.length === 0;
    if (type === "text" && plain && !apart && before.length === 0) return this.#piece(text);
    return this.#piece([...before, textBlock(part, apart ? this.#blocks : undefined)]);
  }

  /**
   * Calls stand at the end of the content unless something comes after them: then a block marks
   * their place, since reasoning that was signed for a call has to go back in front of it.
   */
  #placeCalls(): readonly ContentBlock[] {
    if (this.#unplaced.length === 0) return noBlocks;
    const blocks: ContentBlock[] = [];
    for (const { id, name, args: text } of this.#unplaced) {
      const args = parseToolArguments(text);
      if (args) blocks.push({ type: "tool_call", id, name, args });
    }
    this.#unplaced.length = 0;
    return blocks;
  }

  #delta(key: string, name: string | undefined, args: string): AIMessageChunk | undefined {
    let call = this.#openCalls.get(key);
    if (call) {
      if (args === "") return undefined;
      call.args += args;
      return this.#piece("", [callPiece({ id: call.id, index: call.index, args })]);
    }
    call = this.#open(key, name ?? "");
    call.args = args;
    return this.#piece("", [callPiece({ id: call.id, index: call.index, name, args })]);
  }

  /** Its pieces are out; in the message that counts it is not among the calls. */
  #withdraw(key: string): undefined {
    const call = this.#openCalls.get(key);
    if (!call) return;
    this.#openCalls.delete(key);
    this.#calls.splice(this.#calls.indexOf(call), 1);
    const place = this.#unplaced.indexOf(call);
    if (place >= 0) this.#unplaced.splice(place, 1);
    this.#revised = true;
  }

  #call(part: CallPart): AIMessageChunk | undefined {
    const { name, args, provider } = part;
    const streamed = this.#openCalls.get(part.id);
    const call = streamed ?? this.#open(part.id, name);
    this.#openCalls.delete(part.id);
    const goesOn = args.startsWith(call.args);
    if (!goesOn || (streamed && call.name !== name)) this.#revised = true;
    const rest = goesOn ? args.slice(call.args.length) : "";
    call.args = args;
    call.name = name;
    call.provider = provider;
    this.#unplaced.push(call);
    if (streamed && rest === "" && !provider) return undefined;
    const { id, index } = call;
    const named = streamed ? undefined : name;
    return this.#piece("", [callPiece({ id, index, name: named, args: rest, provider })]);
  }

  /**
   * A provider package may finish a call otherwise than its pieces were. The finished call counts;
   * pieces that are out cannot be taken back.
   */
  #corrected(message: AIMessage): AIMessage {
    if (!this.#revised) return message;
    const { tool_calls: _, invalid_tool_calls: __, ...fields } = message.toJSON();
    return new AIMessage({ ...(fields as AIMessageFields), ...finishToolCalls(this.#calls) });
  }

  /** A new call. An id that is missing or was used before in this answer is replaced. */
  #open(key: string, name: string): StreamedCall {
    const id = claimId(key, this.#ids);
    const call = { id, index: this.#calls.length, name, args: "", provider: undefined };
    this.#calls.push(call);
    this.#openCalls.set(key, call);
    return call;
  }

  #adopt(chunk: AIMessageChunk): AIMessageChunk {
    if (!this.#started && chunk.id !== undefined) this.#id = chunk.id;
    this.#started = true;
    if (chunk.id === this.#id) return chunk;
    return new AIMessageChunk({ ...chunk.toJSON(), id: this.#id });
  }

  #end({ usage, metadata }: FinishPart): AIMessageChunk | undefined {
    const raw = this.#rawToolCalls && this.#calls.length > 0 ? this.#calls.map(rawCall) : undefined;
    if (!usage && !metadata && !raw) return undefined;
    this.#started = true;
    return new AIMessageChunk({
      content: "",
      id: this.#id,
      additional_kwargs: raw && { tool_calls: raw },
      response_metadata: metadata,
      usage_metadata: usage,
    });
  }

  #piece(
    content: string | readonly ContentBlock[],
    tool_call_chunks?: readonly ToolCallChunk[],
  ): AIMessageChunk {
    this.#started = true;
    return new AIMessageChunk({ content, id: this.#id, tool_call_chunks });
  }
}

function isPlain({ provider, annotations }: TextPart): boolean {
  return provider === undefined && annotations === undefined;
}

function textBlock(part: TextPart, index?: number): ContentBlock {
  const { type, text, provider, annotations } = part;
  const block: Record<string, unknown> = { type, [type]: text };
  if (index !== undefined) block["index"] = index;
  if (provider !== undefined) block["provider"] = provider;
  if (annotations !== undefined) block["annotations"] = annotations;
  return block as unknown as ContentBlock;
}

const noBlocks: readonly ContentBlock[] = [];

/** A piece with the fields that are there. */
function callPiece(fields: Omit<ToolCallChunk, "type">): ToolCallChunk {
  const piece: Record<string, unknown> = { type: "tool_call_chunk" };
  for (const [key, value] of Object.entries(fields)) {
    if (value !== undefined && value !== "") piece[key] = value;
  }
  return piece as unknown as ToolCallChunk;
}

function rawCall(call: StreamedCall): unknown {
  return {
    id: call.id,
    type: "function",
    function: { name: call.name, arguments: call.args },
  };
}
