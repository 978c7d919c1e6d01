import type { Runtime } from "../engine/runtime.ts";
import type { BaseMessage, SystemMessage } from "../message/messages.ts";
import type { BindableTool, ModelSettings, ToolChoice } from "../model/types.ts";
import type { Runnable } from "../runnable/runnable.ts";
import { bindSettings, bindTools, hasToolsBound, toolNames } from "./binding.ts";
import { invokeModel, type Trace } from "./invoke-model.ts";

/** The parts of one call of the model. */
export interface ModelRequestFields {
  readonly model: Runnable;
  /** The conversation, without the system message. */
  readonly messages: readonly BaseMessage[];
  /** Sent before the messages. */
  readonly systemMessage: SystemMessage | undefined;
  /** Bound to the model, unless it comes with tools bound. */
  readonly tools: readonly BindableTool[];
  readonly toolChoice: ToolChoice | undefined;
  readonly responseFormat: ModelSettings["responseFormat"];
  readonly modelSettings: ModelSettings;
  readonly state: unknown;
  readonly runtime: Runtime;
}

/** One call of the model as it is about to be made. Immutable: `override` gives a changed one. */
export class ModelRequest implements ModelRequestFields {
  declare readonly model: Runnable;
  declare readonly messages: readonly BaseMessage[];
  declare readonly systemMessage: SystemMessage | undefined;
  declare readonly tools: readonly BindableTool[];
  declare readonly toolChoice: ToolChoice | undefined;
  declare readonly responseFormat: ModelSettings["responseFormat"];
  declare readonly modelSettings: ModelSettings;
  declare readonly state: unknown;
  declare readonly runtime: Runtime;

  constructor(fields: ModelRequestFields) {
    Object.assign(this, fields);
    Object.freeze(this);
  }

  /** The text of the system message; "" when there is none. */
  get systemPrompt(): string {
    return this.systemMessage?.text ?? "";
  }

  /** The same request but for `fields`. */
  override(fields: Partial<ModelRequestFields>): ModelRequest {
    return new ModelRequest(Object.assign({}, this as ModelRequestFields, fields));
  }
}

/** Makes the call: tools and settings are bound, the system message comes first. */
export function executeModelRequest(request: ModelRequest, trace: Trace): Promise<unknown> {
  const { messages, systemMessage, runtime } = request;
  const input = systemMessage ? [systemMessage, ...messages] : messages;
  const model = boundModel(request);
  const call = { input, runtime, trace };
  return invokeModel(model, trace ? { ...call, tools: request.tools.flatMap(toolNames) } : call);
}

interface Binding extends Pick<
  ModelRequestFields,
  "tools" | "toolChoice" | "modelSettings" | "responseFormat"
> {
  readonly bound: Runnable;
}

/** The binding that a model was last given: requests of one agent are alike, so it is made once. */
const lastBinding = new WeakMap<Runnable, Binding>();

function boundModel(request: ModelRequest): Runnable {
  const { model, tools, toolChoice, modelSettings, responseFormat } = request;
  const last = lastBinding.get(model);
  if (
    last?.tools === tools &&
    last.toolChoice === toolChoice &&
    last.modelSettings === modelSettings &&
    last.responseFormat === responseFormat
  ) {
    return last.bound;
  }
  const settings: ModelSettings = {
    ...modelSettings,
    ...(toolChoice !== undefined && { tool_choice: toolChoice }),
    ...(responseFormat !== undefined && { responseFormat }),
  };
  const bound = bind(model, tools, settings);
  lastBinding.set(model, { tools, toolChoice, modelSettings, responseFormat, bound });
  return bound;
}

/** A model that comes with tools keeps them; settings are added to what it has. */
function bind(model: Runnable, tools: readonly BindableTool[], settings: ModelSettings): Runnable {
  if (tools.length > 0 && !hasToolsBound(model)) return bindTools(model, tools, settings);
  if (Object.keys(settings).length === 0) return model;
  return bindSettings(model, settings);
}
