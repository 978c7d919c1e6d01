// Two agents, each asked a question and then another that needs the first. Their threads stay on disk.
import { mkdirSync } from "node:fs";
import { tracePrinter } from "superstep";
import { SqliteSaver } from "superstep/sqlite";
import { agent as mailAssistant } from "../mail-assistant.ts";
import { howTheModelAnswers } from "./model.ts";
import { agent as weatherAgent } from "../weather-agent.ts";

const db = ".superstep/demo.db";
const lang = process.argv.includes("zh") ? "zh" : "en";
const started = new Date().toISOString().slice(0, 19);

mkdirSync(".superstep", { recursive: true });
const saver = new SqliteSaver(db);
console.log(howTheModelAnswers);

const mail = `mail-${started}`;
await ask(
  mailAssistant,
  mail,
  '给 zhangsan@example.com 发一封邮件，主题是"项目进度同步"，告诉他会议时间已经调整到明天下午3点。',
);
await ask(mailAssistant, mail, "刚才的邮件发给了谁？");

const weather = `weather-${started}`;
await ask(weatherAgent, weather, "北京今天天气怎么样？");
await ask(weatherAgent, weather, "那明天需要带伞吗？");

console.log(`
The threads ${mail} and ${weather} are stored in ${db}. To look at them:

  npx superstep threads --db ${db}
  npx superstep trace ${mail} --db ${db} --lang zh
  npx superstep run examples/weather-agent.ts "Do I need an umbrella?" --thread ${weather} --db ${db}`);
saver.close();

/** Asks on a thread, and prints the whole flow and the answer. */
async function ask(agent: typeof mailAssistant, thread: string, question: string): Promise<void> {
  console.log(`\n── ${thread}\n? ${question}\n`);
  const { messages } = await agent.invoke(
    { messages: question },
    {
      checkpointer: saver,
      configurable: { thread_id: thread },
      trace: tracePrinter({ lang }),
    },
  );
  console.log(`\n! ${messages.at(-1)?.text}`);
}
