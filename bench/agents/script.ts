// What every agent is asked to do, whatever library runs it: a number of rounds, in each of which the
// model calls the one tool a number of times, and then an answer that tells the last result.
import { verify } from "../scenario.ts";

export interface Script {
  readonly rounds: number;
  /** Tool calls of one answer. */
  readonly calls: number;
}

export interface ScriptedCall {
  readonly id: string;
  readonly name: string;
  readonly args: { readonly input: string };
}

export const question = "What is the double of the last number?";

/** The tool. A tool that takes one text needs no schema, so it can be run with one and without. */
export const toolName = "double";
export const toolDescription = "Doubles a number.";
export const double = (input: string): string => String(Number(input) * 2);

export const inputSchema = {
  type: "object",
  properties: { input: { type: "string" } },
  required: ["input"],
  additionalProperties: false,
} as const;

/** The calls of that round, made anew as a provider would. */
export function callsOf(round: number, calls: number): ScriptedCall[] {
  return Array.from({ length: calls }, (_, index) => ({
    id: `call_${round}_${index}`,
    name: toolName,
    args: { input: String(round + index) },
  }));
}

/** How many rounds a conversation of single messages has behind it. */
export const roundOf = (messages: number, { calls }: Script): number =>
  (messages - 1) / (1 + calls);

export const finalAnswer = (lastResult: unknown): string => `It is ${String(lastResult)}.`;

/** Throws unless the tool's results have reached the model and nothing was left out. */
export function verifyAnswer(text: unknown, { rounds, calls }: Script): void {
  verify("the answer", text, finalAnswer(double(String(rounds - 1 + calls - 1))));
}

/** The question, in each round an answer and its results, and the last answer. */
export function verifyLength(messages: number, { rounds, calls }: Script): void {
  verify("the number of messages", messages, 2 + rounds * (1 + calls));
}
