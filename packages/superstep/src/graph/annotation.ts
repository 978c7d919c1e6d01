import type { Channel } from "../channels/channel.ts";
import { isPlain } from "../channels/freeze.ts";
import { lastValue } from "../channels/last-value.ts";
import { type Reducer, reduced } from "../channels/reduced.ts";
import type { ManagedKey, StepBudget } from "../engine/plan.ts";
import { checkOptions } from "../errors/check-options.ts";
import { describe } from "../errors/describe.ts";
import { SuperstepError } from "../errors/errors.ts";
import type { Runtime } from "../engine/runtime.ts";

/** One key of the state: what it holds, and how updates meet it. Made by `Annotation`. */
export interface StateKey<Value, Update = Value> {
  readonly channel?: Channel;
  readonly managed?: ManagedKey["value"];
  /** Carries the types and is never there. */
  readonly types?: { readonly value: Value; readonly update: Update };
}

/** The keys of a state. */
export type StateDefinition = Readonly<Record<string, StateKey<unknown, unknown>>>;

type ValueOf<Key> = Key extends StateKey<infer Value, unknown> ? Value : never;
type UpdateValueOf<Key> = Key extends StateKey<unknown, infer Update> ? Update : never;

/** What nodes read. */
export type StateOf<Keys extends StateDefinition> = { [Key in keyof Keys]: ValueOf<Keys[Key]> };
/** What nodes may write: any of the keys. */
export type UpdateOf<Keys extends StateDefinition> = {
  [Key in keyof Keys]?: UpdateValueOf<Keys[Key]> | undefined;
};

/** A key as it may be written: `Annotation<Type>` without a call is `Annotation<Type>()`. */
export type StateKeyInput = StateKey<unknown, unknown> | (() => StateKey<unknown, unknown>);
type Called<Keys> = { -readonly [Key in keyof Keys]: CalledKey<Keys[Key]> };
type CalledKey<Key> = Key extends () => infer Made ? AsKey<Made> : AsKey<Key>;
type AsKey<Key> = Key extends StateKey<unknown, unknown> ? Key : never;

/** A state definition, as `new StateGraph()` takes it. `State`, `Update` and `Node` are types only. */
export interface AnnotationRoot<Keys extends StateDefinition> {
  readonly spec: Keys;
  readonly State: StateOf<Keys>;
  readonly Update: UpdateOf<Keys>;
  readonly Node: (
    state: StateOf<Keys>,
    runtime: Runtime,
  ) => UpdateOf<Keys> | Promise<UpdateOf<Keys>>;
}

/** How a key merges updates, and what it holds before the first. */
export interface ReducerOptions<Value, Update> {
  /** Returns the merged value and must modify neither argument. `value` is an older name for it. */
  readonly reducer: Reducer<Value, Update>;
  /** Called once per thread. Without it the first update is taken as it is. */
  readonly default?: () => Value;
}

interface AnnotationFunction {
  /** A key that merges what is written to it, in task order. */
  <Value, Update = Value>(options: ReducerOptions<Value, Update>): StateKey<Value, Update>;
  <Value, Update = Value>(
    options: Omit<ReducerOptions<Value, Update>, "reducer"> & {
      readonly value: Reducer<Value, Update>;
    },
  ): StateKey<Value, Update>;
  /** A key that holds the value written last, and a default before that. */
  <Value>(options: { readonly default: () => Value }): StateKey<Value>;
  /** A key that holds the value written last, and takes one write a superstep. */
  <Value>(): StateKey<Value>;
  /**
   * The state of a graph.
   *
   * Throws `INVALID_STATE` when a key is not made by `Annotation` or has no usable name.
   */
  Root<Keys extends Readonly<Record<string, StateKeyInput>>>(
    keys: Keys,
  ): AnnotationRoot<Called<Keys>>;
}

/** Declares the keys of a graph's state. */
export const Annotation: AnnotationFunction = Object.assign(stateKey, {
  Root: annotationRoot as unknown as AnnotationFunction["Root"],
});

/** A reducer may bring the whole rule of its channel, as `addMessages` does. */
type ReducerFunction = Reducer<unknown, unknown> & { readonly channel?: Channel };

interface KeyOptions {
  readonly reducer?: unknown;
  readonly value?: unknown;
  readonly default?: unknown;
}

const keyOptions: ReadonlySet<string> = new Set(["reducer", "value", "default"]);

function stateKey(given?: KeyOptions): StateKey<never> {
  const options = checkOptions("Annotation", given, keyOptions);
  const initial = checkFunction("default", options.default) as (() => unknown) | undefined;
  const reducer = checkFunction(
    "reducer",
    "reducer" in options ? options.reducer : options.value,
  ) as ReducerFunction | undefined;
  if (!reducer) return { channel: lastValue(initial) };
  const rule = reducer.channel;
  if (!rule) return { channel: reduced(reducer, initial) };
  return { channel: initial ? { ...rule, initial: () => preparedBy(rule, initial()) } : rule };
}

function preparedBy({ prepare }: Channel, value: unknown): unknown {
  return prepare ? prepare(value) : value;
}

function checkFunction(name: string, value: unknown): unknown {
  if (value === undefined || typeof value === "function") return value;
  throw new SuperstepError(
    "INVALID_STATE",
    `The ${name} of a state key cannot be ${describe(value)}.`,
    {
      fix: `Give a function.`,
    },
  );
}

function annotationRoot(inputs: Readonly<Record<string, StateKeyInput>>): AnnotationRoot<never> {
  if (!isPlain(inputs) || Array.isArray(inputs)) {
    throw new SuperstepError("INVALID_STATE", `A state cannot be ${describe(inputs)}.`, {
      fix: "Give Annotation.Root an object of annotations.",
    });
  }
  const spec: Record<string, StateKey<unknown, unknown>> = {};
  for (const [name, input] of Object.entries(inputs))
    spec[checkKeyName(name)] = checkKey(name, input);
  return Object.freeze({ spec: Object.freeze(spec) }) as AnnotationRoot<never>;
}

function checkKeyName(name: string): string {
  // A state with a key "then" could not be awaited.
  if (name !== "__proto__" && name !== "then" && name !== "") return name;
  throw new SuperstepError("INVALID_STATE", `A state key cannot be named ${describe(name)}.`, {
    fix: "Choose another name.",
  });
}

function checkKey(name: string, input: StateKeyInput): StateKey<unknown, unknown> {
  const key = input === Annotation ? stateKey() : (input as StateKey<unknown, unknown>);
  if (key?.channel || key?.managed) return key;
  throw new SuperstepError(
    "INVALID_STATE",
    `State key ${describe(name)} is ${describe(key)}, not an annotation.`,
    { fix: "Give Annotation<Type>() or Annotation({ reducer, default })." },
  );
}

/**
 * A state key that the engine fills in: how many supersteps may still run after this one before the
 * recursion limit. Nodes read it and cannot write it.
 */
export const RemainingSteps: StateKey<number, never> = {
  managed: (steps: StepBudget) => steps.remainingSteps,
};

/** A state key that the engine fills in: whether this is the last superstep of the limit. */
export const IsLastStep: StateKey<boolean, never> = {
  managed: (steps: StepBudget) => steps.remainingSteps <= 0,
};
