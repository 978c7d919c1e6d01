// Conversations that are remembered, in a database file.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FakeChatModel } from "superstep/testing";

const model = new FakeChatModel({ responses: ["Hello, Ada.", "You are Ada."] });
const folder = mkdtempSync(join(tmpdir(), "threads-"));
const file = join(folder, "threads.db");

//#region thread
import { createAgent } from "superstep";
import { SqliteSaver } from "superstep/sqlite";

const saver = new SqliteSaver(file);
const agent = createAgent({ model, checkpointer: saver });
const thread = { configurable: { thread_id: "ada-1" } };

await agent.invoke({ messages: "I am Ada." }, thread);
const { messages } = await agent.invoke({ messages: "Who am I?" }, thread);
console.log(messages.map(({ text }) => text));
//=> [ 'I am Ada.', 'Hello, Ada.', 'Who am I?', 'You are Ada.' ]
//#endregion thread

//#region state
const state = await agent.getState(thread);
console.log(state.values.messages.length, state.next, state.metadata?.step); //=> 4 [] 3
const before = await agent.getState(state.parentConfig!);
console.log(before.values.messages.length, before.next); //=> 3 [ 'model' ]
//#endregion state

//#region list
for (const { threadId, run, head } of await saver.threads()) {
  console.log(threadId, run.status, head?.step); //=> ada-1 done 3
}
//#endregion list

saver.close();
rmSync(folder, { recursive: true });
