// A complete tool-calling agent. Its model is scripted, so the program runs without a key.
//#region agent
import { createAgent, tool } from "superstep";
import { FakeChatModel } from "superstep/testing";
const call = { role: "assistant", tool_calls: [{ name: "get_weather", args: { input: "Bonn" } }] };
const model = new FakeChatModel({ responses: [call, "It is sunny in Bonn."] });
const about = { name: "get_weather", description: "How the weather in a city is" };
const getWeather = tool((city) => `Sunny in ${city}`, about);
const agent = createAgent({ model, tools: [getWeather] });
const { messages } = await agent.invoke({ messages: "How is the weather in Bonn?" });
console.log(messages.at(-1)?.text); //=> It is sunny in Bonn.
//#endregion agent
