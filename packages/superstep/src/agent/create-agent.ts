import type { RunSaver } from "../checkpoint/saver.ts";
import { END, type Send, START } from "../engine/command.ts";
import { withoutState } from "../engine/route.ts";
import type { Runtime } from "../engine/runtime.ts";
import { checkRequired } from "../errors/check-options.ts";
import { SuperstepError } from "../errors/errors.ts";
import {
  Annotation,
  type AnnotationRoot,
  type StateDefinition,
  type StateOf,
  type UpdateOf,
} from "../graph/annotation.ts";
import { recordBuild } from "../graph/build-steps.ts";
import type { CompiledStateGraph } from "../graph/compiled.ts";
import { StateGraph } from "../graph/state-graph.ts";
import { coerceMessage, type MessagesInput } from "../message/coerce.ts";
import { isSystemMessage } from "../message/guards.ts";
import { SystemMessage } from "../message/messages.ts";
import type { ModelSettings, ToolChoice } from "../model/types.ts";
import type { Runnable } from "../runnable/runnable.ts";
import type { BuildStep } from "../stream/trace-event.ts";
import { type AgentModel, modelResolver } from "./agent-model.ts";
import { type AgentKeys, agentKeys } from "./agent-state.ts";
import { resolveTools, type ResolvedTools, type ToolsInput } from "./agent-tools.ts";
import { shouldBindTools } from "./binding.ts";
import { callModel, type ModelNodeSettings } from "./call-model.ts";
import { tellModel } from "./invoke-model.ts";
import { executeModelRequest, ModelRequest } from "./model-request.ts";
import { type MessagesState, type Prompt, promptRunnable } from "./prompt.ts";
import {
  allDirect,
  canBeMended,
  lastAnswer,
  sendToolCalls,
  tellDecision,
  toolsBody,
} from "./tool-routes.ts";

/** What `createAgent` takes. */
export interface AgentOptions<Keys extends StateDefinition = AgentKeys> {
  readonly model: AgentModel<StateOf<NoInfer<Keys>>>;
  /** Default: none, and then the graph has no tools node. */
  readonly tools?: ToolsInput | undefined;
  /** Comes before the conversation in what the model sees; `prompt` is another name for it. */
  readonly systemPrompt?: Prompt<StateOf<NoInfer<Keys>>> | undefined;
  readonly prompt?: Prompt<StateOf<NoInfer<Keys>>> | undefined;
  /** Default `AgentState`; must have `messages`. */
  readonly stateSchema?: AnnotationRoot<Keys> | undefined;
  /** Stamped on the model's answers, and the graph's name. */
  readonly name?: string | undefined;
  /** Bound with the tools. */
  readonly toolChoice?: ToolChoice | undefined;
  /** Settings of every call of the model, bound with the tools. */
  readonly modelSettings?: ModelSettings | undefined;
  /** Keeps the conversations, by `configurable.thread_id`: see `compile`. Default: none. */
  readonly checkpointer?: RunSaver | undefined;
}

const optionNames: ReadonlySet<string> = new Set<keyof AgentOptions>([
  "model",
  "tools",
  "systemPrompt",
  "prompt",
  "stateSchema",
  "name",
  "toolChoice",
  "modelSettings",
  "checkpointer",
]);

/**
 * An agent as a compiled graph with the nodes `model` and `tools`: the model answers, the tools that
 * it calls run, each as a task of its own, and the model goes on until it answers without calling
 * any.
 *
 * A history in which calls and results do not match, as an interruption leaves it, is repaired
 * before the model sees it, and stays repaired. When `recursionLimit` leaves no steps for the tools
 * that an answer wants, the run ends with "Sorry, need more steps to process this request.".
 *
 * Throws `INVALID_PROMPT`, `INVALID_MODEL`, `INVALID_TOOL`, `DUPLICATE_TOOL`, `TOOLS_MISMATCH`,
 * `INVALID_STATE`, `INVALID_OPTION` or `UNKNOWN_OPTION`; the run rejects with
 * `INCOMPLETE_RESPONSE` and what models and tools throw.
 */
export function createAgent<Keys extends StateDefinition = AgentKeys>(
  options: AgentOptions<Keys>,
): CompiledStateGraph<StateOf<Keys>, UpdateOf<Keys>> {
  checkRequired("createAgent", options, optionNames);
  const tools = resolveTools(options.tools);
  const settings = modelSettings(options as unknown as AgentOptions, tools);
  const keys = agentKeys(options.stateSchema, false);
  const builder: Builder = new StateGraph(Annotation.Root(keys));
  const steps = buildGraph(builder, { settings, tools, keys });
  const graph: unknown = builder.compile({
    name: options.name ?? "Agent",
    checkpointer: options.checkpointer,
  });
  recordBuild(graph as object, [...steps, { type: "compile" }]);
  return graph as CompiledStateGraph<StateOf<Keys>, UpdateOf<Keys>>;
}

