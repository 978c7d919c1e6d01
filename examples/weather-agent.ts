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
  const { role, content } = messages.at(-1)!;
  const id = `call_${messages.length}`; // one of its own for each call of a conversation
  const question = messages.findLast((message) => message.role === "user")?.content ?? "";
  const weather = messages.findLast((message) => message.role === "tool")?.content ?? undefined;
  const city = weather?.split(":")[0] ?? "";
  const inChinese = /\p{Script=Han}/u.test(question);
  if (role === "tool")
    return inChinese ? `${city}今天晴，25 °C。` : `It is sunny in ${city}, 25 °C.`;
  if (/伞|umbrella/i.test(question)) {
    if (!weather) return inChinese ? "您问的是哪个城市？" : "In which city?";
    return inChinese
      ? `${city}到明天都没有雨，不需要带伞。`
      : `No: ${city} has no rain until tomorrow.`;
  }
  const place = /(\p{Script=Han}{2})(?:今天|明天|的)?天气/u.exec(question)?.[1];
  const named = place ?? /\bin ([A-Z]\w+)/.exec(question)?.[1];
  if (named) return { tool_calls: [{ name: "get_weather", args: { city: named }, id }] };
  return `I am a scripted model and only know the weather. You said: ${content}`;
}
