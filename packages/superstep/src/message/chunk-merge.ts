import { textBlock, toBlocks } from "./content.ts";
import { ToolCallAssembler } from "./tool-calls.ts";
import type { AIMessageChunkData, ContentBlock, MessageContent, ToolCallChunk } from "./types.ts";

type Fields = Readonly<Record<string, unknown>>;

// Fields of a block that arrive in pieces; of every other field the newest value counts.
const streamedTexts: ReadonlySet<string> = new Set(["text", "reasoning", "thinking", "args"]);
const streamedLists: ReadonlySet<string> = new Set(["annotations"]);
// The same for what older providers put into additional_kwargs.
const streamedKwargs: ReadonlySet<string> = new Set(["reasoning_content", "refusal"]);

/** What pieces of one message amount to. */
export interface MergedChunks {
  readonly content: MessageContent;
  readonly tool_call_chunks?: readonly ToolCallChunk[];
  readonly [field: string]: unknown;
}

/**
 * Merges pieces of a message in one pass, in time linear in their number. Texts are joined; blocks
 * are merged by index, else by id, else a text or reasoning goes on where the last block is of its
 * type; tool calls as in `ToolCallAssembler`. The first id counts, and of usage, which providers
 * give for the whole message, the last.
 */
export function mergeChunks(chunks: Iterable<AIMessageChunkData>): MergedChunks {
  const content = new ContentCollector();
  const calls = new ToolCallAssembler();
  const fields: Record<string, unknown> = {};
  for (const chunk of chunks) {
    content.add(chunk.content);
    calls.addAll(chunk.tool_call_chunks);
    fields["id"] ??= chunk.id;
    fields["name"] ??= chunk.name;
    fields["usage_metadata"] = chunk.usage_metadata ?? fields["usage_metadata"];
    mergeRecord(fields, "response_metadata", chunk.response_metadata, none);
    mergeRecord(fields, "additional_kwargs", chunk.additional_kwargs, streamedKwargs);
  }
  for (const key of Object.keys(fields)) if (fields[key] === undefined) delete fields[key];
  const tool_call_chunks = calls.chunks();
  if (tool_call_chunks.length > 0) fields["tool_call_chunks"] = tool_call_chunks;
  return { content: content.finish(), ...fields };
}
const none: ReadonlySet<string> = new Set();

function mergeRecord(
  into: Record<string, unknown>,
  field: string,
  from: Fields | undefined,
  streamed: ReadonlySet<string>,
): void {
  if (!from) return;
  const keys = Object.keys(from);
  if (keys.length === 0) return;
  const merged = (into[field] ??= {}) as Record<string, unknown>;
  for (const key of keys) {
    const before = merged[key];
    const value = from[key];
    if (value === undefined) continue;
    const joins = streamed.has(key) && typeof before === "string" && typeof value === "string";
    setOwn(merged, key, joins ? before + value : value);
  }
}

/** Joins contents. Strings are joined by `+`, which the platform does without copying. */
class ContentCollector {
  #text = "";
  #blocks: Record<string, unknown>[] | undefined;

  add(content: MessageContent): void {
    if (typeof content === "string" && !this.#blocks) {
      this.#text += content;
      return;
    }
    if (!this.#blocks) {
      // The blocks of the first piece are taken as they are: it may be several pieces already.
      const first = this.#text === "" ? content : this.#text;
      this.#blocks = toBlocks(first).map((block) => ({ ...block }));
      if (first === content) return;
    }
    if (typeof content !== "string") for (const block of content) this.#addBlock(block);
    else if (content !== "") this.#addBlock(textBlock(content));
  }

  finish(): MessageContent {
    return (this.#blocks as ContentBlock[] | undefined) ?? this.#text;
  }

  #addBlock(block: ContentBlock): void {
    const blocks = this.#blocks!;
    const found = this.#find(block);
    if (!found) {
      blocks.push({ ...block });
      return;
    }
    for (const key of Object.keys(block)) {
      const value = block[key];
      const before = found[key];
      if (value === undefined) continue;
      if (streamedTexts.has(key) && typeof before === "string" && typeof value === "string") {
        found[key] = before + value;
      } else if (streamedLists.has(key) && Array.isArray(before) && Array.isArray(value)) {
        found[key] = [...(before as unknown[]), ...(value as unknown[])];
      } else if (key === "provider" && isRecord(before) && isRecord(value)) {
        found[key] = { ...before, ...value };
      } else if (key !== "id" || before === undefined) {
        setOwn(found, key, value);
      }
    }
  }

  #find(block: ContentBlock): Record<string, unknown> | undefined {
    const blocks = this.#blocks!;
    const { type, id, index } = block as Fields;
    const known = (key: string, value: unknown): Record<string, unknown> | undefined =>
      value === undefined || value === null || value === ""
        ? undefined
        : blocks.findLast((other) => other[key] === value && other["type"] === type);
    const found = known("index", index) ?? known("id", id);
    if (found || (index ?? id ?? undefined) !== undefined) return found;
    const last = blocks.at(-1);
    const goesOn = type === "text" || type === "reasoning";
    return goesOn && last?.["type"] === type ? last : undefined;
  }
}

function isRecord(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Assignment that makes an own property of any name, `__proto__` included. */
function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== "__proto__") target[key] = value;
  else Object.defineProperty(target, key, { value, enumerable: true, configurable: true });
}
