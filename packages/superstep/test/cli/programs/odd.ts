// An agent whose one tool does what the question says: it prints, throws where nobody awaits, or exits.
import { setTimeout as wait } from "node:timers/promises";
import { createAgent, tool } from "superstep";
import { FakeChatModel } from "superstep/testing";

const odd = tool(
  async (what) => {
    if (what === "prints") process.stdout.write("printed by the tool\n");
    if (what === "exits") process.exit(0);
    if (what === "strays") void Promise.reject(new Error("nobody awaits this"));
    if (what === "slowly") await wait(400);
    if (what === "strays") await wait(10_000);
    return what;
  },
  { name: "odd", description: "does what it is told" },
);
const model = new FakeChatModel({
  responses: (messages) => {
    const last = messages.at(-1)!;
    if (last.type === "tool") return "Done.";
    return { role: "assistant", tool_calls: [{ name: "odd", args: { input: last.text } }] };
  },
});
export const graph = 5; // no graph: that of "agent" is the one
export const agent = createAgent({ model, tools: [odd] });
