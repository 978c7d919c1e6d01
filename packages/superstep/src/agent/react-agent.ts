import type { RunSaver } from "../checkpoint/saver.ts";
import { type Command, END, type Send, START } from "../engine/command.ts";
import type { Runtime } from "../engine/runtime.ts";
import { checkRequired } from "../errors/check-options.ts";
import { describe } from "../errors/describe.ts";
import { SuperstepError } from "../errors/errors.ts";
import {
  Annotation,
  type AnnotationRoot,
  type StateDefinition,
  type StateOf,
  type UpdateOf,
} from "../graph/annotation.ts";
import type { CompiledStateGraph } from "../graph/compiled.ts";
import { StateGraph } from "../graph/state-graph.ts";
import { type AgentModel, modelResolver } from "./agent-model.ts";
import { type AgentKeys, agentKeys } from "./agent-state.ts";
import { resolveTools, type ResolvedTools, type ToolsInput } from "./agent-tools.ts";
import { bindTools, shouldBindTools } from "./binding.ts";
import { callModel, type ModelNodeSettings } from "./call-model.ts";
import { invokeModel, tellModel } from "./invoke-model.ts";
import { type MessagesState, type Prompt, promptRunnable } from "./prompt.ts";
import {
  allDirect,
  canBeMended,
  lastAnswer,
  sendToolCalls,
  tellDecision,
  toolsBody,
} from "./tool-routes.ts";

type HookUpdate<Keys extends StateDefinition> = UpdateOf<Keys> & { llmInputMessages?: unknown };
/** A hook beside the model: reads the state and returns an update, a `Command`, or nothing. */
export type AgentHook<Keys extends StateDefinition> = (
  state: StateOf<Keys>,
  runtime: Runtime,
) =>
  | HookUpdate<Keys>
  | Command
  | undefined
  | void
  | Promise<HookUpdate<Keys> | Command | undefined | void>;

/** What `createReactAgent` takes. */
export interface ReactAgentOptions<Keys extends StateDefinition = AgentKeys> {
  /** The model; `model` is another name for it. */
  readonly llm?: AgentModel<StateOf<NoInfer<Keys>>> | undefined;
  readonly model?: AgentModel<StateOf<NoInfer<Keys>>> | undefined;
  /** Default: none, and then the graph has no tools node. */
  readonly tools?: ToolsInput | undefined;
  /** Comes before the conversation in what the model sees. */
  readonly prompt?: Prompt<StateOf<NoInfer<Keys>>> | undefined;
  /** Default `AgentState`; must have `messages`. */
  readonly stateSchema?: AnnotationRoot<Keys> | undefined;
  /** Stamped on the model's answers, and the graph's name. */
  readonly name?: string | undefined;
  /**
   * Runs before each call of the model. It may return `messages`, which change the conversation, or
   * `llmInputMessages`, which the model sees instead of it and which are not kept.
   */
  readonly preModelHook?: AgentHook<NoInfer<Keys>> | undefined;
  /** Runs after each call of the model, before its tools. */
  readonly postModelHook?: AgentHook<NoInfer<Keys>> | undefined;
  /** "v2" (default): one task for each tool call. "v1": one task for all calls of an answer. */
  readonly version?: "v1" | "v2" | undefined;
  /** Keeps the conversations, by `configurable.thread_id`: see `compile`. Default: none. */
  readonly checkpointer?: RunSaver | undefined;
}

const optionNames: ReadonlySet<string> = new Set<keyof ReactAgentOptions>([
  "llm",
  "model",
  "tools",
  "prompt",
  "stateSchema",
  "name",
  "preModelHook",
  "postModelHook",
  "version",
  "checkpointer",
]);

/**
 * An agent that reasons and acts in turns: the model answers, the tools that it calls run, the model
 * sees their results, until it answers without calling any. It is a compiled graph with the nodes
 * `agent` and `tools`.
 *
 * Tools are bound to the model once, unless they are bound already. The history is checked before
 * each call of the model. When `recursionLimit` leaves no steps for the tools that an answer wants,
 * the run ends with "Sorry, need more steps to process this request.".
 *
 * Throws `INVALID_PROMPT`, `INVALID_MODEL`, `INVALID_TOOL`, `DUPLICATE_TOOL`, `TOOLS_MISMATCH`,
 * `INVALID_STATE`, `INVALID_OPTION` or `UNKNOWN_OPTION`; the run rejects with
 * `INVALID_CHAT_HISTORY`, `INCOMPLETE_RESPONSE` and what models and tools throw.
 */
