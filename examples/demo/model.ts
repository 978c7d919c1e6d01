// The model of the demo programs: a real one when there is a key, else one that answers from a script. The
// script is served over HTTP in the format of OpenAI, so the provider's package is used either way.
import { type ChatModel, initChatModel } from "superstep";
import { type ServerReply, startModelServer } from "superstep/testing";

/** A message of a request, as OpenAI's format has it. */
export interface SentMessage {
  readonly role: string;
  readonly content?: string | null;
}

const env = process.env;
/** The model that the environment names; `undefined` when there is no key. */
const named =
  env["SUPERSTEP_MODEL"] ??
  (env["OPENAI_API_KEY"] ? "openai:gpt-5-mini" : undefined) ??
  (env["ANTHROPIC_API_KEY"] ? "anthropic:claude-sonnet-4-5" : undefined);

export const howTheModelAnswers: string =
  named === undefined
    ? "A scripted model answers, over HTTP on this machine: there is no key in the environment. For a real\n" +
      "one set OPENAI_API_KEY or ANTHROPIC_API_KEY; or SUPERSTEP_MODEL, such as qwen:qwen3-32b, and its key."
    : `The model is ${named}.`;

/** `script` gives the answer to a conversation; it is used only without a key. */
export async function demoModel(
  script: (messages: readonly SentMessage[]) => ServerReply,
): Promise<ChatModel> {
  if (named !== undefined) return initChatModel(named);
  const server = await startModelServer({
    replies: ({ body }) => script((body as { messages: readonly SentMessage[] }).messages),
  });
  server.unref(); // it serves as long as there is something to do
  return initChatModel("qwen3-32b", { baseURL: server.baseURL, apiKey: "none" });
}
