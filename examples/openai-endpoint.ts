// An OpenAI-compatible endpoint, spoken to by the provider's own package over HTTP. The server is one
// on this machine, so the program runs without a key.
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { createAgent, initChatModel, tool } from "superstep";
import { fromAiSdk } from "superstep/models";
import { startModelServer } from "superstep/testing";

const getWeather = tool((city) => `Sunny in ${city}`, {
  name: "get_weather",
  description: "How the weather in a city is",
});

//#region endpoint
const server = await startModelServer({
  replies: [
    { tool_calls: [{ name: "get_weather", args: { input: "Bonn" } }] },
    { text: "It is sunny in Bonn.", usage: { input: 60, output: 7 } },
    "Hello",
  ],
});
const model = await initChatModel("qwen3-32b", { baseURL: server.baseURL, apiKey: "none" });
const agent = createAgent({ model, tools: [getWeather], systemPrompt: "You know the weather." });

const { messages } = await agent.invoke({ messages: "How is the weather in Bonn?" });
const answer = messages.at(-1);
console.log(answer?.text); //=> It is sunny in Bonn.
if (answer?.type === "ai") console.log(answer.usage_metadata?.total_tokens); //=> 67

const { path, body } = server.requests[0]!;
console.log(path, Object.keys(body as object));
//=> /v1/chat/completions [ 'model', 'messages', 'tools' ]
//#endregion endpoint

// A model that another program made with the provider's package.
//#region ai-sdk
const provider = createOpenAICompatible({ name: "local", baseURL: server.baseURL });
const local = fromAiSdk(provider("qwen3-32b"), { temperature: 0 });
console.log((await local.invoke("Say hello")).text); //=> Hello
//#endregion ai-sdk
server.assertFinished();
await server.close();
