// Map and reduce: one Send for each word, and a node that runs when all of them have ended.
//#region map-reduce
import { Annotation, Send, START, StateGraph } from "superstep";

const State = Annotation.Root({
  text: Annotation<string>(),
  word: Annotation<string>(),
  lengths: Annotation<number[]>({ reducer: (all, more) => [...all, ...more], default: () => [] }),
  longest: Annotation<number>(),
});

const graph = new StateGraph(State)
  .addNode("split", () => {})
  // Runs once for each Send, and reads what was sent instead of the graph's state.
  .addNode("measure", ({ word }: { word: string }) => ({ lengths: [word.length] }))
  .addNode("reduce", ({ lengths }) => ({ longest: Math.max(...lengths) }))
  .addEdge(START, "split")
  .addConditionalEdges(
    "split",
    ({ text }) => text.split(" ").map((word) => new Send("measure", { word })),
    ["measure"],
  )
  .addEdge("measure", "reduce")
  .compile();

const { lengths, longest } = await graph.invoke({ text: "nothing lost nothing doubled" });
console.log(lengths, longest); //=> [ 7, 4, 7, 7 ] 7
//#endregion map-reduce
