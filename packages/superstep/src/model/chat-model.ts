import { coerceMessages, type MessagesInput } from "../message/coerce.ts";
import type { AIMessage, AIMessageChunk } from "../message/messages.ts";
import { ModelCall, pieces } from "./call.ts";
import type { ModelPort } from "./port.ts";
import { checkOptions, mergeSettings } from "./settings.ts";
import type { BindableTool, CallOptions, ChatModel, ModelSettings } from "./types.ts";

/** A chat model on top of a port. All our models are of this kind. */
class PortModel implements ChatModel {
  readonly settings: ModelSettings;
  readonly #port: ModelPort;

  constructor(port: ModelPort, settings: ModelSettings) {
    this.#port = port;
    this.settings = settings;
    Object.freeze(this);
  }

  get provider(): string {
    return this.#port.provider;
  }

  get modelName(): string {
    return this.#port.modelName;
  }

  async invoke(input: MessagesInput, options?: CallOptions): Promise<AIMessage> {
    return this.#call(input, options).collect();
  }

  stream(
    input: MessagesInput,
    options?: CallOptions,
  ): AsyncGenerator<AIMessageChunk, void, undefined> {
    return pieces(() => this.#call(input, options));
  }

  bindTools(tools: readonly BindableTool[], settings?: ModelSettings): PortModel {
    checkOptions(settings, "bindTools()");
    return this.#with(mergeSettings(mergeSettings(this.settings, { tools }), settings ?? {}));
  }

  bind(settings: ModelSettings): PortModel {
    checkOptions(settings, "bind()");
    return this.#with(mergeSettings(this.settings, settings));
  }

  /** The same as `bind()`, under LangChain's newer name. */
  withConfig(settings: ModelSettings): PortModel {
    return this.bind(settings);
  }

  #with(settings: ModelSettings): PortModel {
    return new PortModel(this.#port, settings);
  }

  #call(input: MessagesInput, options: CallOptions | undefined): ModelCall {
    checkOptions(options, "A call of a model");
    const settings = options ? mergeSettings(this.settings, options) : this.settings;
    return new ModelCall(this.#port, { messages: coerceMessages(input), settings, options });
  }
}

/** What `createChatModel` makes: a chat model that also has LangChain's `withConfig`. */
export interface ConfigurableChatModel extends ChatModel {
  bindTools(tools: readonly BindableTool[], settings?: ModelSettings): ConfigurableChatModel;
  bind(settings: ModelSettings): ConfigurableChatModel;
  /** The same as `bind()`, under LangChain's newer name. */
  withConfig(settings: ModelSettings): ConfigurableChatModel;
}

/**
 * The chat model that stands on `port`. Throws `UNKNOWN_OPTION` for settings that no model has.
 *
 * Inside a running task, tokens are streamed to whoever reads the run's messages, also when the
 * task called `invoke`; a call tagged `nostream` keeps them to itself.
 */
export function createChatModel(
  port: ModelPort,
  settings: ModelSettings = {},
): ConfigurableChatModel {
  checkOptions(settings, "A model");
  return new PortModel(port, mergeSettings({}, settings));
}
