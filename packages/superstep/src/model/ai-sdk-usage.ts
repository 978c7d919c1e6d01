import type { UsageMetadata } from "../message/types.ts";
import type { AiSdkTokens, AiSdkUsage } from "./ai-sdk-shapes.ts";

/**
 * Tokens as we count them, from any of the three versions; `undefined` when the provider gave none.
 * The total is the provider's own where it gives one: some count reasoning beside the output.
 */
export function toUsage(usage: AiSdkUsage | undefined): UsageMetadata | undefined {
  if (!usage) return undefined;
  const input = tokens(usage.inputTokens, { cacheRead: usage.cachedInputTokens });
  const output = tokens(usage.outputTokens, { reasoning: usage.reasoningTokens });
  if (input.total === undefined && output.total === undefined) return undefined;
  const sum = (input.total ?? 0) + (output.total ?? 0);
  const inputs = present({ cache_read: input.cacheRead, cache_creation: input.cacheWrite });
  const outputs = present({ reasoning: output.reasoning });
  return {
    input_tokens: input.total ?? 0,
    output_tokens: output.total ?? 0,
    total_tokens: usage.totalTokens ?? rawTotal(usage.raw) ?? sum,
    ...(inputs && { input_token_details: inputs }),
    ...(outputs && { output_token_details: outputs }),
  };
}

function tokens(value: number | AiSdkTokens | undefined, ofV2: AiSdkTokens): AiSdkTokens {
  if (typeof value === "object" && value !== null) return value;
  return { ...ofV2, total: value };
}

/** Counts that are there; zeros say nothing. */
function present<Key extends string>(
  counts: Readonly<Record<Key, number | undefined>>,
): Partial<Record<Key, number>> | undefined {
  const some = Object.entries<number | undefined>(counts).filter(([, count]) => (count ?? 0) > 0);
  return some.length === 0 ? undefined : (Object.fromEntries(some) as Partial<Record<Key, number>>);
}

function rawTotal(raw: AiSdkUsage["raw"]): number | undefined {
  const total = raw?.["total_tokens"] ?? raw?.["totalTokenCount"];
  return typeof total === "number" ? total : undefined;
}
