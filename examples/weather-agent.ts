// An agent that knows the weather. Run it with: npx superstep run examples/weather-agent.ts "..."
import { createAgent, tool } from "superstep";
import { z } from "zod";
import { demoModel, type SentMessage } from "./demo/model.ts";

const getWeather = tool(({ city }) => `${city}: sunny, 25 °C, no rain until tomorrow`, {
  name: "get_weather",
  description: "How the weather in a city is",
  schema: z.object({ city: z.string() }),
});

export const agent = createAgent({
  model: await demoModel(script),
  tools: [getWeather],
  systemPrompt: "You know the weather. Answer in the language of the question.",
});

/** What the model says when it is scripted. */
function script(messages: readonly SentMessage[]) {
  const { role } = messages.at(-1)!;
  const id = `call_${messages.length}`; // one of its own for each call of a conversation
  const question = messages.findLast((message) => message.role === "user")?.content ?? "";
  const weather = messages.findLast((message) => message.role === "tool")?.content;
  const city = weather?.split(":")[0];
  const say = (english: string, chinese: string): string =>
    /\p{Script=Han}/u.test(question) ? chinese : english;
  if (role === "tool") return say(`It is sunny in ${city}, 25 °C.`, `${city}今天晴，25 °C。`);
  if (/伞|umbrella/i.test(question)) {
    if (city === undefined) return say("In which city?", "您问的是哪个城市？");
    return say(`No: ${city} has no rain until tomorrow.`, `${city}到明天都没有雨，不需要带伞。`);
  }
  const named = /(\p{Script=Han}{2})(?:今天|明天|的)?天气|\bin ([A-Z]\w+)/u.exec(question);
  if (named) {
    const args = { city: named[1] ?? named[2] };
    return { tool_calls: [{ name: "get_weather", args, id }] };
  }
  return say(
    "I am a scripted model and only know the weather: name a city.",
    "我是脚本模型，只知道天气：请说一个城市。",
  );
}
