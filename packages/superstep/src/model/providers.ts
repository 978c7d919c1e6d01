/** The function of a provider package that makes a provider out of settings. */
export type Create = (settings: Record<string, unknown>) => unknown;

/** How the models of a provider are made. */
export interface ProviderEntry {
  /** The package that speaks with it. */
  readonly package: string;
  readonly load: () => Promise<Create>;
  /** The endpoint, for providers behind the OpenAI-compatible package. */
  readonly baseURL?: string;
  /** Where the key is, for the same. Others read their own variable. */
  readonly apiKey?: string;
}

/** A provider that speaks OpenAI's chat completions. */
function compatible(baseURL?: string, apiKey?: string): ProviderEntry {
  return {
    package: compatiblePackage,
    load: async () => asCreate((await import("@ai-sdk/openai-compatible")).createOpenAICompatible),
    ...(baseURL !== undefined && { baseURL }),
    ...(apiKey !== undefined && { apiKey }),
  };
}
export const compatiblePackage = "@ai-sdk/openai-compatible";

/** The packages check their settings when they are called; here they are only passed on. */
function asCreate(create: (settings: never) => unknown): Create {
  return create as Create;
}

/** The providers that `initChatModel` knows, by the name before the colon. */
export const providers: Readonly<Record<string, ProviderEntry>> = {
  alibaba: {
    package: "@ai-sdk/alibaba",
    load: async () => asCreate((await import("@ai-sdk/alibaba")).createAlibaba),
  },
  anthropic: {
    package: "@ai-sdk/anthropic",
    load: async () => asCreate((await import("@ai-sdk/anthropic")).createAnthropic),
  },
  cerebras: compatible("https://api.cerebras.ai/v1", "CEREBRAS_API_KEY"),
  deepseek: {
    package: "@ai-sdk/deepseek",
    load: async () => asCreate((await import("@ai-sdk/deepseek")).createDeepSeek),
  },
  fireworks: compatible("https://api.fireworks.ai/inference/v1", "FIREWORKS_API_KEY"),
  google: {
    package: "@ai-sdk/google",
    load: async () => asCreate((await import("@ai-sdk/google")).createGoogleGenerativeAI),
  },
  groq: compatible("https://api.groq.com/openai/v1", "GROQ_API_KEY"),
  lmstudio: compatible("http://localhost:1234/v1"),
  mistral: compatible("https://api.mistral.ai/v1", "MISTRAL_API_KEY"),
  moonshotai: compatible("https://api.moonshot.ai/v1", "MOONSHOT_API_KEY"),
  ollama: compatible("http://localhost:11434/v1"),
  openai: {
    package: "@ai-sdk/openai",
    load: async () => asCreate((await import("@ai-sdk/openai")).createOpenAI),
  },
  "openai-compatible": compatible(),
  openrouter: compatible("https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
  perplexity: compatible("https://api.perplexity.ai", "PERPLEXITY_API_KEY"),
  togetherai: compatible("https://api.together.xyz/v1", "TOGETHER_API_KEY"),
  vllm: compatible("http://localhost:8000/v1"),
  xai: compatible("https://api.x.ai/v1", "XAI_API_KEY"),
};

/** Other names, LangChain's among them. */
const aliases: Readonly<Record<string, string>> = {
  dashscope: "alibaba",
  gemini: "google",
  "google-genai": "google",
  google_genai: "google",
  mistralai: "mistral",
  qwen: "alibaba",
  together: "togetherai",
};

/** Providers with an access of their own (cloud credentials), and the package that has it. */
const otherPackages: Readonly<Record<string, string>> = {
  azure: "@ai-sdk/azure",
  azure_openai: "@ai-sdk/azure",
  bedrock: "@ai-sdk/amazon-bedrock",
  bedrock_converse: "@ai-sdk/amazon-bedrock",
  cohere: "@ai-sdk/cohere",
  "google-vertexai": "@ai-sdk/google-vertex",
  google_vertexai: "@ai-sdk/google-vertex",
  vertex: "@ai-sdk/google-vertex",
};

/** The name in the table; `undefined` for a name that is not known. */
export function knownProvider(name: string): string | undefined {
  if (Object.hasOwn(providers, name)) return name;
  return Object.hasOwn(aliases, name) ? aliases[name] : undefined;
}

/** The package of a provider that is not loaded here; `undefined` for other names. */
export function otherPackage(name: string): string | undefined {
  return Object.hasOwn(otherPackages, name) ? otherPackages[name] : undefined;
}

const byModelName: readonly (readonly [RegExp, string])[] = [
  [/^(?:gpt-|chatgpt|o[1-9]|codex)/i, "openai"],
  [/^claude/i, "anthropic"],
  [/^gemini/i, "google"],
  [/^deepseek/i, "deepseek"],
  [/^(?:qwen|qwq)/i, "alibaba"],
  [/^grok/i, "xai"],
  [/^(?:mistral|magistral|codestral|ministral)/i, "mistral"],
  [/^kimi/i, "moonshotai"],
];

/** Whose model a name without a provider is; `undefined` when it does not say. */
export function guessProvider(model: string): string | undefined {
  return byModelName.find(([pattern]) => pattern.test(model))?.[1];
}
