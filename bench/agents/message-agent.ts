// The programs that are written once for Superstep and LangChain, which share their public names.
import type { Run } from "../scenario.ts";
import type { ArgsSchema } from "./contestant.ts";
import {
  double,
  question,
  type Script,
  toolDescription,
  toolName,
  verifyAnswer,
  verifyLength,
} from "./script.ts";

export interface Message {
  readonly content: unknown;
}

export interface Agent {
  invoke(
    input: { messages: readonly object[] },
    options?: { recursionLimit: number },
  ): Promise<{ readonly messages: readonly Message[] }>;
  stream(
    input: { messages: readonly object[] },
    options: { streamMode: "messages" },
  ): Chunks | Promise<Chunks>;
}

type Chunks = AsyncIterable<unknown>;

/** What both libraries export. */
export interface AgentLibrary {
  readonly AIMessage: new (fields: { content: string; tool_calls?: readonly object[] }) => Message;
  readonly AIMessageChunk: new (fields: { content: string }) => Message;
  readonly tool: (func: (input: never) => string, fields: object) => object;
  readonly createAgent: CreateAgent;
}

export type CreateAgent = (options: { model: object; tools: readonly object[] }) => Agent;

const userMessage = { role: "user", content: question };

/** The tool; without a schema it takes one text in both libraries. */
export function doubleTool({ tool }: AgentLibrary, schema: ArgsSchema | undefined): object {
  const fields = { name: toolName, description: toolDescription };
  if (!schema) return tool(double, fields);
  return tool(({ input }: { input: string }) => double(input), { ...fields, schema });
}

/** Runs the agent's loop to its end and checks the conversation. */
export async function runLoop(agent: Agent, script: Script): Promise<void> {
  const recursionLimit = 2 * script.rounds + 10;
  const { messages } = await agent.invoke({ messages: [userMessage] }, { recursionLimit });
  verifyLength(messages.length, script);
  verifyAnswer(messages.at(-1)?.content, script);
}

/** An agent that is made once and run many times. */
export function agentLoop(agent: Agent, script: Script): Run {
  return () => runLoop(agent, script);
}

export function streamMessages(agent: Agent): Chunks | Promise<Chunks> {
  return agent.stream({ messages: [userMessage] }, { streamMode: "messages" });
}

/** Chunks of stream mode "messages" are pairs. */
export const textOfPair = (chunk: unknown): string =>
  (chunk as readonly [Message, unknown])[0].content as string;
