// An agent built by hand: a model node, a ToolNode, and toolsCondition between them.
//#region graph
import { MessagesAnnotation, START, StateGraph, tool, ToolNode, toolsCondition } from "superstep";
import { FakeChatModel } from "superstep/testing";

const add = tool(({ a, b }: { a: number; b: number }) => a + b, {
  name: "add",
  description: "Adds two numbers",
  schema: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } } },
});
const call = { role: "assistant", tool_calls: [{ name: "add", args: { a: 2, b: 3 } }] };
const model = new FakeChatModel({ responses: [call, "5"] }).bindTools([add]);

const graph = new StateGraph(MessagesAnnotation)
  .addNode("model", async ({ messages }, runtime) => ({
    messages: await model.invoke([["system", "You add numbers."], ...messages], runtime),
  }))
  .addNode("tools", new ToolNode([add]))
  .addEdge(START, "model")
  .addConditionalEdges("model", toolsCondition)
  .addEdge("tools", "model")
  .compile();

const { messages } = await graph.invoke({ messages: "What is 2 + 3?" });
console.log(messages.map(({ type, text }) => `${type}: ${text}`));
//=> [ 'human: What is 2 + 3?', 'ai: ', 'tool: 5', 'ai: 5' ]
//#endregion graph
