import {
  type AgentKeys,
  type AgentOptions,
  AIMessage,
  type AIMessageFields,
  type BaseMessage,
  type CompiledStateGraph,
  createAgent,
  createReactAgent,
  type StateOf,
  tool,
  type UpdateOf,
} from "superstep";
import { expect } from "vitest";
import { z } from "zod";

export type Agent = CompiledStateGraph<StateOf<AgentKeys>, UpdateOf<AgentKeys>>;
/** What both factories take. */
export type CommonOptions = Pick<
  AgentOptions,
  "model" | "tools" | "prompt" | "stateSchema" | "name"
>;
export interface Factory {
  readonly name: "createReactAgent" | "createAgent";
  readonly node: "agent" | "model";
  readonly create: (options: CommonOptions) => Agent;
}

export const reactAgent: Factory = {
  name: "createReactAgent",
  node: "agent",
  create: (options) => createReactAgent(options),
};
export const newAgent: Factory = {
  name: "createAgent",
  node: "model",
  create: (options) => createAgent(options),
};
export const factories: readonly Factory[] = [reactAgent, newAgent];

export const needMoreSteps = "Sorry, need more steps to process this request.";

/** An answer that calls tools. A call is a name, or a name with arguments and an id. */
export function calling(
  ...calls: (string | readonly [name: string, args: Record<string, unknown>, id?: string])[]
): AIMessage {
  return answer({
    tool_calls: calls.map((call) => {
      const [name, args, id] = typeof call === "string" ? ([call, {}] as const) : call;
      return { name, args, ...(id !== undefined && { id }) };
    }),
  });
}

export function answer(fields: AIMessageFields): AIMessage {
  return new AIMessage({ content: "", ...fields });
}

/** A tool without arguments that returns `result`, and counts its runs. */
export function counted(name: string, options: { returnDirect?: boolean; result?: string } = {}) {
  const { returnDirect = false, result = `${name} done` } = options;
  const runs = { count: 0 };
  const made = tool(
    () => {
      runs.count++;
      return result;
    },
    { name, description: name, schema: z.object({}), returnDirect },
  );
  return { tool: made, runs };
}

export const add = tool(({ a, b }) => String(a + b), {
  name: "add",
  description: "Adds two numbers",
  schema: z.object({ a: z.number(), b: z.number() }),
});

export const echo = tool(({ text }) => text, {
  name: "echo",
  description: "Says it again",
  schema: z.object({ text: z.string() }),
});

/** Messages as `type: text` lines, which is what most tests compare. */
export function lines(messages: readonly object[]): string[] {
  return (messages as readonly BaseMessage[]).map(({ type, text }) => `${type}: ${text}`);
}

/** The last of a list. Fails when there is none. */
export function last<Item>(items: readonly Item[]): Item {
  expect(items.length).toBeGreaterThan(0);
  return items.at(-1)!;
}

/** The ids of the calls that the tool messages answer, in order. */
export function answeredIds(messages: readonly BaseMessage[]): string[] {
  return messages.flatMap((message) => (message.type === "tool" ? [message.tool_call_id] : []));
}

/** A model of another make: it has the shape, and records what it is given. */
export class RecordingModel {
  readonly bindings: { readonly tools: readonly unknown[]; readonly settings: unknown }[] = [];
  readonly inputs: BaseMessage[][] = [];
  readonly options: unknown[] = [];
  readonly #answers: readonly unknown[];

  constructor(...answers: readonly unknown[]) {
    this.#answers = answers;
  }

  bindTools(tools: readonly unknown[], settings?: unknown) {
    this.bindings.push({ tools: [...tools], settings });
    return {
      kwargs: { tools: [...tools] },
      invoke: (messages: never, options: unknown) => this.invoke(messages, options),
    };
  }

  async invoke(messages: never, options?: unknown): Promise<unknown> {
    this.inputs.push(messages);
    this.options.push(options);
    const next = this.#answers[this.inputs.length - 1] ?? "no more answers";
    return typeof next === "string" ? new AIMessage(next) : next;
  }
}

/** A model that somebody has bound `tools` to, given in the shapes of a provider. */
export function boundElsewhere(tools: readonly unknown[], where: "kwargs" | "config" = "kwargs") {
  return {
    [where]: { tools },
    rebound: 0,
    bindTools(): unknown {
      this.rebound++;
      return this;
    },
    async invoke(_messages: never): Promise<unknown> {
      return new AIMessage("done");
    },
  };
}
