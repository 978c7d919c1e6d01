// Cancelling a run with an AbortSignal.
import { setTimeout as sleep } from "node:timers/promises";
import { Annotation, START, StateGraph, SuperstepError } from "superstep";

const State = Annotation.Root({ done: Annotation<boolean>() });

//#region node
const graph = new StateGraph(State)
  .addNode("work", async (_state, { signal }) => {
    await sleep(60_000, undefined, { signal }); // give the signal to whatever waits
    return { done: true };
  })
  .addEdge(START, "work")
  .compile();
//#endregion node

// An error given as the reason is what the run rejects with, as with fetch.
//#region timeout
try {
  await graph.invoke({}, { signal: AbortSignal.timeout(20) });
} catch (error) {
  console.log((error as Error).name); //=> TimeoutError
}
//#endregion timeout

// Any other reason becomes an error with a code.
//#region reason
const controller = new AbortController();
const run = graph.invoke({}, { signal: controller.signal });
controller.abort("the user closed the tab");
try {
  await run;
} catch (error) {
  if (!(error instanceof SuperstepError)) throw error;
  console.log(error.code, error.message);
  //=> RUN_CANCELLED The run was cancelled: "the user closed the tab".
}
//#endregion reason
