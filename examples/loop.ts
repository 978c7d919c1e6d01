// A loop: conditional edges choose the next node from the state, or END.
//#region loop
import { Annotation, END, START, StateGraph } from "superstep";

const State = Annotation.Root({
  number: Annotation<number>(),
  path: Annotation<number[]>({ reducer: (all, more) => [...all, ...more], default: () => [] }),
});
const step = (number: number) => ({ number, path: [number] });
const next = ({ number }: typeof State.State) =>
  number === 1 ? END : number % 2 === 0 ? "halve" : "grow";

const graph = new StateGraph(State)
  .addNode("halve", ({ number }) => step(number / 2))
  .addNode("grow", ({ number }) => step(3 * number + 1))
  .addConditionalEdges(START, next)
  .addConditionalEdges("halve", next)
  .addConditionalEdges("grow", next)
  .compile();

const { path } = await graph.invoke({ number: 6 });
console.log(path.join(" ")); //=> 3 10 5 16 8 4 2 1
//#endregion loop
