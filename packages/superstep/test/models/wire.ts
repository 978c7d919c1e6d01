import { readFileSync } from "node:fs";
import { join } from "node:path";
import { initChatModel } from "superstep/models";
import {
  type ServerReply,
  type ServerRequest,
  startModelServer,
  type WireFormat,
} from "superstep/testing";

type Model = Awaited<ReturnType<typeof initChatModel>>;

/** The tools that the recorded answers call. */
const names = [
  "cityAttractions",
  "first",
  "getWeather",
  "late",
  "list",
  "pay",
  "read",
  "read_file",
  "read_screen",
  "read_theme",
  "second",
  "test-tool",
  "updateIssueList",
  "weather",
  "writeItems",
];
export const tools = names.map((name) => ({
  type: "function" as const,
  function: { name, description: name, parameters: { type: "object", properties: {} } },
}));

/** A model of the provider package that speaks the format, at that server. */
export async function modelAt(
  server: { readonly url: string; readonly baseURL: string },
  format: WireFormat,
  name?: string,
): Promise<Model> {
  const { baseURL, url } = server;
  const apiKey = "none";
  switch (format) {
    case "openai-chat":
      return initChatModel(name ?? "small", { baseURL, apiKey });
    case "openai-responses":
      // Not as baseURL: at an address that is not OpenAI's that would mean chat completions.
      return initChatModel(name ?? "openai:gpt-small", { apiKey, providerSettings: { baseURL } });
    case "anthropic":
      return initChatModel(name ?? "anthropic:claude-small", { baseURL, apiKey });
    case "gemini":
      return initChatModel(name ?? "google:gemini-small", { baseURL: `${url}/v1beta`, apiKey });
    default:
      return format satisfies never;
  }
}

/** What bodies hold, each provider's its own part of it. */
interface SentBody {
  readonly messages: readonly Record<string, unknown>[];
  readonly input: readonly Record<string, unknown>[];
  readonly contents: readonly { readonly role: string; readonly parts: readonly object[] }[];
}

/** The body of the first request that a server got. */
export function bodyOf(server: { readonly requests: readonly ServerRequest[] }): SentBody {
  const [request] = server.requests;
  if (!request) throw new Error("The server got no request.");
  return request.body as SentBody;
}

/** One of our own recordings. */
export function recording(name: string): ServerReply {
  return { sse: readFileSync(join(import.meta.dirname, "recordings", `${name}.sse`), "utf8") };
}

/** What a model makes of the reply: the pieces, and the message or the error. */
export async function play(
  reply: ServerReply,
  format: WireFormat,
  options: { readonly name?: string; readonly bind?: (model: Model) => Model } = {},
) {
  await using server = await startModelServer({ replies: [reply] });
  const plain = await modelAt(server, format, options.name);
  const model = (options.bind ?? ((given: Model) => given.bindTools(tools)))(plain);
  const pieces = [];
  let error: unknown;
  try {
    for await (const piece of model.stream("hi")) pieces.push(piece);
  } catch (thrown) {
    error = thrown;
  }
  const message = pieces[0]?.concat(...pieces.slice(1)).toMessage();
  return { pieces, message, error, requests: server.requests };
}
