// A tool with a schema: arguments are checked, defaults filled in, and types follow.
//#region tool
import { tool, ToolMessage, ToolNode } from "superstep";
import { z } from "zod";

const getWeather = tool(({ city, unit }) => `21 degrees ${unit} in ${city}`, {
  name: "get_weather",
  description: "The weather of a city",
  schema: z.object({ city: z.string().min(1), unit: z.enum(["C", "F"]).default("C") }),
});
console.log(await getWeather.invoke({ city: "Bonn" })); //=> 21 degrees C in Bonn
const { required } = await getWeather.toJsonSchema();
console.log(required); //=> [ 'city' ]
//#endregion tool

//#region call
const message = await getWeather.invoke({
  type: "tool_call",
  id: "call_1",
  name: "get_weather",
  args: { city: "Bonn" },
});
console.log(message.status, message.tool_call_id, message.text);
//=> success call_1 21 degrees C in Bonn
//#endregion call

// What the model is told when its arguments do not fit.
//#region refused
const node = new ToolNode([getWeather]);
const calls = [{ type: "tool_call", id: "call_2", name: "get_weather", args: { city: "" } }];
const [refused] = await node.invoke(calls);
if (refused instanceof ToolMessage) console.log(refused.status, refused.text);
//=> error Error invoking tool 'get_weather' with kwargs {"city":""} with error:
//=>  Received tool input did not match expected schema
//=>
//=> ✖ Too small: expected string to have >=1 characters
//=>   → at city
//=>  Please fix the error and try again.
//#endregion refused
