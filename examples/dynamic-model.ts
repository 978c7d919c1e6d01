// A model that is chosen for each call: cheap for short questions, strong for long ones.
import { createReactAgent, tool } from "superstep";
import { FakeChatModel } from "superstep/testing";

const search = tool((query) => `Nothing on ${query}`, { name: "search" });
const call = { role: "assistant", tool_calls: [{ name: "search", args: { input: "proofs" } }] };
const cheap = new FakeChatModel({ responses: () => "4", modelName: "cheap" });
const strong = new FakeChatModel({ responses: [call, "It cannot be done."], modelName: "strong" });

//#region dynamic
const tools = [search];
const strongWithTools = strong.bindTools(tools); // a chosen model binds its own tools
const agent = createReactAgent({
  llm: ({ messages: [question] }) => (question!.text.length > 40 ? strongWithTools : cheap),
  tools,
  prompt: "You are a mathematician.",
});
//#endregion dynamic

for (const messages of ["What is 2 + 2?", "Can the circle be squared by ruler and compass?"]) {
  const state = await agent.invoke({ messages });
  console.log(state.messages.at(-1)?.text);
}
//=> 4
//=> It cannot be done.
console.log(cheap.requests.length, strong.requests.length); //=> 1 2
