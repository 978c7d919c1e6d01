// A graph that is no agent: it counts to 3. SLOW makes each superstep take so many milliseconds.
import { appendFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { Annotation, START, StateGraph } from "superstep";

const { JOURNAL: journal, SLOW: slow = "0" } = process.env;
export const graph = new StateGraph(
  Annotation.Root({ count: Annotation<number>({ default: () => 0 }) }),
)
  .addNode("work", async ({ count }) => {
    if (journal !== undefined) appendFileSync(journal, `${count}\n`);
    await wait(Number(slow));
    return { count: count + 1 };
  })
  .addEdge(START, "work")
  .addConditionalEdges("work", ({ count }) => (count < 3 ? "work" : "__end__"))
  .compile({ name: "Counter" });
