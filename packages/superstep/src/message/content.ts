import { invalidMessage } from "./invalid.ts";
import type { ContentBlock, MessageContent, ToolCall } from "./types.ts";

/** What is taken as content: a text, or blocks among which texts may stand. */
export type ContentInput = string | readonly (ContentBlock | string)[];

/** Content in the form that is stored; throws `INVALID_MESSAGE` for anything else. */
export function toContent(content: unknown, type: string): MessageContent {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) {
    throw invalidMessage(
      `The content of a message of type ${type} is a text or a list of blocks`,
      content,
    );
  }
  if (content.every(isBlock)) return content;
  return content.map((block: unknown, index) => {
    if (typeof block === "string") return textBlock(block);
    if (isBlock(block)) return block;
    throw invalidMessage(`Block ${index} of a message's content has no type`, block);
  });
}

export function textBlock(text: string): ContentBlock {
  return { type: "text", text };
}

/** Content as blocks: a text becomes one block, an empty text none. */
export function toBlocks(content: MessageContent): readonly ContentBlock[] {
  if (typeof content !== "string") return content;
  return content === "" ? [] : [textBlock(content)];
}

/** All texts of the content, joined. */
export function textOf(content: MessageContent): string {
  if (typeof content === "string") return content;
  let text = "";
  for (const block of content) {
    if (block.type === "text" && typeof block["text"] === "string") text += block["text"];
  }
  return text;
}

/** Content as blocks, with the tool calls that are not among them at the end. */
export function blocksWithCalls(
  content: MessageContent,
  calls: readonly ToolCall[],
): readonly ContentBlock[] {
  const blocks = toBlocks(content);
  const missing = calls.filter(
    (call) => !blocks.some((block) => block.type === "tool_call" && block["id"] === call.id),
  );
  return missing.length === 0 ? blocks : [...blocks, ...missing.map((call) => ({ ...call }))];
}

function isBlock(value: unknown): value is ContentBlock {
  return (
    typeof value === "object" &&
    value !== null &&
    typeof (value as { readonly type?: unknown }).type === "string"
  );
}
