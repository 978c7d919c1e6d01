// 3,000 channels of which a step writes three: a step must cost what it writes, not what there is.
// The first write of all 3,000 from the input is part of the run.
import type { Channel } from "../library.ts";
import { type Run, type Scenario, verify } from "../scenario.ts";

const width = 3000;
const keys = Array.from({ length: width }, (_, index) => `c${index}`);
const keyAt = (index: number): string => keys[index % width] ?? "";

/** `c0` to `c2999`, and `step`, which counts. */
type Wide = Record<string, number>;

const inputOf = (): Wide => Object.fromEntries([["step", 0], ...keys.map((key) => [key, 0])]);

const work = async (state: Readonly<Wide>): Promise<Wide> => {
  const { step = 0 } = state;
  const first = keyAt(step * 2);
  const second = keyAt(step * 2 + 1);
  return {
    step: step + 1,
    [first]: (state[first] ?? 0) + 1,
    [second]: (state[second] ?? 0) + 1,
  };
};

function check(state: Readonly<Wide>, steps: number): void {
  verify("step", state["step"], steps);
  verify("the last key written", state[keyAt(steps * 2 - 1)], 1);
  verify("the next key", state[keyAt(steps * 2)], 0);
}

export const channels: Scenario = {
  name: "channels",
  unit: "superstep",
  about: "3,000 channels, 3 written a step",
  cases: [
    { size: 50, langGraph: "always" },
    { size: 500, langGraph: "never" },
  ],
  units: (steps) => steps,
  graph({ StateGraph, Annotation, START, END }, steps): Run {
    const fields: Record<string, Channel<number>> = { step: Annotation<number>() };
    for (const key of keys) {
      fields[key] = Annotation<number>();
    }
    const graph = new StateGraph(Annotation.Root<Wide>(fields))
      .addNode("work", work)
      .addEdge(START, "work")
      .addConditionalEdges("work", ({ step = 0 }) => (step < steps ? "work" : END), ["work", END])
      .compile();
    const input = inputOf();
    return async () => check(await graph.invoke(input, { recursionLimit: steps + 10 }), steps);
  },
  // Copies the input once and then writes in place: a spread of 3,000 keys costs a millisecond, and
  // nobody who writes this by hand pays it every step.
  plain(steps): Run {
    const input = inputOf();
    return async () => {
      const state = { ...input };
      do {
        Object.assign(state, await work(state));
      } while ((state["step"] ?? 0) < steps);
      check(state, steps);
    };
  },
};
