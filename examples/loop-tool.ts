// A model that never stops calling tools, under each limit from 1 to 20: each run ends with the same
// sentence, and none fails.
import { createReactAgent, tool } from "superstep";
import { FakeChatModel } from "superstep/testing";

//#region loop-tool
let runs = 0;
const loopTool = tool(() => `run ${++runs}`, { name: "loop_tool" });
const call = { role: "assistant", tool_calls: [{ name: "loop_tool", args: {} }] };
const llm = new FakeChatModel({ responses: () => call });
const agent = createReactAgent({ llm, tools: [loopTool] });

const toolRuns: number[] = [];
const endings = new Set<string | undefined>();
for (let recursionLimit = 1; recursionLimit <= 20; recursionLimit++) {
  runs = 0;
  const { messages } = await agent.invoke({ messages: "Go on" }, { recursionLimit });
  toolRuns.push(runs);
  endings.add(messages.at(-1)?.text);
}
console.log(toolRuns.join(" ")); //=> 0 0 1 1 2 2 3 3 4 4 5 5 6 6 7 7 8 8 9 9
for (const ending of endings) console.log(ending);
//=> Sorry, need more steps to process this request.
//#endregion loop-tool
