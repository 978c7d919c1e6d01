import { textOf, toBlocks } from "../message/content.ts";
import type { AIMessage, BaseMessage, ToolMessage } from "../message/messages.ts";
import type { ContentBlock, InvalidToolCall } from "../message/types.ts";
import { mediaOfResult, mediaPart } from "./ai-sdk-media.ts";
import type { AiSdkMessage, AiSdkPromptPart } from "./ai-sdk-shapes.ts";
import { isOwn, isRecord, optionsOfBlock, providerOptionsOf, type Target } from "./family.ts";

type Parts = AiSdkPromptPart[];

/** What the conversion has learned from the messages before. */
interface History {
  readonly to: Target;
  /** The names of the tools called so far, by id of the call. */
  readonly toolNames: Map<string, string>;
  /** The calls that are answered. */
  readonly answered: ReadonlySet<string>;
}

/**
 * Messages as the prompt of an AI SDK model. Blocks that the target does not know are left out, with
 * one warning for each kind; what a provider made opaque goes back to that provider only. Empty
 * texts, and messages that hold nothing, are left out. Results of tools in a row are one message.
 */
export function toPrompt(messages: readonly BaseMessage[], to: Target): readonly AiSdkMessage[] {
  const prompt: AiSdkMessage[] = [];
  const history: History = { to, toolNames: new Map(), answered: answeredCalls(messages) };
  let results: Parts | undefined;
  for (const message of messages) {
    if (message.type === "tool") {
      const part = toolResult(message, history);
      if (results) results.push(part);
      else prompt.push({ role: "tool", content: (results = [part]) });
      continue;
    }
    results = undefined;
    const converted = convertMessage(message, history);
    if (converted) prompt.push(converted);
  }
  return prompt;
}

function convertMessage(
  message: Exclude<BaseMessage, ToolMessage>,
  history: History,
): AiSdkMessage | undefined {
  const { to } = history;
  switch (message.type) {
    case "system": {
      const content = textOf(message.content);
      if (content === "") return undefined;
      const last = toBlocks(message.content).at(-1);
      const providerOptions = last && optionsOfBlock(last, to);
      return { role: "system", content, ...(providerOptions && { providerOptions }) };
    }
    case "human": {
      const content = userParts(message.content, to);
      return content.length === 0 ? undefined : { role: "user", content };
    }
    case "ai": {
      const content = assistantParts(message, history);
      return content.length === 0 ? undefined : { role: "assistant", content };
    }
    case "remove":
      return undefined;
    default:
      return message satisfies never;
  }
}

function userParts(content: BaseMessage["content"], to: Target): Parts {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  const parts: Parts = [];
  for (const block of content) {
    const part = textPart(block, to) ?? mediaPart(block, to);
    if (part) parts.push(part);
    else if (!isEmptyText(block)) leftOut(block, to, "a message of the user");
  }
  return parts;
}

function assistantParts(message: AIMessage, history: History): Parts {
  const { to, toolNames } = history;
  const origin = message.response_metadata["model_provider"];
  const parts: Parts = [];
  const calls = new Map(message.tool_calls.map((call) => [call.id, call]));
  const addCall = (id: unknown): void => {
    const call = calls.get(id as string);
    if (!call) return;
    calls.delete(call.id);
    toolNames.set(call.id, call.name);
    // The mark that the reader of answers sets on a call of a tool that takes a plain text.
    const { superstep: own } = (call.provider ?? {}) as { superstep?: { plainText?: boolean } };
    const input = own?.plainText === true ? call.args["input"] : call.args;
    parts.push(callPart(call.id, call.name, input, providerOptionsOf(call, to)));
  };
  for (const block of toBlocks(message.content)) {
    // A call stands among the blocks where its place matters; what it says is in `tool_calls`.
    if (callBlocks.has(block.type)) addCall(block["id"]);
    else {
      const part = assistantPart(block, origin, to);
      if (part) parts.push(part);
    }
  }
  for (const id of calls.keys()) addCall(id);
  for (const call of message.invalid_tool_calls) {
    if (call.id === undefined || !history.answered.has(call.id)) continue;
    const name = call.name ?? "unknown";
    toolNames.set(call.id, name);
    parts.push(callPart(call.id, name, argsOf(call), undefined));
  }
  return parts;
}
// "tool_use" is Anthropic's name, "functionCall" Gemini's, in messages that LangChain made.
const callBlocks: ReadonlySet<string> = new Set(["tool_call", "tool_use", "functionCall"]);

function callPart(
  toolCallId: string,
  toolName: string,
  input: unknown,
  providerOptions: AiSdkPromptPart["providerOptions"],
): AiSdkPromptPart {
  const part = { type: "tool-call", toolCallId, toolName, input };
  return providerOptions ? { ...part, providerOptions } : part;
}

/** Arguments that do not parse cannot be sent; the error in the answer shows them to the model. */
function argsOf({ args }: InvalidToolCall): unknown {
  try {
    const parsed: unknown = JSON.parse(args ?? "{}");
    return isRecord(parsed) ? parsed : {};
  } catch {
    return {};
  }
}

