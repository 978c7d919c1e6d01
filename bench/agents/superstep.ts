// Superstep's agents: with the leanest model that somebody would write, with the scripted model of
// "superstep/testing", and for tokens also with a model of an AI SDK provider.
import { importSuperstep } from "../library.ts";
import { aiSdkModel } from "./ai-sdk-model.ts";
import type { AgentContestant, ArgsSchema, TokenStream, ToolLoop } from "./contestant.ts";
import {
  type AgentLibrary,
  agentLoop,
  type CreateAgent,
  doubleTool,
  type Message,
  runLoop,
  streamMessages,
  textOfPair,
} from "./message-agent.ts";
import { callsOf, finalAnswer, roundOf, type Script } from "./script.ts";

interface Superstep extends AgentLibrary {
  readonly createReactAgent: CreateAgent;
}

interface Testing {
  readonly FakeChatModel: new (options: {
    responses: (messages: readonly Message[]) => object;
  }) => object;
}

interface Models {
  readonly fromAiSdk: (model: object) => object;
}

/** What the model says next. */
function answer(
  { AIMessage }: AgentLibrary,
  messages: readonly Message[],
  script: Script,
): Message {
  const round = roundOf(messages.length, script);
  if (round === script.rounds) {
    return new AIMessage({ content: finalAnswer(messages.at(-1)?.content) });
  }
  return new AIMessage({ content: "", tool_calls: callsOf(round, script.calls) });
}

/** An object with the shape of a chat model, and nothing more. */
function leanModel(library: AgentLibrary, script: Script, settings: object = {}): object {
  return {
    invoke: async (messages: readonly Message[]) => answer(library, messages, script),
    async *stream(messages: readonly Message[]) {
      const { content, ...rest } = answer(library, messages, script);
      yield new library.AIMessageChunk({ ...rest, content: content as string });
    },
    bindTools: (tools: readonly object[], more?: object) =>
      leanModel(library, script, { ...settings, ...more, tools }),
    bind: (more: object) => leanModel(library, script, { ...settings, ...more }),
    settings,
    provider: "bench",
    modelName: "lean",
  };
}

function loopsOf(
  library: Superstep,
  { FakeChatModel }: Testing,
  schema: ArgsSchema,
): readonly ToolLoop[] {
  const lean =
    (create: CreateAgent, args?: ArgsSchema): ToolLoop["make"] =>
    (script) => {
      const tools = [doubleTool(library, args)];
      return agentLoop(create({ model: leanModel(library, script), tools }), script);
    };
  // The scripted model records what it is asked, so each run gets one of its own, and so an agent.
  const scripted: ToolLoop["make"] = (script) => {
    const tools = [doubleTool(library, undefined)];
    return () => {
      const model = new FakeChatModel({
        responses: (messages) => answer(library, messages, script),
      });
      return runLoop(library.createAgent({ model, tools }), script);
    };
  };
  return [
    { label: "createAgent", zod: false, make: lean(library.createAgent) },
    { label: "createReactAgent", zod: false, make: lean(library.createReactAgent) },
    { label: "createAgent a run, FakeChatModel", zod: false, make: scripted },
    { label: "createAgent, zod", zod: true, make: lean(library.createAgent, schema) },
  ];
}

function streamsOf(
  library: AgentLibrary,
  { FakeChatModel }: Testing,
  { fromAiSdk }: Models,
): readonly TokenStream[] {
  let chunks: readonly string[] = [];
  const model = new FakeChatModel({ responses: () => ({ chunks }) });
  const agent = library.createAgent({ model, tools: [] });
  return [
    {
      label: "createAgent, FakeChatModel",
      open(pieces) {
        chunks = pieces;
        return streamMessages(agent);
      },
      textOf: textOfPair,
    },
    {
      label: "createAgent, fromAiSdk",
      open: (pieces) =>
        streamMessages(
          library.createAgent({ model: fromAiSdk(aiSdkModel({ pieces })), tools: [] }),
        ),
      textOf: textOfPair,
    },
  ];
}

export async function superstepAgents(
  built: boolean,
  schema: ArgsSchema,
): Promise<AgentContestant> {
  const { version, load } = await importSuperstep(built);
  const library = await load<Superstep>(".");
  const testing = await load<Testing>("./testing");
  const models = await load<Models>("./models");
  return {
    name: "superstep",
    version,
    loops: loopsOf(library, testing, schema),
    streams: streamsOf(library, testing, models),
  };
}
