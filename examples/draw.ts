// A picture of a graph, as Mermaid text and in plain characters.
//#region draw
import { Annotation, END, START, StateGraph } from "superstep";

const State = Annotation.Root({ text: Annotation<string>(), good: Annotation<boolean>() });

const graph = new StateGraph(State)
  .addNode("write", () => ({ text: "..." }))
  .addNode("review", ({ text }) => ({ good: text.length > 2 }))
  .addEdge(START, "write")
  .addEdge("write", "review")
  .addConditionalEdges("review", ({ good }) => (good ? "yes" : "no"), { yes: END, no: "write" })
  .compile();

console.log(graph.getGraph().drawMermaid({ withStyles: false }).trimEnd().replaceAll("\t", "  "));
//=> graph TD;
//=>   __start__ --> write;
//=>   write --> review;
//=>   review -. &nbsp;yes&nbsp; .-> __end__;
//=>   review -. &nbsp;no&nbsp; .-> write;
//#endregion draw

//#region ascii
console.log(await graph.getGraph().drawAscii());
//=> +-----------+
//=> | __start__ |
//=> +-----------+
//=>       |
//=>       v
//=>   +-------+
//=>   | write |
//=>   +-------+
//=>      | ^
//=>      v :
//=>   +--------+
//=>   | review |
//=>   +--------+
//=>       :
//=>       v
//=>  +---------+
//=>  | __end__ |
//=>  +---------+
//=>
//=> review ..> __end__: yes
//=> review ..> write (loop): no
//#endregion ascii
