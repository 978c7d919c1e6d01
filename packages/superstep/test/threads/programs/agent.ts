// A program as a user writes it, with no code for crashes. What happens in it is appended to a file.
import { appendFileSync } from "node:fs";
import { createAgent, tool } from "superstep";
import { SqliteSaver } from "superstep/sqlite";
import { FakeChatModel } from "superstep/testing";

const [db = "", journal = "", question = "go"] = process.argv.slice(2);
const note = (line: string): void => appendFileSync(journal, `${line}\n`);
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const call = (name: string, input: string): object => ({ name, args: { input } });

/** What the model says depends on the conversation, so that any process can go on with it. */
const model = new FakeChatModel({
  responses: (messages) => {
    const said = messages.filter(({ type }) => type === "ai").length;
    note(`model ${messages.length}`);
    if (messages.at(-1)?.text === "again") return `You said ${messages[0]?.text}.`;
    if (said === 0) {
      const tool_calls = [call("fast", "1"), call("slow", "2")];
      return { role: "assistant", tool_calls };
    }
    if (said === 1) return { role: "assistant", tool_calls: [call("fast", "3")] };
    return "Done.";
  },
});
const fast = tool(
  (input) => {
    note(`fast ${input}`);
    return `fast ${input}`;
  },
  { name: "fast", description: "ends at once" },
);
const slow = tool(
  async (input) => {
    note(`slow begins ${input}`);
    await wait(process.env["SLOW"] === undefined ? 0 : Number(process.env["SLOW"]));
    note(`slow ${input}`);
    return `slow ${input}`;
  },
  { name: "slow", description: "takes a while" },
);
const agent = createAgent({
  model,
  tools: [fast, slow],
  checkpointer: new SqliteSaver(db),
});
const thread = { configurable: { thread_id: "t" } };

try {
  for await (const chunk of agent.stream({ messages: question }, thread)) {
    note(`step ${Object.keys(chunk).join()}`);
    if (process.env["PAUSE"] === Object.keys(chunk).join()) await wait(60_000);
  }
  const { values } = await agent.getState(thread);
  process.stdout.write(JSON.stringify(values.messages.map(({ type, text }) => [type, text])));
} catch (error) {
  process.stdout.write(JSON.stringify({ code: (error as { code?: string }).code }));
  process.exitCode = 1;
}
