// Reading what happens in a run while it happens.
import { Annotation, START, StateGraph } from "superstep";

const State = Annotation.Root({ topic: Annotation<string>(), text: Annotation<string>() });

//#region writer
const graph = new StateGraph(State)
  .addNode("draft", ({ topic }, runtime) => {
    for (const part of ["thinking", "writing"]) runtime.writer(part);
    return { text: `About ${topic}` };
  })
  .addNode("polish", ({ text }) => ({ text: `${text}.` }))
  .addEdge(START, "draft")
  .addEdge("draft", "polish")
  .compile();
//#endregion writer

// Without options: what each node wrote, when its superstep is committed.
//#region updates
for await (const chunk of graph.stream({ topic: "graphs" })) console.log(chunk);
//=> { draft: { text: 'About graphs' } }
//=> { polish: { text: 'About graphs.' } }
//#endregion updates

// With a list of modes, chunks are pairs. `custom` chunks come while a node is still running.
//#region modes
const streamMode = ["custom", "updates"] as const;
for await (const [mode, chunk] of graph.stream({ topic: "graphs" }, { streamMode })) {
  console.log(mode, chunk);
}
//=> custom thinking
//=> custom writing
//=> updates { draft: { text: 'About graphs' } }
//=> updates { polish: { text: 'About graphs.' } }
//#endregion modes

// The whole state after the input and after each superstep that wrote to it.
//#region values
for await (const state of graph.stream({ topic: "graphs" }, { streamMode: "values" })) {
  console.log(state.text);
}
//=> undefined
//=> About graphs
//=> About graphs.
//#endregion values

// Leaving the loop cancels the run. Without that, this one would never end.
//#region leave
const counter = new StateGraph(Annotation.Root({ count: Annotation({ default: () => 0 }) }))
  .addNode("add", ({ count }) => ({ count: count + 1 }))
  .addEdge(START, "add")
  .addEdge("add", "add")
  .compile();

for await (const { add } of counter.stream({}, { recursionLimit: Infinity })) {
  console.log(add);
  if (add?.count === 3) break;
}
//=> { count: 1 }
//=> { count: 2 }
//=> { count: 3 }
//#endregion leave