/** Below the factory the state is untyped: which keys it has is checked when it is built. */
type Builder = StateGraph<StateDefinition>;

interface Parts {
  readonly settings: ModelNodeSettings;
  readonly tools: ResolvedTools;
  readonly keys: StateDefinition;
}

/** Nodes first, then where the loop begins and ends, then the edges. */
function buildGraph(builder: Builder, { settings, tools, keys }: Parts): readonly BuildStep[] {
  const steps: BuildStep[] = [{ type: "node", node: "model" }];
  builder.addNode(
    "model",
    (state, runtime) => callModel(settings, state as never, runtime) as never,
  );
  if (tools.node) {
    builder.addNode("tools", toolsBody(tools.node, keys) as never);
    steps.push({ type: "node", node: "tools" });
  }
  const [entry, loopEntry, loopExit, exit] = ["model", "model", "model", END] as const;
  steps.push({ type: "entry", node: entry }, { type: "loopEntry", node: loopEntry });
  steps.push({ type: "loopExit", node: loopExit }, { type: "exit", node: exit });

  builder.addEdge(START, entry);
  steps.push({ type: "edge", source: START, target: entry });
  if (!tools.node) return steps;
  const { direct } = tools;
  const afterTools = direct.size > 0 ? ([loopEntry, exit] as const) : ([loopEntry] as const);
  const routeTools = direct.size > 0 ? toolsToModelOrEnd(direct) : alwaysToModel;
  builder.addConditionalEdges("tools", routeTools as never, afterTools);
  steps.push({ type: "conditionalEdge", source: "tools", targets: afterTools });
  builder.addConditionalEdges(loopExit, modelToTools, ["tools", exit]);
  steps.push({ type: "conditionalEdge", source: loopExit, targets: ["tools", exit] });
  return steps;
}

function modelToTools(state: object): Send[] | typeof END {
  const sends = sendToolCalls(state as MessagesState);
  tellDecision("model_to_tools", state as MessagesState, sends.length > 0 ? "tools" : END);
  return sends.length > 0 ? sends : END;
}

const alwaysToModel = withoutState(function toolsToModel(): "model" {
  return "model";
});

/** The run ends when every tool that was called returns its result directly. */
function toolsToModelOrEnd(
  direct: ReadonlySet<string>,
): (state: object, runtime: Runtime) => "model" | typeof END {
  return function toolsToModel(given, runtime) {
    const state = given as MessagesState;
    if (!allDirect(lastAnswer(state), direct)) return "model";
    return canBeMended(state, runtime) ? "model" : END;
  };
}

function modelSettings(options: AgentOptions, tools: ResolvedTools): ModelNodeSettings {
  const { model, name, toolChoice, modelSettings: bound = {} } = options;
  const { messagesOf, systemMessage } = promptOf(options);
  const modelOf = modelResolver(model, tools, (known) => {
    if (tools.all.length > 0) shouldBindTools(known, tools, "createAgent"); // throws for other tools
    return known;
  });
  return {
    name,
    call: async (state, runtime, trace) => {
      const resolved = await modelOf(state as never, runtime);
      tellModel(trace, resolved);
      const messages = messagesOf ? await messagesOf.invoke(state, runtime) : state.messages;
      const request = new ModelRequest({
        model: resolved,
        messages: messages as ModelRequest["messages"],
        systemMessage,
        tools: tools.all,
        toolChoice,
        responseFormat: undefined,
        modelSettings: bound,
        state,
        runtime,
      });
      return executeModelRequest(request, trace);
    },
    history: "repair",
    endsWithTools: (answer) => allDirect(answer, tools.direct),
    hook: false,
  };
}

interface ResolvedPrompt {
  readonly systemMessage: SystemMessage | undefined;
  /** A prompt that makes the messages itself. */
  readonly messagesOf: Runnable<MessagesState, MessagesInput> | undefined;
}

function promptOf({ systemPrompt, prompt }: AgentOptions): ResolvedPrompt {
  if (systemPrompt !== undefined && prompt !== undefined) {
    throw new SuperstepError("INVALID_OPTION", "Both systemPrompt and prompt are given.", {
      fix: "Give the prompt once; both names mean the same.",
    });
  }
  const given: unknown = systemPrompt ?? prompt;
  if (typeof given === "string")
    return { systemMessage: new SystemMessage(given), messagesOf: undefined };
  const none = given === undefined || given === null;
  if (none) return { systemMessage: undefined, messagesOf: undefined };
  if (isSystemMessage(given)) {
    return { systemMessage: coerceMessage(given) as SystemMessage, messagesOf: undefined };
  }
  return { systemMessage: undefined, messagesOf: promptRunnable(given) };
}
