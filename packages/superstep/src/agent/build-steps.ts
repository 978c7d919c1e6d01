/** One decision in the building of an agent's graph. */
export type BuildStep =
  | { readonly type: "node"; readonly node: string }
  /** Where the run begins, where each round begins and ends, and where the run ends. */
  | { readonly type: "entry" | "loopEntry" | "loopExit" | "exit"; readonly node: string }
  | { readonly type: "edge"; readonly source: string; readonly target: string }
  | {
      readonly type: "conditionalEdge";
      readonly source: string;
      readonly targets: readonly string[];
    }
  | { readonly type: "compile" };

const recorded = new WeakMap<object, readonly BuildStep[]>();

export function recordBuild(graph: object, steps: readonly BuildStep[]): void {
  recorded.set(graph, Object.freeze([...steps]));
}

/** How `createAgent` built an agent, in the order of its decisions; `[]` for any other graph. */
export function buildSteps(agent: object): readonly BuildStep[] {
  return recorded.get(agent) ?? [];
}
