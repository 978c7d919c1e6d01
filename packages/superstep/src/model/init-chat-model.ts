import { describe } from "../errors/describe.ts";
import { SuperstepError } from "../errors/errors.ts";
import { warnOnce } from "../errors/warn.ts";
import { fromAiSdk, isAiSdkModel } from "./ai-sdk.ts";
import type { ConfigurableChatModel } from "./chat-model.ts";
import {
  compatiblePackage,
  type Create,
  guessProvider,
  knownProvider,
  otherPackage,
  type ProviderEntry,
  providers,
} from "./providers.ts";
import { repairingFetch } from "./repair.ts";
import type { ModelSettings } from "./types.ts";

/** Options of `initChatModel`, with the settings of the model among them. */
export interface InitChatModelOptions extends ModelSettings {
  /** The provider, when the model's name does not begin with it. */
  readonly modelProvider?: string | undefined;
  /** Default: the provider's own variable, such as `ANTHROPIC_API_KEY`. */
  readonly apiKey?: string | undefined;
  /**
   * Where the API is. For OpenAI's protocol default: `OPENAI_BASE_URL`; an address that is not
   * OpenAI's is spoken to by chat completions.
   */
  readonly baseURL?: string | undefined;
  /** Default: the platform's. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** More settings of the provider package's `create...` function. */
  readonly providerSettings?: Readonly<Record<string, unknown>> | undefined;
  /** As in `fromAiSdk`. */
  readonly replayReasoning?: boolean | undefined;
}

interface Choice {
  readonly provider: string;
  readonly model: string;
  readonly baseURL: string | undefined;
}

/**
 * The chat model of that name: `"anthropic:claude-sonnet-4-5"`, `"gpt-5"`, or without a name the one
 * in `SUPERSTEP_MODEL`. The provider's package is loaded when it is needed.
 *
 * An OpenAI-compatible endpoint (Qwen, DeepSeek, Ollama, vLLM, LM Studio) needs a base URL, a key
 * and a model, as options or as `OPENAI_BASE_URL`, `OPENAI_API_KEY` and `SUPERSTEP_MODEL`.
 *
 * Throws `INVALID_MODEL` when no model is named, `UNKNOWN_PROVIDER`, and `MISSING_PACKAGE`, whose
 * fix is the command that installs it.
 */
export async function initChatModel(
  model?: string,
  options: InitChatModelOptions = {},
): Promise<ConfigurableChatModel> {
  const { fetch, providerSettings, replayReasoning, ...rest } = options;
  const { modelProvider: _, apiKey: __, baseURL: ___, ...settings } = rest;
  const choice = choose(model, options);
  const entry = providers[choice.provider]!;
  const create = await loadCreate(choice.provider, entry);
  const made = create({
    ...connection(choice, entry, options),
    fetch: repairingFetch(fetch ?? laterFetch, (text) => warnOnce(create, text)),
    ...providerSettings,
  });
  const aiSdkModel: unknown = typeof made === "function" ? made(choice.model) : made;
  if (!isAiSdkModel(aiSdkModel)) {
    throw new SuperstepError(
      "INVALID_MODEL",
      `${entry.package} made ${describe(aiSdkModel)} for the model "${choice.model}".`,
      { fix: `Install a version of ${entry.package} with models of specification v2, v3 or v4.` },
    );
  }
  return fromAiSdk(aiSdkModel, { ...settings, replayReasoning });
}

/** The platform's fetch at the time of the call, so that it can be replaced after the model was made. */
const laterFetch: typeof globalThis.fetch = (input, init) => globalThis.fetch(input, init);

function choose(given: string | undefined, options: InitChatModelOptions): Choice {
  const name = given ?? variable("SUPERSTEP_MODEL");
  if (typeof name !== "string" || name === "") {
    throw new SuperstepError(
      "INVALID_MODEL",
      name === undefined
        ? "No model is named."
        : `A model's name was expected: got ${describe(name)}.`,
      { fix: 'Give a name such as "anthropic:claude-sonnet-4-5", or set SUPERSTEP_MODEL.' },
    );
  }
  const { provider, model } = split(name, options);
  if (model === "") {
    throw new SuperstepError("INVALID_MODEL", `${describe(name)} names no model.`, {
      fix: 'Give a name such as "anthropic:claude-sonnet-4-5".',
    });
  }
  const baseURL = options.baseURL ?? variable("OPENAI_BASE_URL");
  if (provider === "openai-compatible") return { provider, model, baseURL };
  if (provider !== "openai") return { provider, model, baseURL: options.baseURL };
  return { provider: isOpenAI(baseURL) ? "openai" : "openai-compatible", model, baseURL };
}