export function createReactAgent<Keys extends StateDefinition = AgentKeys>(
  options: ReactAgentOptions<Keys>,
): CompiledStateGraph<StateOf<Keys>, UpdateOf<Keys>> {
  checkRequired("createReactAgent", options, optionNames);
  const { preModelHook, postModelHook, name } = options;
  const tools = resolveTools(options.tools);
  const keys = agentKeys(options.stateSchema, preModelHook !== undefined);
  const builder: Builder = new StateGraph(Annotation.Root(keys));
  const entry = preModelHook ? "pre_model_hook" : "agent";
  const exit = postModelHook ? "post_model_hook" : "agent";

  builder.addEdge(START, entry);
  if (preModelHook) {
    builder.addNode("pre_model_hook", preModelHook as Hook, { counted: false });
    builder.addEdge("pre_model_hook", "agent");
  }
  const settings = modelSettings(options as unknown as ReactAgentOptions, tools);
  builder.addNode(
    "agent",
    (state, runtime) => callModel(settings, state as never, runtime) as never,
  );
  if (postModelHook) {
    builder.addNode("post_model_hook", postModelHook as Hook, { counted: false });
    builder.addEdge("agent", "post_model_hook");
  }
  addRoutes(builder, { entry, exit, tools, keys, version: checkVersion(options.version) });
  const graph: unknown = builder.compile({
    name: name ?? "ReactAgent",
    checkpointer: options.checkpointer,
  });
  return graph as CompiledStateGraph<StateOf<Keys>, UpdateOf<Keys>>;
}

/** Below the factory the state is untyped: which keys it has is checked when it is built. */
type Builder = StateGraph<StateDefinition>;
type Hook = (state: object) => undefined;

function modelSettings(options: ReactAgentOptions, tools: ResolvedTools): ModelNodeSettings {
  const { llm, model, name, prompt, preModelHook } = options;
  if (llm !== undefined && model !== undefined) {
    throw new SuperstepError("INVALID_OPTION", "Both llm and model are given.", {
      fix: "Give the model once; both names mean the same.",
    });
  }
  const messagesOf = promptRunnable(prompt);
  const modelOf = modelResolver(llm ?? model, tools, (known) =>
    tools.all.length > 0 && shouldBindTools(known, tools, "createReactAgent")
      ? bindTools(known, tools.all)
      : known,
  );
  return {
    name,
    call: async (state, runtime, trace) => {
      const resolved = await modelOf(state as never, runtime);
      tellModel(trace, resolved);
      const input = await messagesOf.invoke(state, runtime);
      return invokeModel(resolved, { input, runtime, trace });
    },
    history: "refuse",
    endsWithTools: (answer) => allDirect(answer, tools.direct),
    hook: preModelHook !== undefined,
  };
}

interface Topology {
  readonly entry: string;
  /** The node after which it is decided where to go. */
  readonly exit: string;
  readonly tools: ResolvedTools;
  readonly keys: StateDefinition;
  readonly version: "v1" | "v2";
}

function addRoutes(builder: Builder, { entry, exit, tools, keys, version }: Topology): void {
  const { node, direct } = tools;
  if (!node) {
    if (exit === "post_model_hook") builder.addEdge(exit, END);
    return;
  }
  builder.addNode("tools", toolsBody(node, keys) as never);
  const hasHook = exit === "post_model_hook";
  const afterModel = (state: object): Destination => {
    const { messages } = state as MessagesState;
    const sends = sendToolCalls({ ...state, messages });
    const elsewhere = hasHook && messages.at(-1)?.type === "tool" ? entry : END;
    const target = sends.length > 0 ? "tools" : elsewhere;
    tellDecision("afterModel", { messages }, target);
    return target === "tools" && version === "v2" ? sends : target;
  };
  builder.addConditionalEdges(exit, afterModel, hasHook ? ["tools", entry, END] : ["tools", END]);
  if (direct.size === 0) builder.addEdge("tools", entry);
  else builder.addConditionalEdges("tools", routeTools(direct, entry), [entry, END]);
}

type Destination = string | Send[];
type Router = (state: object, runtime: Runtime) => Destination;

/** The result of a tool that returns directly ends the run, whichever of the calls it was. */
function routeTools(direct: ReadonlySet<string>, entry: string): Router {
  return function afterTools(state, runtime) {
    const calls = lastAnswer(state as MessagesState)?.tool_calls ?? [];
    if (!calls.some(({ name }) => direct.has(name))) return entry;
    return canBeMended(state as MessagesState, runtime) ? entry : END;
  };
}

function checkVersion(version: unknown = "v2"): "v1" | "v2" {
  if (version === "v1" || version === "v2") return version;
  throw new SuperstepError(
    "INVALID_OPTION",
    `Invalid version ${typeof version === "string" ? version : describe(version)}. Supported versions are 'v1' and 'v2'.`,
    { fix: 'Leave it out for "v2".' },
  );
}
