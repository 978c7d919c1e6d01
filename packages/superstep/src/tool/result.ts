import { brandSymbol, hasBrand } from "../errors/brand.ts";
import { describe } from "../errors/describe.ts";
import { SuperstepError } from "../errors/errors.ts";
import { coerceMessage } from "../message/coerce.ts";
import { ToolMessage } from "../message/messages.ts";
import { mintId } from "../message/mint.ts";
import type { ContentBlock, MessageContent, ToolCall, ToolMessageData } from "../message/types.ts";
import { resultText } from "./text.ts";

/** A `Command`, as far as tools know of it. */
export interface CommandLike {
  readonly goto: readonly unknown[];
  readonly update?: unknown;
}

/** What a call comes to: the message for the model, or the command that the tool returned. */
export type ToolOutput = ToolMessage | CommandLike;

/** What a tool returned, taken apart. */
export interface ToolResult {
  readonly content: unknown;
  readonly artifact: unknown;
}

const commandMark = brandSymbol("Command");

/**
 * The outcome of `call`: a message with the result as its content, status "success". A message of a
 * tool and a command pass as they are.
 *
 * Throws `INVALID_TOOL_OUTPUT` for a message that answers another call.
 */
export function toOutput(call: ToolCall, { content, artifact }: ToolResult): ToolOutput {
  if (isCommandLike(content)) return content;
  const message = asToolMessage(content);
  if (message) return checkedMessage(call, message);
  return new ToolMessage({
    id: mintId("msg"),
    name: call.name,
    tool_call_id: call.id,
    status: "success",
    content: toMessageContent(content),
    artifact,
  });
}

/** A message of a tool: ours, plain data, or one of LangChain's, whose type is a method. */
function asToolMessage(value: unknown): ToolMessageData | undefined {
  if (ToolMessage.isInstance(value)) return value;
  if (typeof value !== "object" || value === null) return undefined;
  const { getType, _getType: olderGetType = getType } = value as ForeignMessage;
  if (typeof olderGetType !== "function" || olderGetType.call(value) !== "tool") return undefined;
  return coerceMessage(value) as ToolMessage;
}

interface ForeignMessage {
  readonly getType?: () => unknown;
  readonly _getType?: () => unknown;
}

/** Whether `value` is a command, whichever copy of the package made it. */
export function isCommandLike(value: unknown): value is CommandLike {
  return hasBrand(value, commandMark);
}

/** The message that tells the model that a call failed. */
export function errorMessageFor(call: Pick<ToolCall, "id" | "name">, content: string): ToolMessage {
  return new ToolMessage({
    id: mintId("msg"),
    name: call.name,
    tool_call_id: call.id,
    status: "error",
    content,
  });
}

/** The message itself, if it answers `call`; one of another library or from JSON becomes ours. */
export function checkedMessage(call: ToolCall, message: ToolMessageData): ToolMessage {
  if (message.tool_call_id === call.id) {
    return message instanceof ToolMessage ? message : new ToolMessage(message);
  }
  throw new SuperstepError(
    "INVALID_TOOL_OUTPUT",
    `Tool ${JSON.stringify(call.name)} answered call ${JSON.stringify(call.id)} with a message ` +
      `for call ${describe(message.tool_call_id)}.`,
    { fix: "Give the message the id in runtime.toolCallId, or return the content alone." },
  );
}

/** Content blocks and text as they are, everything else as text. */
function toMessageContent(value: unknown): MessageContent {
  return isBlocks(value) ? value : resultText(value);
}

function isBlocks(value: unknown): value is readonly ContentBlock[] {
  return Array.isArray(value) && value.length > 0 && value.every(isBlock);
}

function isBlock(value: unknown): value is ContentBlock {
  return (
    typeof value === "object" && value !== null && typeof Reflect.get(value, "type") === "string"
  );
}

/** The pair that a tool with `responseFormat: "content_and_artifact"` returns. */
export function splitArtifact(returned: unknown): ToolResult {
  if (Array.isArray(returned) && returned.length === 2) {
    const [content, artifact] = returned as readonly unknown[];
    return { content, artifact };
  }
  if (isCommandLike(returned) || ToolMessage.isInstance(returned)) {
    return { content: returned, artifact: undefined };
  }
  throw new SuperstepError(
    "INVALID_TOOL_OUTPUT",
    `Tool response format is "content_and_artifact" but the output was not a two-tuple.\n` +
      `Result: ${resultText(returned)}`,
    { fix: "Return [content, artifact]." },
  );
}
