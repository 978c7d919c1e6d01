// createReactAgent: what a run adds to the conversation, what the model sees, and the prompt forms.
import {
  type AgentState,
  type AIMessage,
  createReactAgent,
  HumanMessage,
  type Prompt,
  promptRunnable,
  RunnableLambda,
  RunnableSequence,
  SystemMessage,
  tool,
} from "superstep";
import { FakeChatModel } from "superstep/testing";
import { z } from "zod";

const add = tool(({ a, b }) => a + b, {
  name: "add",
  description: "Adds two numbers",
  schema: z.object({ a: z.number(), b: z.number() }),
});
const call = { role: "assistant", tool_calls: [{ name: "add", args: { a: 2, b: 3 } }] };
const model = new FakeChatModel({ responses: [call, "2 + 3 is 5."] });

//#region react
const agent = createReactAgent({
  llm: model,
  tools: [add],
  prompt: "You add numbers.",
  name: "adder",
});
const { messages } = await agent.invoke({ messages: "What is 2 + 3?" });
for (const { type, name, text } of messages) console.log([type, name, text]);
//=> [ 'human', undefined, 'What is 2 + 3?' ]
//=> [ 'ai', 'adder', '' ]
//=> [ 'tool', 'add', '5' ]
//=> [ 'ai', 'adder', '2 + 3 is 5.' ]
//#endregion react

// The prompt is sent with each call of the model and is not kept in the state.
//#region requests
for (const request of model.requests) {
  console.log(request.messages.map(({ type }) => type).join(" "));
}
//=> system human
//=> system human ai tool
//#endregion requests

//#region draw
console.log(agent.getGraph().drawMermaid({ withStyles: false }).trimEnd().replaceAll("\t", "  "));
//=> graph TD;
//=>   __start__ --> agent;
//=>   tools --> agent;
//=>   agent -.-> tools;
//=>   agent -.-> __end__;
//#endregion draw

type State = typeof AgentState.State;

// Six forms, one meaning: what the model sees is made from the state.
//#region prompts
const brief = new SystemMessage("Be brief.");
const lastTwo = ({ messages: all }: State) => [brief, ...all.slice(-2)];
const prompts: Record<string, Prompt<State>> = {
  text: "Be brief.",
  "system message": brief,
  function: lastTwo,
  "async function": async (state) => lastTwo(state),
  runnable: new RunnableLambda(lastTwo),
};
const conversation = ["Hello", ["ai", "Hi"], "How are you?"] as const;

for (const [form, prompt] of Object.entries(prompts)) {
  const scripted = new FakeChatModel({ responses: ["Well."] });
  await createReactAgent({ llm: scripted, prompt }).invoke({ messages: conversation });
  console.log(`${form}: ${scripted.requests[0]?.messages.map(({ text }) => text).join(" / ")}`);
}
//=> text: Be brief. / Hello / Hi / How are you?
//=> system message: Be brief. / Hello / Hi / How are you?
//=> function: Be brief. / Hi / How are you?
//=> async function: Be brief. / Hi / How are you?
//=> runnable: Be brief. / Hi / How are you?
//#endregion prompts

// What the agent node calls: the prompt and the model with its tools, joined. It works by itself.
//#region static
const script = new FakeChatModel({ responses: ["5", "7"] });
const bound = script.bindTools([add], { tool_choice: "any" });
const staticModel = RunnableSequence.from<State, AIMessage>([promptRunnable("Be brief."), bound]);
const reply = await staticModel.invoke({
  messages: [new HumanMessage("2 + 3?")],
  remainingSteps: 1,
});
console.log(reply.text, script.requests[0]?.messages.length); //=> 5 2
//#endregion static

// A model that comes with the agent's tools is used as it is.
//#region bound
await createReactAgent({ llm: bound, tools: [add] }).invoke({ messages: "3 + 4?" });
console.log(script.requests[1]?.tool_choice); //=> any
//#endregion bound
