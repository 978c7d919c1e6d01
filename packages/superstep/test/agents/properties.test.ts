import fc from "fast-check";
import {
  AIMessage,
  type BaseMessage,
  createReactAgent,
  tool,
  validateChatHistory,
} from "superstep";
import { FakeChatModel } from "superstep/testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { readAll, turns } from "../scenarios/world.ts";
import { type Agent, type CommonOptions, last, needMoreSteps, newAgent } from "./world.ts";

type Kind = "fine" | "throws" | "unknown" | "misfit" | "invalid";
interface Call {
  readonly kind: Kind;
  readonly turns: number;
}
type Round = readonly Call[];

const call = fc.record<Call>({
  kind: fc.constantFrom<Kind>("fine", "throws", "unknown", "misfit", "invalid"),
  turns: fc.integer({ min: 0, max: 4 }),
});
const rounds = fc.array(fc.array(call, { minLength: 1, maxLength: 5 }), { maxLength: 5 });

const work = tool(
  async ({ turns: count, fail }) => {
    await turns(count);
    if (fail) throw new Error("failed");
    return `after ${count}`;
  },
  {
    name: "work",
    description: "work",
    schema: z.object({ turns: z.number(), fail: z.boolean() }),
  },
);

function answerFor(round: Round, index: number): AIMessage {
  const ids = round.map((_, i) => `r${index}c${i}`);
  const calls = round.map(({ kind, turns: count }, i) => ({
    id: ids[i]!,
    name: kind === "unknown" ? "missing" : "work",
    args: kind === "misfit" ? { turns: "x" } : { turns: count, fail: kind === "throws" },
  }));
  return new AIMessage({
    content: `round ${index}`,
    tool_calls: calls.filter((_, i) => round[i]!.kind !== "invalid"),
    invalid_tool_calls: ids
      .filter((_, i) => round[i]!.kind === "invalid")
      .map((id) => ({ id, name: "work", args: "{", error: "Malformed args." })),
  });
}

function modelFor(script: readonly Round[]): FakeChatModel {
  return new FakeChatModel({ responses: [...script.map(answerFor), "final"] });
}

/** The calls of each answer, and the results that stand after it. */
function pairs(messages: readonly BaseMessage[]): { calls: string[]; results: string[] }[] {
  const found: { calls: string[]; results: string[] }[] = [];
  for (const message of messages) {
    if (message.type === "tool") found.at(-1)?.results.push(message.tool_call_id);
    if (message.type !== "ai") continue;
    const calls = [...message.tool_calls, ...message.invalid_tool_calls].map(({ id }) => id!);
    found.push({ calls, results: [] });
  }
  return found;
}

/** After each answer come its results, in the order of its calls. */
function expectInCallOrder(messages: readonly BaseMessage[]): void {
  for (const { calls, results } of pairs(messages)) expect(results).toEqual(calls);
}

const variants: readonly { name: string; create: (options: CommonOptions) => Agent }[] = [
  newAgent,
  ...(["v1", "v2"] as const).map((version) => ({
    name: `createReactAgent ${version}`,
    create: (options: CommonOptions) => createReactAgent({ ...options, version }),
  })),
];

describe.each(variants)("for every script, $name", ({ create }) => {
  test("G5, item 71: leaves a valid history, results in call order, and calls the model once a round", async () => {
    await fc.assert(
      fc.asyncProperty(rounds, fc.constantFrom(1, 2, Infinity), async (script, maxConcurrency) => {
        const model = modelFor(script);
        const agent = create({ model, tools: [work] });
        const { messages } = await agent.invoke({ messages: "q" }, { maxConcurrency });
        validateChatHistory(messages);
        expectInCallOrder(messages);
        expect(model.requests).toHaveLength(script.length + 1);
        expect(last(messages).text).toBe("final");
        const statuses = messages.flatMap((message) =>
          message.type === "tool" ? [[message.tool_call_id, message.status] as const] : [],
        );
        const wanted = script.flatMap((round, r) =>
          round.map(
            ({ kind }, i) => [`r${r}c${i}`, kind === "fine" ? "success" : "error"] as const,
          ),
        );
        expect(new Map(statuses)).toEqual(new Map(wanted));
      }),
      { numRuns: 60 },
    );
  });

  test("item 23: lands softly or ends, whatever the limit", async () => {
    await fc.assert(
      fc.asyncProperty(rounds, fc.integer({ min: 1, max: 12 }), async (script, recursionLimit) => {
        const model = modelFor(script);
        const agent = create({ model, tools: [work] });
        const { messages } = await agent.invoke({ messages: "q" }, { recursionLimit });
        validateChatHistory(messages);
        expectInCallOrder(messages);
        const fits = recursionLimit >= 2 * script.length + 1;
        expect(last(messages).text).toBe(fits ? "final" : needMoreSteps);
        expect(model.requests).toHaveLength(
          fits ? script.length + 1 : Math.ceil(recursionLimit / 2),
        );
      }),
      { numRuns: 60 },
    );
  });

  test("item 70: what is streamed is what is stored", async () => {
    await fc.assert(
      fc.asyncProperty(rounds, async (script) => {
        const agent = create({ model: modelFor(script), tools: [work] });
        const items = await readAll(
          agent.stream({ messages: "q" }, { streamMode: ["messages", "values"] }),
        );
        const streamed = new Map<string | undefined, string>();
        let final: readonly BaseMessage[] = [];
        for (const item of items) {
          if (item[0] === "values") final = item[1].messages;
          else {
            const { id, text } = item[1][0] as BaseMessage;
            streamed.set(id, (streamed.get(id) ?? "") + text);
          }
        }
        const stored = new Map(final.slice(1).map(({ id, text }) => [id, text]));
        expect(streamed).toEqual(stored);
      }),
      { numRuns: 40 },
    );
  });
});
