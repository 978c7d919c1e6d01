import type { Channel } from "../channels/channel.ts";
import { lastValue } from "../channels/last-value.ts";
import { type Reducer, reduced } from "../channels/reduced.ts";
import type { ManagedKey, StepBudget } from "../engine/plan.ts";
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
  /** Returns the merged value and must modify neither argument. */
  readonly reducer: Reducer<Value, Update>;
  /** Called once per thread. Without it the first update is taken as it is. */
  readonly default?: () => Value;
}

interface AnnotationFunction {
  /** A key that holds the value written last, and takes one write a superstep. */
  <Value>(): StateKey<Value>;
  /** A key that merges what is written to it, in task order. */
  <Value, Update = Value>(options: ReducerOptions<Value, Update>): StateKey<Value, Update>;
  /** A key that holds the value written last, and a default before that. */
  <Value>(options: { readonly default: () => Value }): StateKey<Value>;
  /**
   * The state of a graph.
   *
   * Throws `INVALID_STATE` when a key is not made by `Annotation` or has no usable name.
   */
  Root<Keys extends StateDefinition>(keys: Keys): AnnotationRoot<Keys>;
}

/** Declares the keys of a graph's state. */
export const Annotation: AnnotationFunction = Object.assign(stateKey, { Root: annotationRoot });

interface KeyOptions {
  readonly reducer?: unknown;
  readonly default?: unknown;
}

function stateKey(options?: KeyOptions): StateKey<never> {
  const initial = checkFunction("default", options?.default) as (() => unknown) | undefined;
  const reducer = checkFunction("reducer", options?.reducer) as
    | Reducer<unknown, unknown>
    | undefined;
  return { channel: reducer ? reduced(reducer, initial) : lastValue(initial) };
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

function annotationRoot<Keys extends StateDefinition>(keys: Keys): AnnotationRoot<Keys> {
  if (typeof keys !== "object" || keys === null || Array.isArray(keys)) {
    throw new SuperstepError("INVALID_STATE", `A state cannot be ${describe(keys)}.`, {
      fix: "Give Annotation.Root an object of annotations.",
    });
  }
  for (const [name, key] of Object.entries(keys)) {
    if (name === "__proto__" || name === "") {
      throw new SuperstepError("INVALID_STATE", `A state key cannot be named ${describe(name)}.`, {
        fix: "Choose another name.",
      });
    }
    if (!key?.channel && !key?.managed) {
      throw new SuperstepError(
        "INVALID_STATE",
        `State key ${describe(name)} is ${describe(key)}, not an annotation.`,
        { fix: "Give Annotation<Type>() or Annotation({ reducer, default })." },
      );
    }
  }
  return Object.freeze({ spec: Object.freeze({ ...keys }) }) as AnnotationRoot<Keys>;
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
