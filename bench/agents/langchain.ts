// LangChain's createAgent, with a model that is as light as its base class allows.
import { importPackage } from "../library.ts";
import type { AgentContestant, ArgsSchema, ToolLoop } from "./contestant.ts";
import {
  type AgentLibrary,
  agentLoop,
  doubleTool,
  type Message,
  streamMessages,
  textOfPair,
} from "./message-agent.ts";
import { callsOf, finalAnswer, roundOf, type Script } from "./script.ts";

interface ChatModels {
  readonly BaseChatModel: new (fields: object) => object;
}

interface Outputs {
  readonly ChatGenerationChunk: new (fields: { text: string; message: Message }) => object;
}

interface RunManager {
  handleLLMNewToken(token: string, ...rest: readonly unknown[]): Promise<void>;
}

type MakeModel = (source: {
  readonly script?: Script;
  readonly pieces?: () => readonly string[];
}) => object;

function modelsOf(
  { AIMessage, AIMessageChunk }: AgentLibrary,
  { BaseChatModel }: ChatModels,
  { ChatGenerationChunk }: Outputs,
): MakeModel {
  class Lean extends BaseChatModel {
    readonly script: Script;

    constructor(script: Script) {
      super({});
      this.script = script;
    }

    _llmType(): string {
      return "lean";
    }

    bindTools(): this {
      return this;
    }

    async _generate(messages: readonly Message[]): Promise<object> {
      const { script } = this;
      const round = roundOf(messages.length, script);
      const text = round === script.rounds ? finalAnswer(messages.at(-1)?.content) : "";
      const message =
        text === ""
          ? new AIMessage({ content: text, tool_calls: callsOf(round, script.calls) })
          : new AIMessage({ content: text });
      return { generations: [{ text, message }] };
    }
  }

  class Streaming extends Lean {
    readonly pieces: () => readonly string[];

    constructor(pieces: () => readonly string[]) {
      super({ rounds: 0, calls: 1 });
      this.pieces = pieces;
    }

    async *_streamResponseChunks(
      _messages: readonly Message[],
      _options: object,
      manager?: RunManager,
    ): AsyncGenerator<object, void, undefined> {
      for (const text of this.pieces()) {
        const message = new AIMessageChunk({ content: text });
        const chunk = new ChatGenerationChunk({ text, message });
        yield chunk;
        await manager?.handleLLMNewToken(text, undefined, undefined, undefined, undefined, {
          chunk,
        });
      }
    }
  }

  return ({ script, pieces }) =>
    pieces ? new Streaming(pieces) : new Lean(script ?? { rounds: 0, calls: 1 });
}

export async function langChainAgents(schema: ArgsSchema): Promise<AgentContestant> {
  const langChain = await importPackage("langchain");
  const chatModels = await importPackage("@langchain/core", "language_models/chat_models");
  const outputs = await importPackage("@langchain/core", "outputs");
  const library = langChain.library as AgentLibrary;
  const makeModel = modelsOf(library, chatModels.library as ChatModels, outputs.library as Outputs);
  const loop =
    (args?: ArgsSchema): ToolLoop["make"] =>
    (script) => {
      const tools = [doubleTool(library, args)];
      return agentLoop(library.createAgent({ model: makeModel({ script }), tools }), script);
    };
  let current: readonly string[] = [];
  const streaming = library.createAgent({ model: makeModel({ pieces: () => current }), tools: [] });
  return {
    name: "langchain",
    version: `${langChain.version} (core ${chatModels.version})`,
    loops: [
      { label: "createAgent", zod: false, make: loop() },
      { label: "createAgent, zod", zod: true, make: loop(schema) },
    ],
    streams: [
      {
        label: "createAgent",
        open(pieces) {
          current = pieces;
          return streamMessages(streaming);
        },
        textOf: textOfPair,
      },
    ],
  };
}
