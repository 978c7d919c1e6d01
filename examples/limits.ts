// The recursion limit, and a node that ends the loop before it is reached.
import { Annotation, END, GraphRecursionError, START, StateGraph } from "superstep";

const State = Annotation.Root({
  count: Annotation<number>({ reducer: (a, b) => a + b, default: () => 0 }),
});

//#region hard
const endless = new StateGraph(State)
  .addNode("work", () => ({ count: 1 }))
  .addEdge(START, "work")
  .addEdge("work", "work")
  .compile();

try {
  await endless.invoke({}, { recursionLimit: 3 });
} catch (error) {
  if (!(error instanceof GraphRecursionError)) throw error;
  console.log(error.message);
  //=> Recursion limit of 3 reached without hitting a stop condition. Still due: "work".
}
//#endregion hard

// `remainingSteps` tells how many supersteps may still run after this one.
//#region soft
const careful = new StateGraph(State)
  .addNode("work", () => ({ count: 1 }))
  .addEdge(START, "work")
  .addConditionalEdges("work", (_state, { remainingSteps }) => (remainingSteps > 0 ? "work" : END))
  .compile();

console.log(await careful.invoke({}, { recursionLimit: 3 })); //=> { count: 3 }
//#endregion soft
