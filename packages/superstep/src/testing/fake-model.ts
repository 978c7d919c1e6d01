import { describe } from "../errors/describe.ts";
import { SuperstepError } from "../errors/errors.ts";
import { coerceMessage, type MessageLike, type MessagesInput } from "../message/coerce.ts";
import {
  type AIMessage,
  AIMessageChunk,
  type AIMessageFields,
  type BaseMessage,
} from "../message/messages.ts";
import { type ConfigurableChatModel, createChatModel } from "../model/chat-model.ts";
import type { ModelPart, ModelPort, ModelRequest } from "../model/port.ts";
import { nameOfTool, resolveToolChoice } from "../model/tools.ts";
import type {
  BindableTool,
  CallOptions,
  ModelSettings,
  ProviderTool,
  ToolDefinition,
} from "../model/types.ts";
import { words } from "./wire.ts";

/** What a scripted model answers. */
export type FakeAnswer =
  | string
  | AIMessage
  | MessageLike
  | Error
  | {
      /** What is streamed, piece by piece. */
      readonly chunks: readonly (string | AIMessageChunk | AIMessageFields)[];
      /** Milliseconds before each piece. Default: none. */
      readonly delayMs?: number;
      /** Why the answer ends. Default: it is complete. `null`: it ends without a reason. */
      readonly finishReason?: string | null;
    };

/** Makes an answer out of what the model is asked. */
export type FakeAnswerFunction = (
  messages: readonly BaseMessage[],
  options: CallOptions,
) => FakeAnswer | Promise<FakeAnswer>;

export interface FakeModelOptions {
  /**
   * The answers, in order; or one function that gives them all. A message whose
   * `response_metadata.finish_reason` names no complete end ("length", "content_filter", ...) is
   * refused like that of a real model.
   */
  readonly responses: readonly (FakeAnswer | FakeAnswerFunction)[] | FakeAnswerFunction;
  /** Default: "fake". */
  readonly provider?: string;
  /** Default: "fake-model". */
  readonly modelName?: string;
}

/** One call of the model, as it was made. */
export interface FakeRequest {
  readonly messages: readonly BaseMessage[];
  readonly tools: readonly {
    readonly name: string;
    readonly definition: ToolDefinition | ProviderTool;
  }[];
  readonly tool_choice: string | undefined;
  /** All that was bound and set for this call. */
  readonly settings: ModelSettings;
  /** The options of the call itself. */
  readonly options: CallOptions;
}

interface Script {
  readonly responses: FakeModelOptions["responses"];
  readonly requests: FakeRequest[];
}

/**
 * A chat model that says its lines in order, for tests and examples: no network, no key. It streams
 * tokens and binds tools like a real one; bound copies share the script and the record. A line too
 * many throws `SCRIPT_EXHAUSTED`; `assertFinished()` throws `SCRIPT_UNFINISHED` when some are left.
 *
 * @example
 * const model = new FakeChatModel({
 *   responses: [
 *     new AIMessage({ content: "", tool_calls: [{ name: "add", args: { a: 1, b: 2 } }] }),
 *     "The sum is 3.",
 *   ],
 * });
 */
export class FakeChatModel implements ConfigurableChatModel {
  readonly #script: Script;
  readonly #model: ConfigurableChatModel;

  constructor(options: FakeModelOptions) {
    const bound = boundCopy.get(options);
    this.#script = bound?.script ?? { responses: checked(options), requests: [] };
    this.#model = bound?.model ?? createChatModel(fakePort(this.#script, options));
  }

  get settings(): ModelSettings {
    return this.#model.settings;
  }

  get provider(): string {
    return this.#model.provider;
  }

  get modelName(): string {
    return this.#model.modelName;
  }

  /** The calls so far, those of bound copies included. */
  get requests(): readonly FakeRequest[] {
    return this.#script.requests;
  }

  invoke(input: MessagesInput, options?: CallOptions): Promise<AIMessage> {
    return this.#model.invoke(input, options);
  }

