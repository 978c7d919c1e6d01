import { mergeChunks } from "./chunk-merge.ts";
import { AIMessageChunk } from "./messages.ts";

/**
 * All pieces of one message as one, in time linear in their number; of no pieces, an empty one.
 * `.toMessage()` of it is the message. Collect the pieces of a stream and call this once.
 */
export function concatChunks(chunks: Iterable<AIMessageChunk>): AIMessageChunk {
  return new AIMessageChunk(mergeChunks(chunks));
}

/** Two pieces of a message as one, as LangChain has it. */
export function concat(first: AIMessageChunk, second: AIMessageChunk): AIMessageChunk {
  return first.concat(second);
}
