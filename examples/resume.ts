// A run that fails in the middle and goes on. With SqliteSaver it may be another process that does.
import { Annotation, MemorySaver, START, StateGraph } from "superstep";

const State = Annotation.Root({
  done: Annotation<string[]>({ reducer: (all, more) => [...all, ...more], default: () => [] }),
});
const ran: string[] = [];
let online = false;

//#region resume
const graph = new StateGraph(State)
  .addNode("pay", () => {
    ran.push("pay");
    return { done: ["paid"] };
  })
  .addNode("ship", () => {
    ran.push("ship");
    if (!online) throw new Error("the warehouse is offline");
    return { done: ["shipped"] };
  })
  .addEdge(START, "pay")
  .addEdge("pay", "ship")
  .compile({ checkpointer: new MemorySaver() });
const order = { configurable: { thread_id: "order-7" } };

await graph.invoke({}, order).catch((error: Error) => console.log(error.message));
//=> the warehouse is offline
console.log((await graph.getState(order)).next); //=> [ 'ship' ]

online = true;
console.log(await graph.invoke(null, order)); //=> { done: [ 'paid', 'shipped' ] }
console.log(ran); //=> [ 'pay', 'ship', 'ship' ]
//#endregion resume
