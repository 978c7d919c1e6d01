import type { Plan, Write } from "./plan.ts";
import type { State, StateView } from "./state-view.ts";

/**
 * One version of a large state. It stores what the next version changed, so that reading from it
 * still gives what it showed; the newest version reads the live values (H. G. Baker, "Shallow
 * binding makes functional arrays fast", 1991).
 */
interface Layer {
  /** Values that differ from those of `next`, by channel. */
  readonly differs: Map<number, unknown>;
  next: Layer | undefined;
}

/** The answer of a trap that makes strict code throw a TypeError, as a frozen object does. */
const refuse = (): false => false;

/**
 * Large states: snapshots are proxies over the live values, so that a superstep costs what it
 * changed and not a copy of thousands of keys. They behave like frozen plain objects, but
 * `structuredClone` takes no proxies: spread them first.
 */
export class LayeredView implements StateView {
  readonly #plan: Plan;
  readonly #values: readonly unknown[];
  #layer: Layer = { differs: new Map(), next: undefined };
  #latest: State | undefined;

  constructor(plan: Plan, values: readonly unknown[]) {
    this.#plan = plan;
    this.#values = values;
  }

  current(): State {
    this.#latest ??= this.#view(this.#layer);
    return this.#latest;
  }

  with(changes: readonly Write[]): State {
    const differs = new Map(changes.map(({ channel, value }) => [channel, value]));
    this.current(); // from here on the layer is read, so a later commit must keep its values
    return this.#view({ differs, next: this.#layer });
  }

  /** Must run before the live values change. */
  commit(changes: readonly Write[]): void {
    if (this.#latest === undefined) return; // nobody reads this layer
    const next: Layer = { differs: new Map(), next: undefined };
    for (const { channel } of changes) this.#layer.differs.set(channel, this.#values[channel]);
    this.#layer.next = next;
    this.#layer = next;
    this.#latest = undefined;
  }

  output(): State {
    return Object.freeze({ ...this.current() });
  }

  #read(from: Layer, channel: number): unknown {
    for (let layer = from; ; layer = layer.next) {
      if (layer.differs.has(channel)) return layer.differs.get(channel);
      if (layer.next === undefined) return this.#values[channel];
    }
  }

  #view(layer: Layer): State {
    const { stateKeys } = this.#plan;
    const read = (key: string | symbol): unknown => {
      const channel = typeof key === "string" ? stateKeys.get(key) : undefined;
      return channel === undefined ? undefined : this.#read(layer, channel);
    };
    const target = {};
    const view: State = new Proxy<State>(target, {
      get: (_, key) => {
        const value = read(key);
        return value === undefined ? Reflect.get(target, key) : value;
      },
      has: (_, key) => read(key) !== undefined || Reflect.has(target, key),
      ownKeys: () => [...stateKeys.keys()].filter((key) => read(key) !== undefined),
      getOwnPropertyDescriptor: (_, key) => {
        const value = read(key);
        if (value === undefined) return undefined;
        return { value, enumerable: true, configurable: true, writable: false };
      },
      set: refuse,
      defineProperty: refuse,
      deleteProperty: refuse,
      setPrototypeOf: refuse,
      preventExtensions: refuse,
    });
    // Node's inspector looks at the target of a proxy, so console.log needs help.
    Object.defineProperty(target, Symbol.for("nodejs.util.inspect.custom"), {
      value: () => ({ ...view }),
      configurable: true,
    });
    return view;
  }
}
