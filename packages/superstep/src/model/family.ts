import type { ContentBlock } from "../message/types.ts";
import type { ProviderData } from "./port.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A block or a call. */
interface Carrier {
  readonly provider?: unknown;
}

/** A model as the converters see it. */
export interface Target {
  /** Who understands whose opaque data: "openai", "anthropic", "google", ... */
  readonly family: string;
  /** Under which names the provider package looks for its data. */
  readonly keys: readonly string[];
  readonly version: "v2" | "v3" | "v4";
  /** Whether reasoning that the provider gave goes back to it. */
  readonly replaysReasoning: boolean;
  /** Says once that something was left out. */
  readonly warn: (text: string) => void;
}

/** "openai.responses" is of the provider "openai". */
export function providerName(provider: string): string {
  return provider.split(".", 1)[0] ?? provider;
}

const twins: ReadonlyMap<string, string> = new Map([
  ["vertex", "google"],
  ["googlevertex", "google"],
  ["googlegenerativeai", "google"],
  ["amazonbedrock", "bedrock"],
]);

/** Twin backends of one vendor (Gemini and Vertex) take each other's data. */
export function familyOf(provider: string): string {
  if (/anthropic/i.test(provider)) return "anthropic";
  const name = providerName(provider).toLowerCase().replace(/[-_]/g, "");
  return twins.get(name) ?? name;
}

/** The names under which packages of a family look for their data. */
export function keysOf(provider: string): readonly string[] {
  const family = familyOf(provider);
  if (family === "google") return ["google", "vertex", "googleVertex"];
  if (family === "anthropic") return ["anthropic"];
  if (family === "bedrock") return ["bedrock"];
  const name = providerName(provider);
  const camel = name.replace(/[-_](\w)/g, (_, letter: string) => letter.toUpperCase());
  return camel === name ? [name] : [name, camel];
}

/** Whether a part comes from the target's vendor: by its own data, else by its message's. */
export function isOwn(part: object, origin: unknown, to: Target): boolean {
  const { provider } = part as Carrier;
  if (isRecord(provider)) return Object.keys(provider).some((key) => familyOf(key) === to.family);
  return typeof origin === "string" && familyOf(origin) === to.family;
}

/**
 * The opaque data of a part that the target may see; `undefined` when there is none. Empty texts in
 * it stand for nothing and are left out.
 */
export function providerOptionsOf(part: object, to: Target): ProviderData | undefined {
  const { provider } = part as Carrier;
  if (!isRecord(provider)) return undefined;
  let own: Fields | undefined;
  for (const [key, data] of Object.entries(provider)) {
    if (familyOf(key) === to.family && isRecord(data)) own = { ...own, ...data };
  }
  const present = Object.entries(own ?? {}).filter(([, value]) => value !== "");
  if (present.length === 0) return undefined;
  const data = Object.fromEntries(present);
  return Object.fromEntries(to.keys.map((key) => [key, data]));
}

/** As `providerOptionsOf`, with Anthropic's cache marker where LangChain's blocks carry it. */
export function optionsOfBlock(block: ContentBlock, to: Target): ProviderData | undefined {
  const options = providerOptionsOf(block, to);
  const marker = block["cache_control"];
  if (to.family !== "anthropic" || !isRecord(marker)) return options;
  return { anthropic: { ...(options?.["anthropic"] as Fields | undefined), cacheControl: marker } };
}

export function isRecord(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
