// What a run rejects with when nodes fail or the graph is used wrongly.
import { setTimeout as sleep } from "node:timers/promises";
import {
  AggregateTaskError,
  Annotation,
  errorLocation,
  START,
  StateGraph,
  SuperstepError,
} from "superstep";

const State = Annotation.Root({ url: Annotation<string>() });

// The error of a node reaches the caller as the same object; `errorLocation` says where it arose.
//#region location
const failing = new StateGraph(State)
  .addNode("fetch", () => {
    throw new RangeError("no more pages");
  })
  .addEdge(START, "fetch")
  .compile();

try {
  await failing.invoke({ url: "https://example.com" });
} catch (error) {
  console.log(error instanceof RangeError, errorLocation(error)?.node); //=> true fetch
}
//#endregion location

// When several tasks of one superstep fail on their own account, `errors` holds them in task order.
//#region several
const refuse = async (reason: string): Promise<never> => {
  await sleep(1);
  throw new Error(reason);
};
const twice = new StateGraph(State)
  .addNode("first", () => refuse("too long"))
  .addNode("second", () => refuse("too short"))
  .addEdge(START, "first")
  .addEdge(START, "second")
  .compile();

try {
  await twice.invoke({});
} catch (error) {
  if (!(error instanceof AggregateTaskError)) throw error;
  console.log(error.message);
  //=> 2 tasks of superstep 1 failed. first: too long; second: too short
}
//#endregion several

// Errors of the package have a code, say how to mend the matter, and name the page about the code.
//#region code
try {
  new StateGraph(State).addNode("url", () => ({}));
} catch (error) {
  if (!(error instanceof SuperstepError)) throw error;
  console.log(error.code); //=> STATE_KEY_CONFLICT
  console.log(error.message); //=> Node "url" has the name of a state key.
  console.log(error.fix); //=> Rename the node or the key: streamed updates name both.
  console.log(error.docs); //=> docs/errors.md#state_key_conflict
}
//#endregion code
