// Tokens of the model while it answers.
import { type AIMessageChunk, concatChunks, createReactAgent, tool } from "superstep";
import { FakeChatModel } from "superstep/testing";

const getWeather = tool((city) => `Sunny in ${city}`, { name: "get_weather" });
const call = { role: "assistant", tool_calls: [{ name: "get_weather", args: { input: "Bonn" } }] };

//#region tokens
const agent = createReactAgent({
  llm: new FakeChatModel({ responses: [call, "It is sunny in Bonn."] }),
  tools: [getWeather],
});
const input = { messages: "How is the weather in Bonn?" };
for await (const [message, metadata] of agent.stream(input, { streamMode: "messages" })) {
  console.log(metadata.langgraph_step, metadata.langgraph_node, message.type, [message.text]);
}
//=> 1 agent ai [ '' ]
//=> 2 tools tool [ 'Sunny in Bonn' ]
//=> 3 agent ai [ 'It' ]
//=> 3 agent ai [ ' is' ]
//=> 3 agent ai [ ' sunny' ]
//=> 3 agent ai [ ' in' ]
//=> 3 agent ai [ ' Bonn.' ]
//#endregion tokens

//#region model
const model = new FakeChatModel({ responses: ["One two three"] });
const pieces: AIMessageChunk[] = [];
for await (const piece of model.stream("Count")) pieces.push(piece);
console.log(pieces.map(({ text }) => text)); //=> [ 'One', ' two', ' three' ]
console.log(concatChunks(pieces).toMessage().text); //=> One two three
//#endregion model
