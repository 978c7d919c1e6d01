import type { ContentBlock } from "../message/types.ts";
import { fileBlock } from "./ai-sdk-media.ts";
import type { AiSdkFinish, AiSdkPart, AiSdkResult, AiSdkWarning } from "./ai-sdk-shapes.ts";
import { toUsage } from "./ai-sdk-usage.ts";
import { ModelError } from "./errors.ts";
import { toModelError } from "./failure.ts";
import { isRecord } from "./family.ts";
import type { ModelPart, ProviderData } from "./port.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Who answers, for the message's metadata and for errors. */
export interface Origin {
  /** "openai", "anthropic", ... */
  readonly provider: string;
  readonly modelName: string;
  readonly warn: (text: string) => void;
}

/** Reads the parts of one answer, streamed or whole, of any version of the specification. */
export class AiSdkReader {
  readonly #origin: Origin;
  /** Data of blocks that are open, until a piece of the block carries it. */
  readonly #pending = new Map<string, ProviderData>();
  /** Calls whose arguments are on their way. */
  readonly #openCalls = new Set<string>();
  /** Calls whose input is not streamed on: of the provider's own tools, and plain texts. */
  readonly #hiddenInputs = new Set<string>();
  readonly #sources: unknown[] = [];
  #metadata: { readonly id?: string | undefined; readonly modelId?: string | undefined } = {};

  constructor(origin: Origin) {
    this.#origin = origin;
  }

