// A node that writes to the state and chooses the next node in one return value.
//#region command
import { Annotation, Command, END, START, StateGraph } from "superstep";

const State = Annotation.Root({
  question: Annotation<string>(),
  topic: Annotation<string>(),
  answer: Annotation<string>(),
});

const graph = new StateGraph(State)
  .addNode(
    "triage",
    ({ question }) => {
      const topic = question.includes("invoice") ? "billing" : "other";
      return new Command({ update: { topic }, goto: topic === "billing" ? "accounts" : END });
    },
    { ends: ["accounts", END] },
  )
  .addNode("accounts", ({ topic }) => ({ answer: `Accounts looks into it (${topic}).` }))
  .addEdge(START, "triage")
  .compile();

const { answer } = await graph.invoke({ question: "Where is my invoice?" });
console.log(answer); //=> Accounts looks into it (billing).
console.log(await graph.invoke({ question: "Hello" })); //=> { question: 'Hello', topic: 'other' }
//#endregion command
