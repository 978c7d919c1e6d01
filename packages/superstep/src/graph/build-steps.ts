import type { BuildStep } from "../stream/trace-event.ts";

const recorded = new WeakMap<object, readonly BuildStep[]>();

export function recordBuild(graph: object, steps: readonly BuildStep[]): void {
  recorded.set(graph, Object.freeze([...steps]));
}

/** How `createAgent` built an agent, in the order of its decisions; `[]` for any other graph. */
export function buildSteps(agent: object): readonly BuildStep[] {
  return recorded.get(agent) ?? [];
}
