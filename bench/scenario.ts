// What a scenario is: one program, written once for the libraries and once by hand.
import type { Library } from "./library.ts";

/** Runs the program once, from input to final state; throws when the final state is wrong. */
export type Run = () => Promise<void>;

export interface Case {
  readonly size: number;
  /** Whether LangGraph.js takes part; `full` means with `--full` only, as it takes minutes. */
  readonly langGraph: "always" | "full" | "never";
}

export interface Scenario {
  readonly name: string;
  /** What the cost is divided by. */
  readonly unit: "superstep" | "send" | "run";
  readonly about: string;
  readonly cases: readonly Case[];
  /** How many units one run of that size has. */
  readonly units: (size: number) => number;
  readonly graph: (library: Library, size: number) => Run;
  readonly plain: (size: number) => Run;
}

export function verify(what: string, actual: unknown, expected: unknown): void {
  if (actual !== expected) {
    throw new Error(`${what} is ${String(actual)}, expected ${String(expected)}`);
  }
}
