// A model of your own: a port says the parts of an answer, the rest is done for it.
//#region port
import { createChatModel, type ModelPort } from "superstep/models";

const echo: ModelPort = {
  provider: "local",
  modelName: "echo",
  async *stream({ messages }) {
    for (const word of messages.at(-1)?.text.split(" ") ?? []) {
      yield { type: "text", text: `${word}! ` };
    }
    yield { type: "finish", reason: "stop" }; // without it the answer is incomplete
  },
};
const model = createChatModel(echo);

const answer = await model.invoke("Hello there");
console.log([answer.text, answer.id !== undefined]); //=> [ 'Hello! there! ', true ]
for await (const piece of model.stream("Hello there")) console.log([piece.text]);
//=> [ 'Hello! ' ]
//=> [ 'there! ' ]
//#endregion port
