import { createAgent, createReactAgent, HumanMessage, tool } from "superstep";
import { FakeChatModel } from "superstep/testing";
import { z } from "zod";

const model = new FakeChatModel({ responses: ["one", "two"] });
const add = tool(({ a, b }) => a + b, {
  name: "add",
  description: "adds",
  schema: z.object({ a: z.number(), b: z.number() }),
});
const react = createReactAgent({ llm: model, tools: [add] });
const agent = createAgent({ model, tools: [add] });

/** What a project without strict checks writes. */
export async function ask(): Promise<string[]> {
  const { messages } = await react.invoke({ messages: [new HumanMessage("hi")] });
  const again = await agent.invoke({
    messages: [...messages, { role: "user", content: "again" }, ["user", "and again"]],
  });
  return again.messages.map(({ text }) => text);
}