  stream(input: MessagesInput, options?: CallOptions): AsyncIterable<AIMessageChunk> {
    return this.#model.stream(input, options);
  }

  bindTools(tools: readonly BindableTool[], settings?: ModelSettings): FakeChatModel {
    return this.#copy(this.#model.bindTools(tools, settings));
  }

  bind(settings: ModelSettings): FakeChatModel {
    return this.#copy(this.#model.bind(settings));
  }

  withConfig(settings: ModelSettings): FakeChatModel {
    return this.bind(settings);
  }

  /** Throws `SCRIPT_UNFINISHED`, which names what is left, when not all lines were said. */
  assertFinished(): void {
    const { responses, requests } = this.#script;
    const left = typeof responses === "function" ? [] : responses.slice(requests.length);
    if (left.length === 0) return;
    const lines = left.length === 1 ? "1 line" : `${left.length} lines`;
    throw new SuperstepError(
      "SCRIPT_UNFINISHED",
      `The scripted model has ${lines} left over: ${left.map(describe).join("; ")}.`,
      { fix: "Make the calls that are missing, or remove the lines." },
    );
  }

  #copy(model: ConfigurableChatModel): FakeChatModel {
    const options: FakeModelOptions = { responses: this.#script.responses };
    boundCopy.set(options, { script: this.#script, model });
    return new FakeChatModel(options);
  }
}
/** How a copy is told apart from a new model, without a parameter that users would see. */
const boundCopy = new WeakMap<
  FakeModelOptions,
  { readonly script: Script; readonly model: ConfigurableChatModel }
>();

function checked(options: FakeModelOptions): FakeModelOptions["responses"] {
  const responses: unknown = options?.responses;
  if (Array.isArray(responses)) return [...(responses as readonly FakeAnswer[])];
  if (typeof responses === "function") return options.responses;
  throw new SuperstepError(
    "INVALID_OPTION",
    `FakeChatModel needs responses: got ${describe(options)}.`,
    { fix: 'Give { responses: ["Hello", ...] }, or a function (messages, options) => answer.' },
  );
}

function fakePort(script: Script, options: FakeModelOptions): ModelPort {
  /** The line is taken before anything is awaited, so that calls get theirs in order. */
  const answer = async (request: ModelRequest): Promise<FakeAnswer> => {
    const { responses, requests } = script;
    requests.push(record(request));
    const line = typeof responses === "function" ? responses : responses[requests.length - 1];
    if (line === undefined) throw exhausted(script);
    return typeof line === "function" ? line(request.messages, request.options ?? {}) : line;
  };
  async function* stream(request: ModelRequest): AsyncGenerator<ModelPart, void, undefined> {
    const given = await answer(request);
    if (!isScriptedStream(given)) {
      yield* partsOf(given, true);
      return;
    }
    for (const chunk of given.chunks) {
      if (given.delayMs !== undefined) await pause(given.delayMs, request.signal);
      yield { type: "chunk", chunk: asChunk(chunk) };
    }
    yield endOf(given);
  }
  async function generate(request: ModelRequest): Promise<readonly ModelPart[]> {
    const given = await answer(request);
    if (!isScriptedStream(given)) return partsOf(given, false);
    const { chunks, delayMs } = given;
    if (delayMs !== undefined) await pause(delayMs * chunks.length, request.signal);
    return [
      ...chunks.map((chunk): ModelPart => ({ type: "chunk", chunk: asChunk(chunk) })),
      endOf(given),
    ];
  }
  const { provider = "fake", modelName = "fake-model" } = options;
  return { provider, modelName, stream, generate };
}

type ScriptedStream = Extract<FakeAnswer, { readonly chunks: unknown }>;

function isScriptedStream(answer: FakeAnswer): answer is ScriptedStream {
  return typeof answer === "object" && "chunks" in answer && Array.isArray(answer.chunks);
}

function endOf({ finishReason, chunks }: ScriptedStream): ModelPart {
  if (finishReason !== undefined) {
    return { type: "finish", reason: finishReason === null ? undefined : unified(finishReason) };
  }
  const given = chunks.findLast(
    (chunk) =>
      typeof chunk !== "string" && chunk.response_metadata?.["finish_reason"] !== undefined,
  ) as AIMessageChunk | undefined;
  return { type: "finish", reason: unified(given?.response_metadata["finish_reason"]) };
}

function asChunk(chunk: ScriptedStream["chunks"][number]): AIMessageChunk {
  if (typeof chunk === "string") return new AIMessageChunk(chunk);
  return chunk instanceof AIMessageChunk ? chunk : new AIMessageChunk(chunk);
}

/** A whole answer in parts: its text in words when it is streamed, then the rest. */
function partsOf(answer: FakeAnswer, streamed: boolean): readonly ModelPart[] {
  if (answer instanceof Error) throw answer;
  if (typeof answer === "string") {
    const pieces = streamed ? words(answer) : [answer];
    return [
      ...pieces.map((text): ModelPart => ({ type: "text", text })),
      { type: "finish", reason: "stop" },
    ];
  }
  const message = asAnswer(answer);
  const { content, type: _, ...rest } = message.toJSON();
  const parts: ModelPart[] = [];
  if (streamed) {
    const { id } = message;
    const pieces = typeof content === "string" ? words(content) : [];
    for (const text of pieces) {
      parts.push({ type: "chunk", chunk: new AIMessageChunk({ content: text, id }) });
    }
    const fields = { ...(rest as AIMessageFields), content: pieces.length > 0 ? "" : content };
    parts.push({ type: "chunk", chunk: new AIMessageChunk(fields) });
  }
  const reason = unified(message.response_metadata["finish_reason"]);
  parts.push({ type: "message", message }, { type: "finish", reason });
  return parts;
}

function asAnswer(answer: unknown): AIMessage {
  const message = coerceMessage(answer);
  if (message.type === "ai") return message;
  throw new SuperstepError(
    "INVALID_OPTION",
    `A scripted model answers with messages of type ai: got ${describe(answer)}.`,
    {
      fix: 'Script a text, new AIMessage(...), { role: "assistant", ... }, an Error or { chunks }.',
    },
  );
}

/** Reasons as the providers name them. None in a script means a complete answer. */
const names: ReadonlyMap<unknown, string> = new Map([
  [undefined, "stop"],
  ["tool_calls", "tool-calls"],
  ["tool_use", "tool-calls"],
  ["end_turn", "stop"],
  ["STOP", "stop"],
  ["max_tokens", "length"],
  ["MAX_TOKENS", "length"],
  ["content_filter", "content-filter"],
  ["refusal", "content-filter"],
  ["SAFETY", "content-filter"],
]);

function unified(reason: unknown): string {
  return names.get(reason) ?? String(reason);
}

function record(request: ModelRequest): FakeRequest {
  const { messages, settings, options, tools = [] } = request;
  // A choice that a real model would refuse is refused here too.
  resolveToolChoice(settings.tool_choice, request.tools);
  return {
    messages,
    tools: tools.map((definition) => ({
      name: nameOfTool(definition) ?? String(definition["type"]),
      definition,
    })),
    tool_choice: settings.tool_choice,
    settings,
    options: options ?? {},
  };
}

function exhausted({ responses, requests }: Script): SuperstepError {
  const last = requests.at(-1)?.messages.at(-1);
  return new SuperstepError(
    "SCRIPT_EXHAUSTED",
    `The scripted model has ${responses.length} lines and was asked for line ${requests.length}` +
      `${last ? `, after a message of type ${last.type}: ${describe(last.text)}` : ""}.`,
    { fix: "Add the line that is missing to responses, or find out why there is one call more." },
  );
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", onAbort);
      resolve();
    }, ms);
    signal.addEventListener("abort", onAbort, { once: true });
  });
}