/** A block of an answer that is no call, for the target; `undefined` when it must not see it. */
function assistantPart(
  block: ContentBlock,
  origin: unknown,
  to: Target,
): AiSdkPromptPart | undefined {
  const own = isOwn(block, origin, to);
  switch (block.type) {
    case "text":
      return textPart(block, to);
    case "reasoning":
    case "thinking":
      return own ? reasoningPart(block, to) : undefined;
    case "server_tool_call":
      return own ? serverCall(block, to) : undefined;
    case "server_tool_call_result":
      return own ? serverResult(block, to) : undefined;
    case "non_standard":
      return own ? nonStandard(block, to) : undefined;
    default: {
      const media = own ? mediaPart(block, to) : undefined;
      if (!media) leftOut(block, to, "an answer");
      return media;
    }
  }
}

function textPart(block: ContentBlock, to: Target): AiSdkPromptPart | undefined {
  const { type, text } = block;
  if ((type !== "text" && type !== "input_text") || typeof text !== "string") return undefined;
  const providerOptions = optionsOfBlock(block, to);
  // A Gemini signature may come on an empty text and has to go back on it.
  const signed = to.family === "google" && providerOptions !== undefined;
  if (text === "" && !signed) return undefined;
  return providerOptions ? { type: "text", text, providerOptions } : { type: "text", text };
}

/**
 * Anthropic and OpenAI take back only reasoning that they signed or stored; an unsigned block is an
 * error for the whole request.
 */
function reasoningPart(block: ContentBlock, to: Target): AiSdkPromptPart | undefined {
  if (!to.replaysReasoning) return undefined;
  const text = block["reasoning"] ?? block["thinking"];
  const given = providerOptionsOf(block, to) ?? signatureOf(block, to);
  if (given === undefined && needsSignature.has(to.family)) return undefined;
  if (to.family === "anthropic") {
    const data = given?.["anthropic"];
    if (!isRecord(data) || (!data["signature"] && !data["redactedData"])) return undefined;
  }
  const part = { type: "reasoning", text: typeof text === "string" ? text : "" };
  return given ? { ...part, providerOptions: given } : part;
}
const needsSignature: ReadonlySet<string> = new Set(["anthropic", "openai", "azure", "bedrock"]);

/** LangChain keeps Anthropic's signature on the block itself. */
function signatureOf(block: ContentBlock, to: Target): AiSdkPromptPart["providerOptions"] {
  const { signature } = block as { readonly signature?: unknown };
  if (to.family !== "anthropic" || typeof signature !== "string") return undefined;
  return { anthropic: { signature } };
}

function serverCall(block: ContentBlock, to: Target): AiSdkPromptPart {
  const { id, name, args } = block as Readonly<Record<string, unknown>>;
  const part = callPart(String(id), String(name), args, providerOptionsOf(block, to));
  return { ...part, providerExecuted: true };
}

function serverResult(block: ContentBlock, to: Target): AiSdkPromptPart {
  const { tool_call_id, name, output, status } = block as Readonly<Record<string, unknown>>;
  const type = status === "error" ? "error-json" : "json";
  const providerOptions = providerOptionsOf(block, to);
  return {
    type: "tool-result",
    toolCallId: String(tool_call_id),
    toolName: String(name),
    output: { type, value: output },
    ...(providerOptions && { providerOptions }),
  };
}

/** What a provider package made that has no standard form goes back as it came, if it may. */
function nonStandard(block: ContentBlock, to: Target): AiSdkPromptPart | undefined {
  const { value } = block;
  if (!isRecord(value) || to.version !== "v4") return undefined;
  const { type, kind, mediaType, data } = value;
  const providerOptions = providerOptionsOf(block, to);
  const options = providerOptions && { providerOptions };
  if (type === "custom") return { type, kind, ...options };
  if (type === "reasoning-file") return { type, mediaType, data, ...options };
  return undefined;
}

function toolResult(message: ToolMessage, { to, toolNames }: History): AiSdkPromptPart {
  const { tool_call_id: toolCallId, content, status } = message;
  const toolName = message.name ?? toolNames.get(toolCallId) ?? "unknown";
  const parts = typeof content === "string" ? [] : resultParts(content, to);
  const plain = parts.every((part) => part.type === "text" && !part.providerOptions);
  const output = plain
    ? { type: status === "error" ? "error-text" : "text", value: textOf(content) }
    : { type: "content", value: parts };
  return { type: "tool-result", toolCallId, toolName, output };
}

function resultParts(content: readonly ContentBlock[], to: Target): Parts {
  const parts: Parts = [];
  for (const block of content) {
    const part = textPart(block, to) ?? mediaOfResult(block, to);
    if (part) parts.push(part);
    else if (!isEmptyText(block)) leftOut(block, to, "the result of a tool");
  }
  return parts;
}

function answeredCalls(messages: readonly BaseMessage[]): ReadonlySet<string> {
  const answered = new Set<string>();
  for (const message of messages) if (message.type === "tool") answered.add(message.tool_call_id);
  return answered;
}

function isEmptyText(block: ContentBlock): boolean {
  return block.type === "text" && (block["text"] === "" || block["text"] === undefined);
}

function leftOut(block: ContentBlock, to: Target, where: string): void {
  if (isEmptyText(block)) return;
  to.warn(`A block of type "${block.type}" in ${where} is unknown to ${to.family}: not sent.`);
}
