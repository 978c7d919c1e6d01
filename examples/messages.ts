// Messages: forms that are taken, and how the state key of a conversation merges them.
import {
  addMessages,
  AIMessage,
  coerceMessages,
  HumanMessage,
  isAIMessage,
  REMOVE_ALL_MESSAGES,
  RemoveMessage,
} from "superstep";

//#region coerce
const messages = coerceMessages([
  "a text is the user's",
  ["system", "a pair of role and content"],
  { role: "assistant", content: "an object with a role" },
  { type: "human", content: "an object with a type, as it comes from JSON" },
  new AIMessage("an instance"),
]);
console.log(messages.map(({ type }) => type).join(" ")); //=> human system ai human ai
//#endregion coerce

//#region calls
const answer = new AIMessage({
  content: "Let me see.",
  tool_calls: [{ name: "search", args: { query: "boats" }, id: "call_1" }],
});
console.log(answer.text, answer.tool_calls[0]?.args, answer.contentBlocks.length);
//=> Let me see. { query: 'boats' } 2
console.log(isAIMessage(JSON.parse(JSON.stringify(answer)))); //=> true
//#endregion calls

//#region reducer
const hello = new HumanMessage({ content: "Hello", id: "1" });
const list = addMessages([hello], [["ai", "Hi"]]);
console.log(list.length, list[1]?.id !== undefined); //=> 2 true

const edited = addMessages(list, { role: "user", content: "Good morning", id: "1" });
console.log(edited.map(({ text }) => text)); //=> [ 'Good morning', 'Hi' ]

console.log(addMessages(edited, new RemoveMessage({ id: "1" })).length); //=> 1
const wiped = addMessages(edited, [new RemoveMessage({ id: REMOVE_ALL_MESSAGES }), "Again"]);
console.log(wiped.map(({ text }) => text)); //=> [ 'Again' ]
//#endregion reducer
