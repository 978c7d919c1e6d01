// The loop written by hand: a list of messages, a map of tools, and `await`.
import type { AgentContestant, ArgsSchema, ToolLoop } from "./contestant.ts";
import { partStream } from "./ai-sdk-model.ts";
import {
  callsOf,
  double,
  finalAnswer,
  question,
  roundOf,
  type Script,
  type ScriptedCall,
  toolName,
  verifyAnswer,
  verifyLength,
} from "./script.ts";

interface PlainMessage {
  readonly role: "user" | "assistant" | "tool";
  readonly content: string;
  readonly toolCalls?: readonly ScriptedCall[];
  readonly toolCallId?: string;
}

type Tool = (args: { readonly input: string }) => Promise<string>;

async function model(messages: readonly PlainMessage[], script: Script): Promise<PlainMessage> {
  const round = roundOf(messages.length, script);
  if (round === script.rounds) {
    return { role: "assistant", content: finalAnswer(messages.at(-1)?.content) };
  }
  return { role: "assistant", content: "", toolCalls: callsOf(round, script.calls) };
}

async function loop(
  tools: ReadonlyMap<string, Tool>,
  script: Script,
): Promise<readonly PlainMessage[]> {
  const messages: PlainMessage[] = [{ role: "user", content: question }];
  const run = async ({ id, name, args }: ScriptedCall): Promise<PlainMessage> => {
    const tool = tools.get(name);
    if (!tool) throw new Error(`There is no tool ${name}`);
    return { role: "tool", toolCallId: id, content: await tool(args) };
  };
  for (;;) {
    const answer = await model(messages, script);
    messages.push(answer);
    if (!answer.toolCalls) return messages;
    messages.push(...(await Promise.all(answer.toolCalls.map(run))));
  }
}

function makeLoop(tool: Tool): ToolLoop["make"] {
  const tools = new Map([[toolName, tool]]);
  return (script) => async () => {
    const messages = await loop(tools, script);
    verifyLength(messages.length, script);
    verifyAnswer(messages.at(-1)?.content, script);
  };
}

// Async, as models are: the parts come one by one.
async function* generator(pieces: readonly string[]): AsyncGenerator<string, void, undefined> {
  yield* pieces;
}

export function plainAgents(schema: ArgsSchema): AgentContestant {
  return {
    name: "plain",
    loops: [
      { label: "loop", zod: false, make: makeLoop(async ({ input }) => double(input)) },
      {
        label: "loop, zod",
        zod: true,
        make: makeLoop(async (args) => double(schema.parse(args).input)),
      },
    ],
    streams: [
      { label: "async generator", open: generator, textOf: (chunk) => chunk as string },
      {
        label: "web stream of parts",
        open: partStream,
        textOf: (chunk) => (chunk as { readonly delta?: string }).delta ?? "",
      },
    ],
  };
}
