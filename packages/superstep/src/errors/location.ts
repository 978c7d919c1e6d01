/** Where in a run an error arose. */
export interface ErrorLocation {
  readonly node: string;
  /** The task within its superstep: `["pull", node]`, or `["push", index]` for a Send. */
  readonly path: readonly (string | number)[];
  /** The superstep, counted from 1; 0 is the hidden step that takes the input. */
  readonly step: number;
  readonly attempt: number;
  /** The state key whose reducer threw. */
  readonly key?: string;
}

const location = Symbol.for("superstep.errorLocation");

/**
 * Notes on a thrown object where it was thrown. The object stays the user's own; the innermost
 * location wins. A value that cannot carry the note (a string, a frozen error) goes without.
 */
export function attachLocation(error: unknown, where: ErrorLocation): void {
  if (typeof error !== "object" || error === null) return;
  try {
    if (errorLocation(error)) return;
    Reflect.defineProperty(error, location, { value: where, configurable: true });
  } catch {
    // A proxy that refuses; it goes without like a frozen object.
  }
}

/** Where in a run `error` arose: node, task path, superstep and attempt; `undefined` if unknown. */
export function errorLocation(error: unknown): ErrorLocation | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  return Reflect.get(error, location) as ErrorLocation | undefined;
}
