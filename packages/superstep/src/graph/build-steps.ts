import { deepFreeze } from "../channels/freeze.ts";
import type { BuildStep } from "../stream/trace-event.ts";

const recorded = new WeakMap<object, readonly BuildStep[]>();

export function recordBuild(graph: object, steps: readonly BuildStep[]): void {
  const own = [...steps];
  deepFreeze(own); // subscribers of the trace are handed them
  recorded.set(graph, own);
}

/** How `createAgent` built an agent, in the order of its decisions; `[]` for any other graph. */
export function buildSteps(agent: object): readonly BuildStep[] {
  return recorded.get(agent) ?? [];
}
