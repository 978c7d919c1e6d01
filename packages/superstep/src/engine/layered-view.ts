import type { Plan, Write } from "./plan.ts";
import type { State, StateView } from "./state-view.ts";

/**
 * One version of a large state. It stores what has changed since, so that reading from it still
 * gives what it showed; the newest version reads the live values (H. G. Baker, "Shallow binding
 * makes functional arrays fast", 1991).
 */
interface Layer {
  /** Values that are no longer the live ones, nor those of `next`, by channel. */
  readonly differs: Map<number, unknown>;
  next: Layer | undefined;
}

/** The answer of a trap that makes strict code throw a TypeError, as a frozen object does. */
const refuse = (): false => false;
const inspect = Symbol.for("nodejs.util.inspect.custom");

/**
 * Large states: snapshots are proxies over the live values, so that a superstep costs what it
 * changed and not a copy of thousands of keys. They behave like frozen plain objects, but
 * `structuredClone` takes no proxies: spread them first.
 */
export class LayeredView implements StateView {
  readonly #plan: Plan;
  readonly #values: readonly unknown[];
  /** The newest version that somebody may still read. */
  #layer: Layer = { differs: new Map(), next: undefined };
  #latest: State | undefined;

  constructor(plan: Plan, values: readonly unknown[]) {
    this.#plan = plan;
    this.#values = values;
  }

  current(): State {
    if (this.#latest === undefined || this.#layer.differs.size > 0) {
      const next: Layer = { differs: new Map(), next: undefined };
      this.#layer.next = next;
      this.#layer = next;
      this.#latest = createView(this.#plan, (channel) => this.#read(next, channel));
    }
    return this.#latest;
  }

  with(changes: readonly Write[]): State {
    this.current(); // makes a layer for the overlay to stand on
    const differs = new Map(changes.map(({ channel, value }) => [channel, value]));
    const overlay: Layer = { differs, next: this.#layer };
    return createView(this.#plan, (channel) => this.#read(overlay, channel));
  }

  /** Must run before the live values change. */
  commit(changes: readonly Write[]): void {
    if (this.#latest === undefined) return; // no version was ever read
    const { differs } = this.#layer;
    for (const { channel } of changes) {
      if (!differs.has(channel)) differs.set(channel, this.#values[channel]);
    }
  }

  output(): State {
    const state: Record<string, unknown> = {};
    const { stateKeys, internal } = this.#plan;
    for (const [key, channel] of stateKeys) {
      const value = this.#values[channel];
      if (value !== undefined && !internal.has(channel)) state[key] = value;
    }
    return Object.freeze(state);
  }

  #read(from: Layer, channel: number): unknown {
    let layer = from;
    while (!layer.differs.has(channel)) {
      if (layer.next === undefined) {
        const value = this.#values[channel];
        if (layer !== from) from.differs.set(channel, value); // found once, not walked to again
        return value;
      }
      layer = layer.next;
    }
    const value = layer.differs.get(channel);
    if (layer !== from) from.differs.set(channel, value);
    return value;
  }
}

function createView(plan: Plan, readChannel: (channel: number) => unknown): State {
  const { stateKeys } = plan;
  const read = (key: string | symbol): unknown => {
    const channel = typeof key === "string" ? stateKeys.get(key) : undefined;
    return channel === undefined ? undefined : readChannel(channel);
  };
  const target: Record<PropertyKey, unknown> = {};
  const frozen = (): boolean => !Object.isExtensible(target);
  const view: State = new Proxy<State>(target, {
    get: (_, key) => {
      const value = read(key);
      return value === undefined ? Reflect.get(target, key) : value;
    },
    has: (_, key) => read(key) !== undefined || Reflect.has(target, key),
    ownKeys: () => [...stateKeys.keys()].filter((key) => read(key) !== undefined),
    getOwnPropertyDescriptor: (_, key) => {
      const value = read(key);
      if (value === undefined || frozen()) return Reflect.getOwnPropertyDescriptor(target, key);
      return { value, enumerable: true, configurable: true, writable: false };
    },
    set: refuse,
    // Only Object.freeze, on a view that is one already, defines what is there.
    defineProperty: (_, key, property) => frozen() && Reflect.defineProperty(target, key, property),
    deleteProperty: refuse,
    setPrototypeOf: refuse,
    preventExtensions: () => {
      Reflect.deleteProperty(target, inspect);
      Object.freeze(Object.assign(target, view));
      return true;
    },
  });
  // Node's inspector looks at the target of a proxy, so console.log needs help.
  Object.defineProperty(target, inspect, { value: () => ({ ...view }), configurable: true });
  return view;
}
