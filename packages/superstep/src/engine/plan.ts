import type { Channel } from "../channels/channel.ts";
import type { Runtime } from "./runtime.ts";

/**
 * What `compile()` makes of a graph: plain data, shared by all runs, never changed. Channels and
 * nodes are numbered; nodes in order of their names, which is the order in which the writes of a
 * superstep are applied.
 */
export interface Plan {
  readonly name: string;
  readonly channels: readonly ChannelPlan[];
  /** The channels that hold state, by key; those that the engine fills in are among them. */
  readonly stateKeys: ReadonlyMap<string, number>;
  /** State keys whose value the engine supplies in every superstep. */
  readonly managed: readonly ManagedKey[];
  /** The channels that nodes read and that are no part of what a run gives out. */
  readonly internal: ReadonlySet<number>;
  /** The channels whose values last for one superstep. */
  readonly ephemeral: readonly number[];
  readonly nodes: readonly NodePlan[];
  readonly nodesByName: ReadonlyMap<string, NodePlan>;
  /** The hidden first task: takes the input and leads to the entry nodes. */
  readonly start: NodePlan;
}

export interface ChannelPlan {
  readonly name: string;
  readonly channel: Channel;
  /** Whether this is a state key; the others carry control. */
  readonly isState: boolean;
  /** Numbers of the nodes that a write makes due. */
  readonly subscribers: readonly number[];
}

export interface NodePlan {
  readonly number: number;
  readonly name: string;
  readonly run: (input: unknown, runtime: Runtime) => unknown;
  /** Hidden nodes are not streamed. */
  readonly hidden: boolean;
  /** Whether a superstep with this node counts against the recursion limit. */
  readonly counted: boolean;
  /** The write that makes this node due. */
  readonly wake: Write;
  /** What the static edges that leave the node write. */
  readonly edges: readonly Write[];
  readonly routers: readonly Router[];
  /** The declared range of `Command.goto`; any node when absent. */
  readonly ends?: ReadonlySet<string>;
}

/** A conditional edge. */
export interface Router {
  readonly name: string;
  readonly route: (state: unknown, runtime: Runtime) => unknown;
  /** From what the router returns to where it leads: its legal range. Any node when absent. */
  readonly targets?: ReadonlyMap<string, string>;
}

export interface Write {
  readonly channel: number;
  readonly value: unknown;
}

/** A read-only state key that the engine fills in. */
export interface ManagedKey {
  readonly channel: number;
  readonly value: (steps: StepBudget) => unknown;
}

export interface StepBudget {
  /** Counted supersteps that may still run after this one. */
  readonly remainingSteps: number;
}
