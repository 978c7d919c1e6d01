// Hooks beside the model, and a tool whose result is the answer.
import { createReactAgent, tool } from "superstep";
import { FakeChatModel } from "superstep/testing";

const refund = tool((order) => `Refunded ${order}`, { name: "refund", returnDirect: true });
const call = { role: "assistant", tool_calls: [{ name: "refund", args: { input: "A-7" } }] };

// What the model sees instead of the conversation, for one call; the conversation stays as it is.
//#region pre
const model = new FakeChatModel({ responses: ["Goodbye"] });
const forgetful = createReactAgent({
  llm: model,
  preModelHook: ({ messages }) => ({ llmInputMessages: messages.slice(-1) }),
});
const { messages } = await forgetful.invoke({ messages: ["Hello", ["ai", "Hi"], "Bye"] });
console.log(model.requests[0]?.messages.length, messages.length); //=> 1 4
//#endregion pre

//#region post
const watched = createReactAgent({
  llm: new FakeChatModel({ responses: [call] }),
  tools: [refund],
  postModelHook: ({ messages: all }, runtime) => {
    const answer = all.at(-1);
    if (answer?.type === "ai") runtime.writer(answer.tool_calls.map(({ name }) => name));
  },
});
for await (const names of watched.stream({ messages: "Refund A-7" }, { streamMode: "custom" })) {
  console.log(names); //=> [ 'refund' ]
}
//#endregion post

//#region direct
const script = new FakeChatModel({ responses: [call] });
const clerk = createReactAgent({ llm: script, tools: [refund] });
const run = await clerk.invoke({ messages: "Refund A-7" });
console.log(run.messages.at(-1)?.text, script.requests.length); //=> Refunded A-7 1
//#endregion direct