/** Model names may have colons of their own ("llama3:8b"): only a known provider is one. */
function split(
  name: string,
  options: InitChatModelOptions,
): { readonly provider: string; readonly model: string } {
  const { modelProvider } = options;
  if (modelProvider !== undefined) {
    const provider = knownProvider(modelProvider);
    if (provider === undefined) throw unknownProvider(modelProvider);
    return { provider, model: name };
  }
  const colon = name.indexOf(":");
  const known = colon > 0 ? knownProvider(name.slice(0, colon)) : undefined;
  if (known !== undefined) return { provider: known, model: name.slice(colon + 1) };
  const baseURL = options.baseURL ?? variable("OPENAI_BASE_URL");
  if (!isOpenAI(baseURL)) return { provider: "openai-compatible", model: name };
  const guessed = guessProvider(name);
  if (guessed !== undefined) return { provider: guessed, model: name };
  throw unknownProvider(colon > 0 ? name.slice(0, colon) : undefined, name);
}

function isOpenAI(baseURL: string | undefined): boolean {
  if (baseURL === undefined) return true;
  return URL.canParse(baseURL) && new URL(baseURL).hostname === "api.openai.com";
}

/** The settings of the provider. A key that nobody gave is not in them. */
function connection(
  { provider, baseURL }: Choice,
  entry: ProviderEntry,
  { apiKey, headers }: InitChatModelOptions,
): Record<string, unknown> {
  const url = baseURL ?? entry.baseURL;
  const settings: Record<string, unknown> = {};
  if (url !== undefined) settings["baseURL"] = url;
  if (apiKey !== undefined) settings["apiKey"] = apiKey;
  if (headers !== undefined) settings["headers"] = headers;
  if (entry.package !== compatiblePackage) return settings;
  if (url === undefined) {
    throw new SuperstepError("INVALID_OPTION", "An OpenAI-compatible endpoint needs a base URL.", {
      fix: 'Give baseURL, or set OPENAI_BASE_URL, such as "http://localhost:11434/v1".',
    });
  }
  const key = apiKey ?? variable(entry.apiKey ?? "OPENAI_API_KEY");
  if (key === undefined && entry.apiKey !== undefined) {
    throw new SuperstepError("INVALID_OPTION", `The provider "${provider}" needs an API key.`, {
      fix: `Give apiKey, or set ${entry.apiKey}.`,
    });
  }
  if (key !== undefined) settings["apiKey"] = key;
  // Without it, endpoints send no token counts with a stream.
  return { ...settings, name: provider, includeUsage: true };
}

async function loadCreate(provider: string, entry: ProviderEntry): Promise<Create> {
  const { package: name } = entry;
  let create: unknown;
  try {
    create = await entry.load();
  } catch (error) {
    if (!isMissing(error, name)) throw error;
    throw new SuperstepError(
      "MISSING_PACKAGE",
      `The provider "${provider}" needs the package ${name}, which is not installed.`,
      { fix: `npm install ${name}`, cause: error },
    );
  }
  if (typeof create === "function") return create as Create;
  throw new SuperstepError("INVALID_MODEL", `This version of ${name} is not known.`, {
    fix: `Install a newer one: npm install ${name}@latest`,
  });
}

/** Not there, rather than there and broken. */
function isMissing(error: unknown, name: string): boolean {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  const missing = code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND";
  const text = String(message);
  return text.includes(name) && (missing || /failed to resolve|cannot find/i.test(text));
}

function unknownProvider(provider: string | undefined, model?: string): SuperstepError {
  const what =
    provider === undefined
      ? `It is not known whose model "${model}" is.`
      : `The provider "${provider}" is not known.`;
  const own = provider === undefined ? undefined : otherPackage(provider);
  if (own !== undefined) {
    return new SuperstepError("UNKNOWN_PROVIDER", what, {
      fix: `Use fromAiSdk(model) with a model of ${own}: npm install ${own}`,
    });
  }
  return new SuperstepError("UNKNOWN_PROVIDER", what, {
    fix:
      `Name one of these before a colon: ${Object.keys(providers).join(", ")}; or give baseURL for ` +
      `an OpenAI-compatible endpoint; or use fromAiSdk(model) with any AI SDK provider.`,
  });
}

/** An environment variable; an empty one is none. Platforms without an environment have none. */
function variable(name: string): string | undefined {
  const host = globalThis as {
    readonly process?: { readonly env?: Readonly<Record<string, string | undefined>> };
  };
  return host.process?.env?.[name] || undefined;
}
