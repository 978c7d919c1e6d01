import { describe } from "../errors/describe.ts";
import { SuperstepError } from "../errors/errors.ts";
import { ContextOverflowError, ModelError, type ModelFailure } from "./errors.ts";

type Fields = Readonly<Record<string, unknown>>;
type Model = { readonly provider: string; readonly modelName: string };

// How OpenAI and those who speak its protocol (DeepSeek, Qwen, vLLM, llama.cpp, Ollama), Anthropic,
// Gemini and Bedrock say that a request is longer than the model's context.
const overflow: readonly RegExp[] = [
  /context[_ ]length[_ ]exceeded/i,
  /maximum context length/i,
  /exceeds? (?:the |this model's |its )?(?:maximum |max |available )?context (?:length|size|window|limit)/i,
  /context window/i,
  /model_context_window_exceeded/i,
  /prompt is too long/i,
  /input (?:is|was) too long/i,
  /input length and `?max_tokens`? exceed context limit/i,
  /input token count .*exceeds the maximum number of tokens/i,
  /range of input length should be/i,
  /exceeds? the (?:maximum|max) (?:number of )?(?:input )?tokens/i,
  /request too large for .*(?:context|tokens per request)/i,
];
// A quota that is used up, unlike a rate, does not come back by waiting.
const exhausted = /insufficient_quota|insufficient balance|credit balance is too low/i;
const retryableStatus: ReadonlySet<number> = new Set([408, 409, 425, 429]);

/**
 * What a provider package threw, or sent as an error within a stream, as our error. Errors of ours
 * and aborts are returned as they are. Nothing is retried here; `retryable` and `retryAfterMs` tell
 * who does.
 */
export function toModelError(thrown: unknown, model: Model): unknown {
  if (thrown instanceof SuperstepError) return thrown;
  const error = unwrap(thrown);
  if (isAbort(error)) return error;
  const status = numberIn(error, "statusCode") ?? numberIn(error, "status") ?? statusOf(error);
  const text = messageOf(error);
  const body = stringIn(error, "responseBody") ?? textOfEvent(error);
  const all = `${text}\n${codeOf(error)}\n${body}`;
  const failure: ModelFailure = {
    provider: model.provider,
    modelName: model.modelName,
    status,
    retryAfterMs: retryAfter(error, body),
    retryable: isRetryable(error, status) && !exhausted.test(all),
  };
  const where = `${model.provider}:${model.modelName}`;
  const message = `${where} failed${status === undefined ? "" : ` with status ${status}`}: ${text}`;
  const details = { cause: thrown };
  if ((status ?? 400) < 429 && overflow.some((pattern) => pattern.test(all))) {
    return new ContextOverflowError(
      message,
      { ...failure, retryable: false },
      { ...details, fix: "Send fewer or shorter messages: trim or summarise the history." },
    );
  }
  return new ModelError(message, failure, { ...details, fix: fixFor(error, failure) });
}

function fixFor(error: unknown, { status, retryable, retryAfterMs }: ModelFailure): string {
  if (stringIn(error, "name") === "AI_LoadAPIKeyError") {
    return "Set the environment variable that the message names, or give apiKey.";
  }
  if (status === 401 || status === 403) return "Check the API key and what it may use.";
  if (status === 404) return "Check the model's name and the base URL.";
  if (retryable) {
    const wait = retryAfterMs === undefined ? "" : ` after ${retryAfterMs} ms`;
    return `Try again${wait}; nothing has been retried.`;
  }
  return "Change the request as the message says; the same one would fail again.";
}

/** AI SDK's RetryError and the like hold the error that counts. */
function unwrap(thrown: unknown): unknown {
  const last = fieldOf(thrown, "lastError");
  return last ?? thrown;
}

function isAbort(error: unknown): boolean {
  const name = stringIn(error, "name");
  return error instanceof Error && (name === "AbortError" || name === "TimeoutError");
}

function isRetryable(error: unknown, status: number | undefined): boolean {
  const said = fieldOf(error, "isRetryable");
  if (typeof said === "boolean") return said;
  if (status !== undefined) return status >= 500 || retryableStatus.has(status);
  const kind = codeOf(error);
  return /overloaded|rate_limit|server_error|unavailable|timeout|fetch failed|ECONN/i.test(
    `${kind} ${messageOf(error)}`,
  );
}

/** The kind of error that an event within a stream names; events have no status. */
const statusByKind: ReadonlyMap<string, number> = new Map([
  ["overloaded_error", 529],
  ["rate_limit_error", 429],
  ["api_error", 500],
  ["server_error", 500],
  ["authentication_error", 401],
  ["permission_error", 403],
  ["not_found_error", 404],
  ["invalid_request_error", 400],
]);

function statusOf(error: unknown): number | undefined {
  return numberIn(error, "code") ?? statusByKind.get(codeOf(error));
}

function codeOf(error: unknown): string {
  const inner = fieldOf(error, "error") ?? fieldOf(fieldOf(error, "data"), "error") ?? error;
  return stringIn(inner, "code") ?? stringIn(inner, "type") ?? stringIn(inner, "status") ?? "";
}

function messageOf(error: unknown): string {
  const inner = fieldOf(error, "error");
  const text = stringIn(error, "message") ?? stringIn(inner, "message");
  if (text !== undefined && text !== "") return text;
  const body = stringIn(error, "responseBody") ?? "";
  if (body !== "") return messageInBody(body);
  return typeof error === "string" ? error : describe(error);
}

/** What a body says for itself, of whatever server it is. */
function messageInBody(body: string): string {
  try {
    const json: unknown = JSON.parse(body);
    const said = stringIn(fieldOf(json, "error"), "message") ?? stringIn(json, "message");
    if (said !== undefined && said !== "") return said;
  } catch {
    // A page or a plain text.
  }
  return body.slice(0, 200);
}

/** How long to wait, in milliseconds: from the headers, else from Google's RetryInfo in the body. */
function retryAfter(error: unknown, body: string): number | undefined {
  const headers = fieldOf(error, "responseHeaders") as Fields | undefined;
  const exact = Number(headers?.["retry-after-ms"]);
  if (headers?.["retry-after-ms"] !== undefined && Number.isFinite(exact)) return exact;
  const header = headers?.["retry-after"];
  if (typeof header === "string" && header !== "") {
    const seconds = Number(header);
    if (Number.isFinite(seconds)) return Math.round(seconds * 1000);
    const date = Date.parse(header);
    if (!Number.isNaN(date)) return Math.max(0, date - Date.now());
  }
  const delay = /"retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s"/.exec(body)?.[1];
  return delay === undefined ? undefined : Math.round(Number(delay) * 1000);
}

/** An error that came as an event within a stream is plain data: all of it is its body. */
function textOfEvent(error: unknown): string {
  if (error instanceof Error || typeof error !== "object" || error === null) return "";
  try {
    return JSON.stringify(error) ?? "";
  } catch {
    return ""; // circular: the message has to do
  }
}

function fieldOf(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  return (value as Fields)[key];
}

function stringIn(value: unknown, key: string): string | undefined {
  const field = fieldOf(value, key);
  return typeof field === "string" ? field : undefined;
}

function numberIn(value: unknown, key: string): number | undefined {
  const field = fieldOf(value, key);
  return typeof field === "number" ? field : undefined;
}
