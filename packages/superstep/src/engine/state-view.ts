import type { Plan, Write } from "./plan.ts";
import { LayeredView } from "./layered-view.ts";

/** A read-only object with one property for each state key that has a value. */
export type State = Readonly<Record<string, unknown>>;

/**
 * What tasks see of the state: immutable snapshots, made only when asked for, at a cost that does
 * not depend on how often nothing was asked.
 */
export interface StateView {
  /** The state as it stands. The same object until something is committed. */
  current(): State;
  /** The state as it would be with `changes`, which are not kept. */
  with(changes: readonly Write[]): State;
  /** Moves on; earlier snapshots keep what they showed. */
  commit(changes: readonly Write[]): void;
  /** The state as a plain object, for handing out of the run. */
  output(): State;
}

/** Measured: up to here copying a state is cheaper than reading it through a proxy, beyond it is not. */
const copyLimit = 128;

export function createStateView(plan: Plan, values: readonly unknown[]): StateView {
  return plan.stateKeys.size > copyLimit
    ? new LayeredView(plan, values)
    : new CopiedView(plan, values);
}

/** Small states: a plain frozen object, copied from the last one with what changed. */
class CopiedView implements StateView {
  readonly #plan: Plan;
  readonly #values: readonly unknown[];
  readonly #stale = new Set<number>();
  #latest: State | undefined;

  constructor(plan: Plan, values: readonly unknown[]) {
    this.#plan = plan;
    this.#values = values;
  }

  current(): State {
    if (this.#latest === undefined) {
      this.#latest = Object.freeze(this.#read());
    } else if (this.#stale.size > 0) {
      this.#latest = this.#refreshed(this.#latest);
      this.#stale.clear();
    }
    return this.#latest;
  }

  with(changes: readonly Write[]): State {
    const copy: Record<string, unknown> = { ...this.current() };
    for (const { channel, value } of changes) {
      const { name } = this.#plan.channels[channel]!;
      if (value === undefined) delete copy[name];
      else copy[name] = value;
    }
    return Object.freeze(copy);
  }

  commit(changes: readonly Write[]): void {
    if (this.#latest === undefined) return;
    for (const { channel } of changes) {
      if (this.#plan.channels[channel]!.isState) this.#stale.add(channel);
    }
  }

  output(): State {
    const { internal, channels } = this.#plan;
    if (internal.size === 0) return this.current();
    const state: Record<string, unknown> = { ...this.current() };
    for (const channel of internal) delete state[channels[channel]!.name];
    return Object.freeze(state);
  }

  #refreshed(latest: State): State {
    const copy: Record<string, unknown> = { ...latest };
    for (const channel of this.#stale) {
      const { name } = this.#plan.channels[channel]!;
      const value = this.#values[channel];
      // A key that comes or goes: build anew, so that keys stay in the order of the definition.
      if (value === undefined || !Object.hasOwn(copy, name)) return Object.freeze(this.#read());
      copy[name] = value;
    }
    return Object.freeze(copy);
  }

  #read(): Record<string, unknown> {
    const state: Record<string, unknown> = {};
    for (const [key, channel] of this.#plan.stateKeys) {
      const value = this.#values[channel];
      if (value !== undefined) state[key] = value;
    }
    return state;
  }
}
