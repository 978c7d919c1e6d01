// The events of a run, for a program that follows it.
import { createAgent, tool, type TraceEvent, tracePrinter } from "superstep";
import { FakeChatModel } from "superstep/testing";

const call = { role: "assistant", tool_calls: [{ name: "get_weather", args: { input: "Bonn" } }] };
const getWeather = tool((city) => `Sunny in ${city}`, { name: "get_weather" });
const model = new FakeChatModel({ responses: [call, "It is sunny in Bonn.", "Yes."] });

//#region trace
const agent = createAgent({ model, tools: [getWeather] });
const events: TraceEvent[] = [];
await agent.invoke(
  { messages: "How is the weather in Bonn?" },
  { trace: (event) => events.push(event) },
);
for (const event of events) {
  if (event.type === "decision") console.log(event.toolCalls, event.pending, event.target);
  if (event.type === "tool_end") console.log(event.call.name, event.call.args, event.status);
}
//=> 1 1 tools
//=> get_weather { input: 'Bonn' } success
//=> 0 0 __end__
//#endregion trace

//#region print
const lines: string[] = [];
await agent.invoke(
  { messages: "Still sunny?" },
  { trace: tracePrinter({ write: (line) => lines.push(line) }) },
);
console.log(lines.at(-1)); //=> no tool calls, the run ends, target: __end__
//#endregion print
