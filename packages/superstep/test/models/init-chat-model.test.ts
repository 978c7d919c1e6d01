import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { startModelServer } from "superstep/testing";
import { initChatModel } from "superstep/models";

beforeEach(() => {
  for (const name of ["SUPERSTEP_MODEL", "OPENAI_BASE_URL", "OPENAI_API_KEY"]) {
    vi.stubEnv(name, undefined);
  }
});
afterEach(() => vi.unstubAllEnvs());

describe("an OpenAI-compatible endpoint", () => {
  test("needs only a base URL, a key and a model, as options", async () => {
    await using server = await startModelServer({ replies: ["Hello"] });
    const model = await initChatModel("Qwen3-32B", { baseURL: server.baseURL, apiKey: "k" });
    expect([model.provider, model.modelName]).toEqual(["openai-compatible", "Qwen3-32B"]);
    expect((await model.invoke("hi")).content).toBe("Hello");
    expect(server.requests[0]).toMatchObject({
      path: "/v1/chat/completions",
      headers: { authorization: "Bearer k" },
      body: { model: "Qwen3-32B", messages: [{ role: "user", content: "hi" }] },
    });
  });

  test("or as variables of the environment", async () => {
    await using server = await startModelServer({ replies: ["Hello"] });
    vi.stubEnv("SUPERSTEP_MODEL", "qwen2.5:7b");
    vi.stubEnv("OPENAI_BASE_URL", server.baseURL);
    vi.stubEnv("OPENAI_API_KEY", "from-env");
    const model = await initChatModel();
    expect((await model.invoke("hi")).content).toBe("Hello");
    expect(server.requests[0]).toMatchObject({
      headers: { authorization: "Bearer from-env" },
      body: { model: "qwen2.5:7b" },
    });
  });

  test("a name with the provider openai goes there too", async () => {
    const model = await initChatModel("openai:llama3:8b", { baseURL: "http://localhost:1/v1" });
    expect([model.provider, model.modelName]).toEqual(["openai-compatible", "llama3:8b"]);
  });

  test("OpenAI's own address is OpenAI", async () => {
    for (const options of [{}, { baseURL: "https://api.openai.com/v1" }]) {
      const model = await initChatModel("openai:gpt-5", { ...options, apiKey: "k" });
      expect(model.provider).toBe("openai");
    }
  });

  test.for(["ollama", "lmstudio", "vllm"])(
    "%s has an address of its own and needs no key",
    async (name) => {
      expect((await initChatModel(`${name}:llama3`)).provider).toBe(name);
    },
  );

  test("without an address says so", async () => {
    await expect(initChatModel("openai-compatible:m")).rejects.toMatchObject({
      code: "INVALID_OPTION",
      fix: expect.stringContaining("OPENAI_BASE_URL"),
    });
  });
});

describe("a name", () => {
  test.for([
    ["anthropic:claude-sonnet-4-5", "anthropic", "claude-sonnet-4-5"],
    ["claude-sonnet-4-5", "anthropic", "claude-sonnet-4-5"],
    ["gemini-3-pro-preview", "google", "gemini-3-pro-preview"],
    ["google_genai:gemini-3-pro-preview", "google", "gemini-3-pro-preview"],
    ["deepseek-chat", "deepseek", "deepseek-chat"],
    ["qwen:qwen3-max", "alibaba", "qwen3-max"],
    ["gpt-5", "openai", "gpt-5"],
  ] as const)("item 12: %s is of %s", async ([name, provider, modelName]) => {
    const model = await initChatModel(name, { apiKey: "k" });
    expect([model.provider, model.modelName]).toEqual([provider, modelName]);
  });

  test("can come with its provider beside it", async () => {
    const model = await initChatModel("my-model", { modelProvider: "anthropic", apiKey: "k" });
    expect([model.provider, model.modelName]).toEqual(["anthropic", "my-model"]);
  });

  test.for([["acme:m"], ["strange-model"], ["m", { modelProvider: "acme" }]] as const)(
    "of an unknown provider is refused with those that are known: %j",
    async ([name, options]) => {
      await expect(initChatModel(name, options)).rejects.toMatchObject({
        code: "UNKNOWN_PROVIDER",
        fix: expect.stringContaining("anthropic, cerebras, deepseek"),
      });
    },
  );

  test("of a provider with an access of its own says how to use it", async () => {
    await expect(initChatModel("azure:gpt-5")).rejects.toMatchObject({
      code: "UNKNOWN_PROVIDER",
      fix: "Use fromAiSdk(model) with a model of @ai-sdk/azure: npm install @ai-sdk/azure",
    });
  });

  test("is needed", async () => {
    await expect(initChatModel()).rejects.toMatchObject({
      code: "INVALID_MODEL",
      fix: expect.stringContaining("SUPERSTEP_MODEL"),
    });
    await expect(initChatModel(5 as unknown as string)).rejects.toMatchObject({
      code: "INVALID_MODEL",
    });
  });
});

test("settings among the options are bound, and what no model has is refused", async () => {
  await using server = await startModelServer({ replies: ["Hello"] });
  const model = await initChatModel("m", { baseURL: server.baseURL, temperature: 0, maxTokens: 9 });
  await model.invoke("hi");
  expect(server.requests[0]?.body).toMatchObject({ temperature: 0, max_tokens: 9 });
  expect(Object.keys(server.requests[0]?.body ?? {})).not.toContain("top_p");
  const wrong = { temprature: 1 } as object;
  await expect(initChatModel("gpt-5", wrong)).rejects.toMatchObject({ code: "UNKNOWN_OPTION" });
});

test("the key of Anthropic is taken from its variable", async () => {
  await using server = await startModelServer({ replies: [{ json: {}, status: 401 }] });
  vi.stubEnv("ANTHROPIC_API_KEY", "secret");
  const model = await initChatModel("anthropic:claude-sonnet-4-5", { baseURL: server.baseURL });
  await expect(model.invoke("hi")).rejects.toMatchObject({ code: "MODEL_ERROR", status: 401 });
  expect(server.requests[0]?.headers["x-api-key"]).toBe("secret");
});

test("a key that is missing is an error that names its variable", async () => {
  vi.stubEnv("ANTHROPIC_API_KEY", undefined);
  const model = await initChatModel("anthropic:claude-sonnet-4-5");
  await expect(model.invoke("hi")).rejects.toMatchObject({
    code: "MODEL_ERROR",
    message: expect.stringContaining("ANTHROPIC_API_KEY"),
    retryable: false,
  });
});

test("item 12: a package that is missing is an error that says how to install it", async () => {
  // In another process, where the package cannot be found.
  const hidden = "@ai-sdk/anthropic";
  const script = `
    import { registerHooks } from "node:module";
    registerHooks({
      resolve(specifier, context, next) {
        if (specifier !== "${hidden}") return next(specifier, context);
        const error = new Error("Cannot find package '${hidden}' imported from here");
        throw Object.assign(error, { code: "ERR_MODULE_NOT_FOUND" });
      },
    });
    const { initChatModel } = await import("superstep/models");
    const error = await initChatModel("anthropic:claude").catch((thrown) => thrown);
    console.log(JSON.stringify({ code: error.code, fix: error.fix, message: error.message }));
  `;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--conditions=@superstep/source", "--input-type=module", "--eval", script],
    { cwd: join(import.meta.dirname, "../..") },
  );
  expect(JSON.parse(stdout)).toEqual({
    code: "MISSING_PACKAGE",
    fix: `npm install ${hidden}`,
    message: `The provider "anthropic" needs the package ${hidden}, which is not installed.`,
  });
});
