// What the model is told when a tool fails, by handleToolErrors.
import { type HandleToolErrors, tool, ToolMessage, ToolNode } from "superstep";

//#region errors
const open = tool(
  (door) => {
    throw new RangeError(`there is no door ${door}`);
  },
  { name: "open" },
);
const call = [{ type: "tool_call", id: "call_1", name: "open", args: { input: "9" } }];

const forms: Record<string, HandleToolErrors> = {
  true: true,
  text: "That did not work.",
  class: RangeError,
  list: [TypeError, RangeError],
  function: (error) => (error instanceof RangeError ? "Choose a door from 1 to 3." : undefined),
  false: false,
  "other class": TypeError,
};
for (const [form, handleToolErrors] of Object.entries(forms)) {
  const node = new ToolNode([open], { handleToolErrors });
  try {
    const [message] = await node.invoke(call);
    if (message instanceof ToolMessage) console.log(`${form}:`, JSON.stringify(message.text));
  } catch (error) {
    console.log(`${form}: thrown,`, (error as Error).message);
  }
}
//=> true: "Error: RangeError: there is no door 9\n Please fix your mistakes."
//=> text: "That did not work."
//=> class: "Error: RangeError: there is no door 9\n Please fix your mistakes."
//=> list: "Error: RangeError: there is no door 9\n Please fix your mistakes."
//=> function: "Choose a door from 1 to 3."
//=> false: thrown, there is no door 9
//=> other class: thrown, there is no door 9
//#endregion errors
