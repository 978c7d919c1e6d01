import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { describe } from "../errors/describe.ts";
import { SuperstepError } from "../errors/errors.ts";
import { completion, completionEvents, type WireAnswer } from "./wire.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Whose wire format a recording is in. */
export type WireFormat = "openai-chat" | "openai-responses" | "anthropic" | "gemini";

/** How the events of a stream come. */
interface Pace {
  /** Milliseconds before each event, or before an answer that comes whole. Default: none. */
  readonly delayMs?: number;
  /** The connection breaks after this many events. Default: never. */
  readonly breakAfter?: number;
}

/**
 * What the server answers to one request: a text or an answer in words, in the format of OpenAI's
 * chat completions, streamed when the request asks for it; recorded events, one JSON a line, sent in
 * a provider's format; a raw stream; a JSON document; or an error, which is a JSON document with a
 * status.
 */
export type ServerReply =
  | string
  | (WireAnswer & Pace)
  | ({ readonly chunks: string | readonly string[]; readonly format: WireFormat } & Pace)
  | ({ readonly sse: string } & Pace)
  | {
      readonly json: unknown;
      /** Default: 200. */
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
    };

/** A request as it came. */
export interface ServerRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The JSON body; `undefined` when there was none. */
  readonly body: unknown;
}

export interface ModelServerOptions {
  /** One for each request, in order; or a function that is asked for each. */
  readonly replies:
    | readonly ServerReply[]
    | ((request: ServerRequest) => ServerReply | Promise<ServerReply>);
}

/** A model server that listens on this machine. */
export interface ModelServer extends AsyncDisposable {
  /** "http://127.0.0.1:<port>" */
  readonly url: string;
  /** The same with "/v1": the base URL of OpenAI-compatible providers. */
  readonly baseURL: string;
  /** All requests so far, in order. */
  readonly requests: readonly ServerRequest[];
  /** Throws `SCRIPT_UNFINISHED` when replies are left over. */
  assertFinished(): void;
  /** Lets the process end while the server listens. */
  unref(): void;
  /** Breaks what is open and stops. */
  close(): Promise<void>;
}

/**
 * Starts a server on the loopback interface that plays a provider of models: for tests and demos
 * that should go through HTTP. It gives its replies one after the other, whatever the path, and
 * records what it was asked. A request too many is answered with status 400 and says so.
 *
 * @example
 * const server = await startModelServer({ replies: ["Hello"] }); // and server.close() in the end
 * const model = await initChatModel("openai:any", { baseURL: server.baseURL, apiKey: "none" });
 */
export async function startModelServer(options: ModelServerOptions): Promise<ModelServer> {
  const { replies } = options;
  const requests: ServerRequest[] = [];
  const script = typeof replies === "function" ? undefined : replies;
  const next = (request: ServerRequest): ServerReply | Promise<ServerReply> => {
    if (typeof replies === "function") return replies(request);
    return replies[requests.length - 1] ?? exhausted(requests.length, replies.length);
  };
  const server = createServer((incoming, response) => {
    void (async () => {
      const request = await readRequest(incoming);
      requests.push(request);
      await send(await next(request), request, response, requests.length);
    })().catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else sendJson(response, { error: { message: String(error) } }, 500);
    });
  });
  const url = await listen(server);
  const close = async (): Promise<void> => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await closed;
  };
  return {
    url,
    baseURL: `${url}/v1`,
    requests,
    unref: () => void server.unref(),
    close,
    [Symbol.asyncDispose]: close,
    assertFinished(): void {
      const left = script?.slice(requests.length) ?? [];
      if (left.length === 0) return;
      throw new SuperstepError(
        "SCRIPT_UNFINISHED",
        `The model server has replies left over (${left.length}); the next is ${describe(left[0])}.`,
        { fix: "Make the requests that are missing, or remove the replies." },
      );
    },
  };
}

function exhausted(asked: number, there: number): ServerReply {
  const message = `The model server has ${there} replies and was asked for reply ${asked}.`;
  return { status: 400, json: { error: { message, type: "invalid_request_error" } } };
}

async function send(
  reply: ServerReply,
  request: ServerRequest,
  response: ServerResponse,
  ordinal: number,
): Promise<void> {
  if (typeof reply === "string") return send({ text: reply }, request, response, ordinal);
  if ("json" in reply) return sendJson(response, reply.json, reply.status, reply.headers);
  if ("chunks" in reply) return sendEvents(response, frames(reply.chunks, reply.format), reply);
  if ("sse" in reply) {
    return sendEvents(response, reply.sse.split(/(?<=\r?\n\r?\n)/), reply);
  }
  const { model = "model", stream } = (request.body ?? {}) as Readonly<Record<string, unknown>>;
  const envelope = { id: `answer-${ordinal}`, model: String(model) };
  if (stream !== true) {
    if (reply.delayMs !== undefined) await pause(reply.delayMs);
    return sendJson(response, completion(reply, envelope));
  }
  return sendEvents(response, frames(completionEvents(reply, envelope), "openai-chat"), reply);
}

/** Recorded events as the provider frames them. */
function frames(chunks: string | readonly string[], format: WireFormat): string[] {
  const lines = typeof chunks === "string" ? chunks.split("\n") : chunks;
  const events = lines.filter((line) => line.trim() !== "");
  const framed = events.map((line) => {
    if (format === "openai-chat") return `data: ${line}\n\n`;
    if (format === "gemini") return `data: ${line}\r\n\r\n`;
    // Not parsed: a recording may hold lines that are no JSON.
    const type = /"type"\s*:\s*"([^"]*)"/.exec(line)?.[1] ?? "message";
    return `event: ${type}\ndata: ${line}\n\n`;
  });
  return format === "openai-chat" ? [...framed, "data: [DONE]\n\n"] : framed;
}

async function sendEvents(
  response: ServerResponse,
  events: readonly string[],
  { delayMs = 0, breakAfter = Infinity }: Pace,
): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.flushHeaders();
  response.flushHeaders();
  for (const [index, event] of events.entries()) {
    if (index >= breakAfter) {
      // What was written before has to arrive before the connection breaks.
      await pause(20);
      response.destroy();
      return;
    }
    if (delayMs > 0) await pause(delayMs);
    if (response.destroyed) return;
    response.write(event);
  }
  response.end();
}

function sendJson(
  response: ServerResponse,
  body: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}

async function readRequest(incoming: IncomingMessage): Promise<ServerRequest> {
  let text = "";
  incoming.setEncoding("utf8");
  for await (const piece of incoming) text += String(piece);
  const { method = "GET", url: path = "/", headers } = incoming;
  return { method, path, headers, body: text === "" ? undefined : (JSON.parse(text) as Fields) };
}

function listen(server: Server): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      resolve(`http://127.0.0.1:${port}`);
    });
  });
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
