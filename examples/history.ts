// Calls without a result, and results without a call: how the two agents take them.
import {
  AIMessage,
  createAgent,
  createReactAgent,
  HumanMessage,
  repairHistory,
  SuperstepError,
} from "superstep";
import { FakeChatModel } from "superstep/testing";

const llm = new FakeChatModel({ responses: () => "Fine." });

//#region refuse
const broken = [
  new HumanMessage("Look it up"),
  new AIMessage({ tool_calls: [{ id: "call_1", name: "search", args: {} }] }),
  new HumanMessage("Never mind"),
];
try {
  await createReactAgent({ llm }).invoke({ messages: broken });
} catch (error) {
  if (!(error instanceof SuperstepError)) throw error;
  console.log(error.code); //=> INVALID_CHAT_HISTORY
}
//#endregion refuse

//#region repair
const { messages } = await createAgent({ model: llm }).invoke({ messages: broken });
console.log(messages.map(({ type }) => type).join(" ")); //=> human ai tool human ai
console.log(messages[2]?.text);
//=> Tool call search with id call_1 was cancelled - another message came in before it could be completed.
//#endregion repair

//#region by-hand
const { messages: whole, answered, dropped } = repairHistory(broken);
console.log(whole.length, answered.length, dropped.length); //=> 4 1 0
//#endregion by-hand
