import type { Channel } from "./channel.ts";

/**
 * Waits until each of `names` was written at least once, then makes its subscribers due and starts
 * again (LangGraph's NamedBarrierValue). The value is the list of names seen, in order of `names`.
 */
export function barrier(names: readonly string[]): Channel {
  return {
    kind: "NamedBarrierValue",
    update: (current, writes) => {
      const seen = new Set([...((current ?? []) as readonly string[]), ...writes]);
      return names.filter((name) => seen.has(name));
    },
    isReady: (seen) => (seen as readonly string[]).length === names.length,
    consume: () => undefined,
  };
}
