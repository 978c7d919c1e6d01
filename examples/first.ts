// A first graph: two nodes, one after the other.
//#region first
import { Annotation, START, StateGraph } from "superstep";

const State = Annotation.Root({ name: Annotation<string>(), text: Annotation<string>() });

const graph = new StateGraph(State)
  .addNode("greet", (state) => ({ text: `Hello, ${state.name}` }))
  .addNode("shout", (state) => ({ text: `${state.text.toUpperCase()}!` }))
  .addEdge(START, "greet")
  .addEdge("greet", "shout")
  .compile();

const { text } = await graph.invoke({ name: "Ada" });
console.log(text); //=> HELLO, ADA!
//#endregion first
