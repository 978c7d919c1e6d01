import { describe, expect, test } from "vitest";
import { ContextOverflowError, ModelError } from "./errors.ts";
import { toModelError } from "./failure.ts";

const model = { provider: "openai", modelName: "m" };

/** As the provider packages throw it. */
function apiError(statusCode: number | undefined, message: string, more: object = {}): Error {
  return Object.assign(new Error(message), { name: "AI_APICallError", statusCode, ...more });
}

function errorOf(thrown: unknown): ModelError {
  const error = toModelError(thrown, model);
  expect(error).toBeInstanceOf(ModelError);
  return error as ModelError;
}

test("a failed request keeps its status, its cause and who failed", () => {
  const cause = apiError(500, "Internal error");
  const error = errorOf(cause);
  expect(error).toMatchObject({
    name: "ModelError",
    code: "MODEL_ERROR",
    status: 500,
    provider: "openai",
    modelName: "m",
    retryable: true,
    retryAfterMs: undefined,
  });
  expect(error.message).toBe("openai:m failed with status 500: Internal error");
  expect(error.cause).toBe(cause);
});

test.for([
  [400, false],
  [401, false],
  [404, false],
  [408, true],
  [409, true],
  [429, true],
  [500, true],
  [529, true],
] as const)("status %i can be tried again: %s", ([status, retryable]) => {
  expect(errorOf(apiError(status, "no")).retryable).toBe(retryable);
});

test("a request that did not get through can be tried again", () => {
  expect(errorOf(new TypeError("fetch failed")).retryable).toBe(true);
  expect(errorOf(apiError(undefined, "Cannot connect", { isRetryable: true })).retryable).toBe(
    true,
  );
});

test("a quota that is used up does not come back by waiting", () => {
  const body = JSON.stringify({ error: { code: "insufficient_quota", message: "quota" } });
  const error = apiError(429, "quota", { isRetryable: true, responseBody: body });
  expect(errorOf(error).retryable).toBe(false);
});

describe("how long to wait", () => {
  test.for([
    [{ responseHeaders: { "retry-after": "2" } }, 2000],
    [{ responseHeaders: { "retry-after-ms": "150", "retry-after": "1" } }, 150],
    [{ responseHeaders: { "retry-after": "0" } }, 0],
    [{ responseHeaders: { "retry-after": "soon" } }, undefined],
    [{ responseHeaders: {} }, undefined],
  ] as const)("of %j is %s", ([more, wait]) => {
    expect(errorOf(apiError(429, "slow down", more)).retryAfterMs).toBe(wait);
  });

  test("of a date is the time until then", () => {
    const later = new Date(Date.now() + 5000).toUTCString();
    const error = errorOf(apiError(503, "no", { responseHeaders: { "retry-after": later } }));
    expect(error.retryAfterMs).toBeGreaterThan(2000);
    expect(error.retryAfterMs).toBeLessThanOrEqual(5000);
  });

  test("is read out of the body that Google sends", () => {
    const details = [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34.4s" }];
    const body = { error: { code: 429, status: "RESOURCE_EXHAUSTED", message: "m", details } };
    const responseBody = JSON.stringify(body, undefined, 2);
    expect(errorOf(apiError(429, "m", { responseBody })).retryAfterMs).toBe(34_400);
    // The same as an event within a stream.
    expect(errorOf(body.error)).toMatchObject({ status: 429, retryAfterMs: 34_400 });
  });
});

describe("POA-21: a context that overflowed is recognised", () => {
  const texts: [string, string][] = [
    ["OpenAI", "This model's maximum context length is 128000 tokens. However, your messages"],
    ["OpenAI Responses", "Your input exceeds the context window of this model."],
    ["DeepSeek", "This model's maximum context length is 65536 tokens. However, you requested"],
    ["Qwen", "Range of input length should be [1, 30720]"],
    ["llama.cpp", "the request exceeds the available context size"],
    ["vLLM", "The decoder prompt (length 9000) exceeds the maximum context length of 4096"],
    ["Anthropic", "prompt is too long: 209000 tokens > 200000 maximum"],
    ["Anthropic", "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000"],
    [
      "Gemini",
      "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
    ],
    ["Bedrock", "Input is too long for requested model."],
  ];
  test.for(texts)("of %s", ([, message]) => {
    const error = toModelError(apiError(400, message), model);
    expect(error).toBeInstanceOf(ContextOverflowError);
    expect(error).toBeInstanceOf(ModelError);
    expect(error).toMatchObject({ code: "CONTEXT_OVERFLOW", status: 400, retryable: false });
  });

  test("by its code", () => {
    const data = { error: { code: "context_length_exceeded", message: "too much" } };
    expect(toModelError(apiError(400, "too much", { data }), model)).toBeInstanceOf(
      ContextOverflowError,
    );
  });

  test("but a rate that was passed is none", () => {
    expect(toModelError(apiError(429, "Rate limit: too many tokens"), model)).not.toBeInstanceOf(
      ContextOverflowError,
    );
    expect(toModelError(apiError(400, "max_tokens must be positive"), model)).not.toBeInstanceOf(
      ContextOverflowError,
    );
  });
});

test("events within a stream have the status of their kind", () => {
  expect(errorOf({ type: "overloaded_error", message: "Overloaded" })).toMatchObject({
    status: 529,
    retryable: true,
    message: "openai:m failed with status 529: Overloaded",
  });
  expect(errorOf({ error: { type: "invalid_request_error", message: "bad" } })).toMatchObject({
    status: 400,
    retryable: false,
  });
  expect(errorOf("just a text").message).toBe("openai:m failed: just a text");
});

test("errors of ours and aborts are what they were", () => {
  const ours = errorOf(apiError(500, "no"));
  expect(toModelError(ours, model)).toBe(ours);
  const abort = new DOMException("stop", "AbortError");
  expect(toModelError(abort, model)).toBe(abort);
});

test("the error that a package gave up with after its own tries is the one that counts", () => {
  const retry = Object.assign(new Error("Failed after 3 attempts"), {
    name: "AI_RetryError",
    lastError: apiError(503, "Unavailable"),
  });
  expect(errorOf(retry)).toMatchObject({ status: 503, retryable: true });
});

test("a key that is missing says which", () => {
  const missing = Object.assign(new Error("OpenAI API key is missing. Set OPENAI_API_KEY."), {
    name: "AI_LoadAPIKeyError",
  });
  expect(errorOf(missing)).toMatchObject({
    retryable: false,
    fix: expect.stringContaining("environment variable"),
  });
});
