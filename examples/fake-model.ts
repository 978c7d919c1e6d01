// A scripted model: what it answers, and what it was asked.
import { AIMessage, createReactAgent, tool } from "superstep";
import { FakeChatModel } from "superstep/testing";

//#region script
const model = new FakeChatModel({
  responses: [
    new AIMessage({ tool_calls: [{ name: "lookup", args: { input: "A-7" } }] }),
    (messages) => `I found: ${messages.at(-1)?.text}`,
    { chunks: ["Good", "bye"], delayMs: 1 },
    new Error("the line is busy"),
  ],
});
//#endregion script

//#region run
const lookup = tool((order) => `order ${order}`, { name: "lookup" });
const agent = createReactAgent({ llm: model, tools: [lookup], prompt: "You look up orders." });

for (const question of ["Where is A-7?", "Bye", "Hello?"]) {
  try {
    const { messages } = await agent.invoke({ messages: question });
    console.log(messages.at(-1)?.text);
  } catch (error) {
    console.log((error as Error).message);
  }
}
//=> I found: order A-7
//=> Goodbye
//=> the line is busy
model.assertFinished(); // throws when lines are left over
//#endregion run

//#region requests
const [first] = model.requests;
console.log(
  first?.messages.map(({ text }) => text),
  first?.tools.map(({ name }) => name),
);
//=> [ 'You look up orders.', 'Where is A-7?' ] [ 'lookup' ]
//#endregion requests
