import { SuperstepError } from "../errors/errors.ts";
import type { BindableTool, ChatModel, ModelSettings } from "../model/types.ts";
import { isRunnable, type Runnable, RunnableSequence } from "../runnable/runnable.ts";

/** What an agent asks of a model: our chat models, and foreign ones of the same shape. */
export interface ModelLike extends Runnable {
  bindTools?(tools: readonly BindableTool[], settings?: ModelSettings): unknown;
  bind?(settings: ModelSettings): unknown;
  readonly settings?: ModelSettings;
}

/** A bound model of another library keeps its settings here. */
interface ForeignBinding {
  readonly kwargs?: { readonly tools?: readonly unknown[]; readonly tool_choice?: unknown };
  readonly config?: { readonly tools?: readonly unknown[]; readonly tool_choice?: unknown };
}

/**
 * Whether tools still have to be bound to `model`: not when the caller has bound them, in which case
 * they must be the ones of the agent. Looks inside a sequence. `builtin` counts the provider's own
 * tools among the agent's; `agent` names the factory in the error.
 *
 * Throws `TOOLS_MISMATCH` when other tools are bound than the agent has.
 */
export function shouldBindTools(model: unknown, tools: AgentTools, agent: string): boolean {
  const bound = boundTools(modelIn(model));
  if (bound === undefined) return true;
  const expected = bound.flatMap(declarationsIn).length - tools.builtin.length;
  if (tools.names.length !== expected) {
    throw mismatch(
      `Number of tools in the model.bindTools() and tools passed to ${agent} must match` +
        ` Got ${tools.names.length} tools, expected ${expected}`,
    );
  }
  const names = new Set(bound.flatMap(namesOf));
  const missing = tools.names.filter((name) => !names.has(name));
  if (missing.length > 0) {
    throw mismatch(`Missing tools '${JSON.stringify(missing)}' in the model.bindTools()`);
  }
  return false;
}

/** Whether the caller has bound tools to the model. */
export function hasToolsBound(model: unknown): boolean {
  return boundTools(modelIn(model)) !== undefined;
}

/** The tools bound to a model by name, or by type where they have none; `undefined` when none is known. */
export function boundToolNames(model: unknown): readonly string[] | undefined {
  return boundTools(modelIn(model))?.flatMap(toolNames);
}

/** The names in an entry, and the type of one that has no name. */
export function toolNames(entry: unknown): string[] {
  const names = namesOf(entry);
  if (names.length > 0) return names;
  const type = (entry as { readonly type?: unknown } | null)?.type;
  return [typeof type === "string" ? type : "unknown"];
}

/** The tool choice bound to a model, as a text. */
export function boundToolChoice(model: unknown): string | undefined {
  const { settings, kwargs, config } = modelIn(model) as Partial<ChatModel> & ForeignBinding;
  const choice: unknown = settings?.tool_choice ?? kwargs?.tool_choice ?? config?.tool_choice;
  if (typeof choice !== "object" || choice === null) return choice as string | undefined;
  return namesOf(choice)[0] ?? (choice as { readonly type?: string }).type;
}

/** What a model is called in the trace. */
export function modelLabel(model: unknown): string {
  const inner = modelIn(model) as Partial<ChatModel> & { readonly model?: unknown; name?: unknown };
  const { provider, modelName = inner.model } = inner;
  if (typeof modelName === "string") return provider ? `${provider}:${modelName}` : modelName;
  return typeof inner.name === "string" ? inner.name : (inner.constructor?.name ?? "Object");
}

/** A model chosen at run time may bind fewer tools than the agent has, and no others. */
export function checkSubset(model: unknown, tools: AgentTools): void {
  const bound = boundTools(modelIn(model))?.flatMap(namesOf) ?? [];
  const known = new Set([...tools.names, ...tools.builtin.flatMap(namesOf)]);
  const unknown = bound.filter((name) => !known.has(name));
  if (unknown.length === 0) return;
  throw mismatch(
    `The model that was chosen has tools bound that the agent does not have: ${JSON.stringify(unknown)}`,
  );
}

/** The tools of an agent, as a binding has to name them. */
export interface AgentTools {
  /** Names of the tools that the agent runs. */
  readonly names: readonly string[];
  /** Tools that the provider runs itself. */
  readonly builtin: readonly BindableTool[];
  /** All of them. */
  readonly all: readonly BindableTool[];
}

/** Binds tools to a model, or to the model in a sequence. */
export function bindTools(
  model: unknown,
  tools: readonly BindableTool[],
  settings?: ModelSettings,
): Runnable {
  return withInner(model, (inner) => inner.bindTools?.(tools, settings), "bindTools");
}

/** Binds settings to a model, or to the model in a sequence. */
export function bindSettings(model: unknown, settings: ModelSettings): Runnable {
  return withInner(model, (inner) => inner.bind?.(settings), "bind");
}

function withInner(
  model: unknown,
  bind: (inner: ModelLike) => unknown,
  method: "bindTools" | "bind",
): Runnable {
  const inner = modelIn(model);
  const bound = bind(inner as ModelLike);
  if (!isRunnable(bound)) {
    throw new SuperstepError(
      "INVALID_MODEL",
      `The model cannot bind ${method === "bind" ? "settings" : "tools"}: it has no ${method}.`,
      {
        fix: "Give a chat model, or bind the tools before.",
      },
    );
  }
  if (!isSequence(model)) return bound;
  return new RunnableSequence(model.steps.map((step) => (step === inner ? bound : step)));
}

/** The chat model or binding in a sequence; the model itself otherwise. */
function modelIn(model: unknown): unknown {
  if (!isSequence(model)) return model;
  return model.steps.find(isModel) ?? model;
}

function isSequence(model: unknown): model is { readonly steps: readonly Runnable[] } {
  return (
    typeof model === "object" && model !== null && "steps" in model && Array.isArray(model.steps)
  );
}

function isModel(step: unknown): step is ModelLike {
  return isRunnable(step) && ("bindTools" in step || boundTools(step) !== undefined);
}

function boundTools(model: unknown): readonly unknown[] | undefined {
  const { settings } = model as Partial<ChatModel>;
  const { kwargs, config } = model as ForeignBinding;
  const tools = settings?.tools ?? kwargs?.tools ?? config?.tools;
  return Array.isArray(tools) && tools.length > 0 ? (tools as readonly unknown[]) : undefined;
}

interface AnyTool {
  readonly name?: unknown;
  readonly function?: { readonly name?: unknown };
  readonly toolSpec?: { readonly name?: unknown };
  readonly functionDeclarations?: readonly AnyTool[];
}

/** The tools in an entry: Google's holds several. */
function declarationsIn(entry: unknown): readonly unknown[] {
  return (entry as AnyTool | null)?.functionDeclarations ?? [entry];
}

/** The names in an entry of any provider's shape; none in a shape that is not known. */
function namesOf(entry: unknown): string[] {
  const names = declarationsIn(entry).map((tool) => {
    const shape = tool as AnyTool | null;
    return shape?.function?.name ?? shape?.toolSpec?.name ?? shape?.name;
  });
  return names.filter((name) => typeof name === "string");
}

function mismatch(message: string): SuperstepError {
  return new SuperstepError("TOOLS_MISMATCH", message, {
    fix: "Bind the agent's own tools, or give the model unbound and let the agent bind them.",
  });
}
