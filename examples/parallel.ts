// Two nodes that run in parallel, and a third that waits for both.
//#region parallel
import { Annotation, START, StateGraph } from "superstep";
const sum = Annotation<number>({ reducer: (a, b) => a + b, default: () => 0 });
const graph = new StateGraph(Annotation.Root({ sum }))
  .addNode({ car: () => ({ sum: 4 }), inn: () => ({ sum: 6 }), tax: (s) => ({ sum: s.sum / 10 }) })
  .addEdge(START, "car")
  .addEdge(START, "inn")
  .addEdge(["car", "inn"], "tax")
  .compile();
console.log(await graph.invoke({})); //=> { sum: 11 }
//#endregion parallel
