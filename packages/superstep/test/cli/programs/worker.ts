// An agent with a tool that takes a while, as a user writes it. What its tools do is appended to a file.
import { appendFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { createAgent, tool } from "superstep";
import { FakeChatModel } from "superstep/testing";

const { JOURNAL: journal = "", SLOW: slow = "0" } = process.env;
const note = (line: string): void => appendFileSync(journal, `${line}\n`);

const model = new FakeChatModel({
  responses: (messages) => {
    const question = messages.findLast(({ type }) => type === "human")?.text ?? "";
    const last = messages.at(-1)!;
    note(`model ${messages.length}`);
    if (last.type === "tool") return `Done: ${last.text}.`;
    if (question.startsWith("recall")) return `You said: ${messages[0]?.text}.`;
    if (question === "fail") throw new Error("the model is out", { cause: new Error("no power") });
    const calls = question === "both" ? ["quick", "slow"] : [question];
    return {
      role: "assistant",
      tool_calls: calls.map((name, i) => ({
        name,
        args: { input: "x" },
        id: `${messages.length}-${i}`,
      })),
    };
  },
});
const quick = tool(
  (input) => {
    note("quick");
    return `quick ${input}`;
  },
  { name: "quick", description: "ends at once" },
);
const slowly = tool(
  async (input, { signal }) => {
    note("slow begins");
    await wait(Number(slow), undefined, { signal });
    note("slow");
    return `slow ${input}`;
  },
  { name: "slow", description: "takes a while" },
);
export const agent = createAgent({ model, tools: [quick, slowly] });
