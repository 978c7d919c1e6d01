import { describe, listNames } from "../errors/describe.ts";
import { SuperstepError } from "../errors/errors.ts";
import type { CallOptions, ModelSettings } from "./types.ts";

type Mutable = Record<string, unknown>;

const settingNames = [
  "tools",
  "tool_choice",
  "parallel_tool_calls",
  "temperature",
  "maxTokens",
  "topP",
  "topK",
  "presencePenalty",
  "frequencyPenalty",
  "stop",
  "seed",
  "headers",
  "providerOptions",
  "responseFormat",
  "tags",
  "metadata",
] as const satisfies readonly (keyof ModelSettings)[];

const known: ReadonlySet<string> = new Set([...settingNames, "signal", "task"]);
// What tells the runtime of a node, or a run's options, from the options of a call.
const ofRuns = ["executionInfo", "configurable", "callbacks", "runId", "context"];

/**
 * `more` over `base`, key by key. A key that is not set, or is `undefined`, changes nothing; tags
 * are added up; headers, metadata and each provider's options are merged by name.
 */
export function mergeSettings(base: ModelSettings, more: ModelSettings): ModelSettings {
  let merged: Mutable | undefined;
  for (const name of settingNames) {
    const value = more[name];
    if (value === undefined) continue;
    merged ??= { ...base };
    merged[name] = mergeValue(name, base[name], value);
  }
  return merged ? Object.freeze(merged) : base;
}

function mergeValue(name: string, before: unknown, value: unknown): unknown {
  if (before === undefined) return value;
  switch (name) {
    case "tags":
      return [...(before as readonly string[]), ...(value as readonly string[])];
    case "headers":
    case "metadata":
      return mergeDefined(before, value);
    case "providerOptions": {
      const merged: Mutable = { ...(before as Mutable) };
      for (const [provider, options] of Object.entries(value as Mutable)) {
        if (options !== undefined) merged[provider] = mergeDefined(merged[provider], options);
      }
      return merged;
    }
    default:
      return value;
  }
}

function mergeDefined(before: unknown, value: unknown): Mutable {
  const merged: Mutable = { ...(before as Mutable | undefined) };
  for (const [key, item] of Object.entries(value as Mutable)) {
    if (item !== undefined) merged[key] = item;
  }
  return merged;
}

/** Throws `UNKNOWN_OPTION` for an option that no model has, rather than not sending it. */
export function checkOptions(options: CallOptions | undefined, where: string): void {
  if (options === undefined) return;
  if (typeof options !== "object" || options === null) {
    throw new SuperstepError(
      "INVALID_OPTION",
      `${where} takes an object of options: got ${describe(options)}.`,
      { fix: "Give the options as one object, or none." },
    );
  }
  for (const key of Object.keys(options)) {
    if (known.has(key)) continue;
    if (ofRuns.some((name) => name in options)) return;
    throw new SuperstepError("UNKNOWN_OPTION", `${where} has no option "${key}".`, {
      fix:
        `The options are ${listNames(known)}. What only one provider knows goes into ` +
        `providerOptions, under the provider's name.`,
    });
  }
}
