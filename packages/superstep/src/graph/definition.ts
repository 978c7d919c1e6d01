import type { Router } from "../engine/plan.ts";
import type { Runtime } from "../engine/runtime.ts";
import type { StateDefinition } from "./annotation.ts";

/** A graph as it was built: plain data, checked by `compile`. */
export interface GraphDefinition {
  readonly keys: StateDefinition;
  readonly nodes: ReadonlyMap<string, NodeDefinition>;
  readonly edges: readonly EdgeDefinition[];
  readonly joins: readonly JoinDefinition[];
  readonly branches: readonly BranchDefinition[];
}

export interface NodeDefinition {
  readonly run: (state: never, runtime: Runtime) => unknown;
  readonly ends?: readonly string[];
  readonly counted?: boolean;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

export interface EdgeDefinition {
  readonly source: string;
  readonly target: string;
}

/** `target` runs when each of `sources` has. */
export interface JoinDefinition {
  readonly sources: readonly string[];
  readonly target: string;
}

export interface BranchDefinition extends Router {
  readonly source: string;
}