  /** Adds what a part of a stream amounts to. Throws the error that a part reports. */
  read(part: AiSdkPart, into: ModelPart[]): void {
    switch (part.type) {
      case "text-delta":
      case "text-end":
        return this.#text("text", part, into);
      case "reasoning-delta":
      case "reasoning-end":
        return this.#text("reasoning", part, into);
      case "text-start":
      case "reasoning-start":
        return this.#begin(part);
      case "tool-input-start":
      case "tool-input-delta":
        return this.#toolInput(part, into);
      default:
        if (!this.#readEnvelope(part, into)) this.#whole(part, into);
    }
  }

  /** What is about the answer rather than of it. */
  #readEnvelope(part: AiSdkPart, into: ModelPart[]): boolean {
    switch (part.type) {
      case "finish":
        into.push(this.#finish(part));
        return true;
      case "response-metadata":
        this.#metadata = { ...this.#metadata, ...defined({ id: part.id, modelId: part.modelId }) };
        return true;
      case "stream-start":
        this.#warnings(part.warnings);
        return true;
      case "error":
        this.#error(part.error);
        return true;
      default:
        return part.type === "tool-input-end" || part.type === "raw" || part.type === "ping";
    }
  }

  #toolInput(part: AiSdkPart, into: ModelPart[]): void {
    const { id = "", delta: args = "", toolName: name } = part;
    if (part.type === "tool-input-delta") {
      if (!this.#hiddenInputs.has(id)) into.push({ type: "tool-call-delta", id, args });
    } else if (part.providerExecuted === true || part.inputEncoding === "text") {
      this.#hiddenInputs.add(id);
    } else {
      this.#openCalls.add(id);
      into.push({ type: "tool-call-delta", id, name, args });
    }
  }

  /** The parts of a whole answer. */
  readResult(answer: AiSdkResult): readonly ModelPart[] {
    const parts: ModelPart[] = [];
    this.#warnings(answer.warnings);
    const { id, modelId } = answer.response ?? {};
    this.#metadata = defined({ id, modelId });
    thoughtsFirst(answer.content).forEach((part, index) => {
      const { type, text = "" } = part;
      if (type !== "text" && type !== "reasoning") this.read(part, parts);
      // Each is a block of its own, as if it had been streamed.
      else this.#text(type, { ...part, id: String(index), delta: text }, parts);
    });
    parts.push(this.#finish(answer));
    return parts;
  }

  #begin({ id = "", providerMetadata }: AiSdkPart): void {
    const data = presentData(providerMetadata);
    if (data) this.#pending.set(id, data);
  }

  #text(type: "text" | "reasoning", part: AiSdkPart, into: ModelPart[]): void {
    const { id = "", delta: text = "" } = part;
    // Most pieces are plain text: nothing is looked up or made for them.
    if (this.#pending.size === 0 && part.providerMetadata === undefined && !part.citations) {
      if (type === "text") {
        into.push({ type, text, block: id });
        return;
      }
    }
    const data = mergeData(this.#pending.get(id), presentData(part.providerMetadata));
    // Data that arrives before the text waits for it; at the end there is no more to wait for.
    if (text === "" && data && !part.type.endsWith("-end")) {
      this.#pending.set(id, data);
      return;
    }
    this.#pending.delete(id);
    const annotations = part.citations?.length ? part.citations : undefined;
    const provider = type === "reasoning" ? this.#marked(id, data, text) : data;
    into.push({ type, text, block: id, provider, annotations });
  }

  /** Reasoning always says whose it is, once in a block: nobody else may be sent it. */
  #marked(id: string, data: ProviderData | undefined, text: string): ProviderData | undefined {
    if (this.#markedBlock === id || (text === "" && !data)) return data;
    this.#markedBlock = id;
    return data ?? { [this.#origin.provider]: {} };
  }
  #markedBlock: string | undefined;

  /** A call, finished: one to execute, or one that the provider executes itself. */
  #toolCall(part: AiSdkPart, into: ModelPart[]): void {
    const { toolCallId: id = "", toolName: name = "", input } = part;
    const data = presentData(part.providerMetadata);
    const isOpen = this.#openCalls.delete(id);
    const args = typeof input === "string" ? input : JSON.stringify(input ?? {});
    if (part.providerExecuted !== true) {
      into.push({ type: "tool-call", id, name, ...argsOf(args, data) });
      return;
    }
    if (isOpen) into.push({ type: "tool-call-withdrawn", id });
    const provider = data ?? { [this.#origin.provider]: {} };
    into.push({
      type: "block",
      block: { type: "server_tool_call", id, name, args: parsed(args), provider },
    });
  }

  /** A part that comes at once. */
  #whole(part: AiSdkPart, into: ModelPart[]): void {
    const data = presentData(part.providerMetadata);
    const provider = data ?? { [this.#origin.provider]: {} };
    switch (part.type) {
      case "tool-call":
        this.#toolCall(part, into);
        return;
      case "tool-result":
        if (part.preliminary !== true) into.push({ type: "block", block: result(part, provider) });
        return;
      case "file":
        into.push({ type: "block", block: fileBlock(part, provider) });
        return;
      case "source": {
        const { type: _, providerMetadata: __, ...source } = part;
        this.#sources.push(data ? { ...source, provider: data } : source);
        return;
      }
      case "custom":
        // Says again what the response's metadata say.
        if (part.kind === "anthropic.message_start") return;
        into.push({ type: "block", block: nonStandard(part, provider) });
        return;
      default:
        into.push({ type: "block", block: nonStandard(part, provider) });
    }
  }

  #finish({ finishReason, usage, providerMetadata }: AiSdkFinish): ModelPart {
    const reason = typeof finishReason === "object" ? finishReason.unified : finishReason;
    const raw = typeof finishReason === "object" ? finishReason.raw : undefined;
    const data = presentData(providerMetadata);
    const { id, modelId } = this.#metadata;
    const metadata = defined({
      model_provider: this.#origin.provider,
      model_name: modelId || this.#origin.modelName,
      finish_reason: raw ?? reason,
      id: id || undefined,
      sources: this.#sources.length > 0 ? this.#sources : undefined,
      provider: data,
    });
    return {
      type: "finish",
      reason,
      detail: detailOf(data),
      usage: toUsage(usage),
      metadata,
    };
  }

  /**
   * A line of the stream that is not what it should be is reported and passed over; but not amid the
   * arguments of a call, which without it might say something else.
   */
  #error(error: unknown): void {
    const { name } = error as { readonly name?: unknown };
    if (name !== "AI_JSONParseError" && name !== "AI_TypeValidationError") {
      throw toModelError(error, this.#origin);
    }
    const { provider, modelName, warn } = this.#origin;
    const where = `${provider}:${modelName} sent a line that cannot be read`;
    if (this.#openCalls.size === 0)
      return warn(`${where}: passed over. ${String(error).slice(0, 200)}`);
    throw new ModelError(
      `${where}, amid the arguments of a tool call.`,
      { provider, modelName, status: undefined, retryAfterMs: undefined, retryable: true },
      { fix: "Try again; nothing has been retried.", cause: error },
    );
  }

  #warnings(warnings: readonly AiSdkWarning[] | undefined): void {
    for (const warning of warnings ?? []) {
      const { type, feature, setting, details, message, tool } = warning;
      const what = feature ?? (typeof setting === "string" ? setting : tool?.name);
      const text = [what, details ?? message].filter((part) => part !== undefined).join(": ");
      this.#origin.warn(`${this.#origin.provider}:${this.#origin.modelName}: ${type}: ${text}`);
    }
  }
}

/**
 * Chat completions say nothing of the order of reasoning and text, and packages put them either way;
 * when they are streamed the reasoning is first. Where there is an order, reasoning carries data.
 */
function thoughtsFirst(content: readonly AiSdkPart[]): readonly AiSdkPart[] {
  if (!content.some(isThought)) return content;
  return [...content.filter(isThought), ...content.filter((part) => !isThought(part))];
}

function isThought(part: AiSdkPart): boolean {
  return part.type === "reasoning" && part.providerMetadata === undefined;
}

/**
 * Arguments are an object. A tool that takes a plain text (OpenAI's custom tools) gets `{ input }`,
 * marked so that the text goes back as a text.
 */
function argsOf(
  args: string,
  provider: ProviderData | undefined,
): { readonly args: string; readonly provider: ProviderData | undefined } {
  const text = args.startsWith('"') ? parsed(args) : undefined;
  if (typeof text !== "string" || text === args) return { args, provider };
  return { args: JSON.stringify({ input: text }), provider: { ...provider, ...plainText } };
}
const plainText: ProviderData = { superstep: { plainText: true } };

function nonStandard(part: AiSdkPart, provider: ProviderData): ContentBlock {
  const { providerMetadata: _, ...value } = part;
  return { type: "non_standard", value, provider };
}

function result(part: AiSdkPart, provider: ProviderData): ContentBlock {
  return {
    type: "server_tool_call_result",
    tool_call_id: part.toolCallId,
    name: part.toolName,
    status: part.isError === true ? "error" : "success",
    output: part.result,
    provider,
  };
}

/** Data without what is null or empty; `undefined` when nothing is left. */
function presentData(metadata: AiSdkPart["providerMetadata"]): ProviderData | undefined {
  if (!metadata) return undefined;
  let present: Record<string, unknown> | undefined;
  for (const [key, value] of Object.entries(metadata)) {
    if (!isRecord(value)) continue;
    const data = Object.entries(value).filter(([, item]) => item !== undefined && item !== null);
    if (data.length > 0) (present ??= {})[key] = Object.fromEntries(data);
  }
  return present;
}

function mergeData(
  before: ProviderData | undefined,
  more: ProviderData | undefined,
): ProviderData | undefined {
  if (!before || !more) return more ?? before;
  const merged: Record<string, unknown> = { ...before };
  for (const [key, data] of Object.entries(more)) {
    merged[key] = { ...(merged[key] as Fields | undefined), ...(data as Fields) };
  }
  return merged;
}

/** What a provider says on why it ended: Anthropic on a refusal, Gemini on a finish. */
function detailOf(data: ProviderData | undefined): string | undefined {
  for (const value of Object.values(data ?? {})) {
    const { stopDetails, finishMessage } = value as Fields;
    const text = (isRecord(stopDetails) ? stopDetails["explanation"] : undefined) ?? finishMessage;
    if (typeof text === "string") return text.replace(/\.$/, "");
  }
  return undefined;
}

function parsed(args: string): unknown {
  try {
    return args === "" ? {} : JSON.parse(args);
  } catch {
    return args; // the provider ran it and knows what it was
  }
}

function defined<Value extends object>(fields: Value): Value {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Value;
}
