import {
  AIMessage,
  HumanMessage,
  type MessagesInput,
  SystemMessage,
  tool,
  ToolMessage,
  type ToolRuntime,
  validateChatHistory,
} from "superstep";
import { FakeChatModel } from "superstep/testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { expectRefusal, readAll, rejectionOf, turns } from "../scenarios/world.ts";
import { add, calling, factories, last, lines } from "./world.ts";

describe.each(factories)("the input of $name", ({ create }) => {
  const forms: [string, MessagesInput, string[]][] = [
    ["a text", "hi", ["human: hi"]],
    ["a list of texts", ["a", "b"], ["human: a", "human: b"]],
    ["one message", new HumanMessage("hi"), ["human: hi"]],
    ["messages", [new SystemMessage("s"), new HumanMessage("h")], ["system: s", "human: h"]],
    [
      "pairs",
      [
        ["system", "s"],
        ["user", "u"],
        ["human", "h"],
        ["assistant", "a"],
        ["ai", "i"],
      ],
      ["system: s", "human: u", "human: h", "ai: a", "ai: i"],
    ],
    [
      "objects with a role",
      [
        { role: "system", content: "s" },
        { role: "user", content: "u" },
        { role: "assistant", content: "a" },
      ],
      ["system: s", "human: u", "ai: a"],
    ],
    ["one object", { role: "user", content: "hi" }, ["human: hi"]],
    [
      "wire JSON",
      [
        { type: "human", content: "h", id: "1" },
        { type: "ai", content: "a" },
      ],
      ["human: h", "ai: a"],
    ],
    ["content blocks", [["user", [{ type: "text", text: "block" }]]], ["human: block"]],
    [
      "a mixture",
      ["t", ["ai", "p"], { role: "user", content: "d" }, new HumanMessage("m")],
      ["human: t", "ai: p", "human: d", "human: m"],
    ],
  ];

  test.each(forms)("item 58: %s", async (_, messages, expected) => {
    const model = new FakeChatModel({ responses: ["done"] });
    const result = await create({ model }).invoke({ messages });
    expect(lines(model.requests[0]!.messages)).toEqual(expected);
    expect(lines(result.messages)).toEqual([...expected, "ai: done"]);
    for (const message of result.messages) {
      expect(message.id).toEqual(expect.any(String));
      expect(Object.isFrozen(message)).toBe(true);
    }
  });

  test("item 58: calls and results in OpenAI's shape", async () => {
    const model = new FakeChatModel({ responses: ["done"] });
    const result = await create({ model, tools: [add] }).invoke({
      messages: [
        { role: "user", content: "1 + 2?" },
        {
          role: "assistant",
          content: null,
          tool_calls: [
            { id: "c1", type: "function", function: { name: "add", arguments: '{"a":1,"b":2}' } },
          ],
        },
        { role: "tool", tool_call_id: "c1", content: "3" },
      ],
    });
    const [, ai, toolMessage] = result.messages;
    expect(ai).toBeInstanceOf(AIMessage);
    expect(ai).toMatchObject({ tool_calls: [{ id: "c1", name: "add", args: { a: 1, b: 2 } }] });
    expect(toolMessage).toBeInstanceOf(ToolMessage);
  });

  test("item 58: a conversation survives JSON and goes on", async () => {
    const model = new FakeChatModel({
      responses: [calling(["add", { a: 1, b: 2 }, "c1"]), "3", "bye"],
    });
    const agent = create({ model, tools: [add], prompt: "Be brief." });
    const first = await agent.invoke({ messages: "1 + 2?" });
    const stored = JSON.parse(JSON.stringify(first)) as { messages: MessagesInput };
    expect(Object.keys(stored)).toEqual(["messages"]);
    const again = await create({
      model: new FakeChatModel({ responses: ["bye"] }),
      tools: [add],
    }).invoke({ messages: [...(stored.messages as []), ["user", "thanks"]] });
    expect(JSON.parse(JSON.stringify(again.messages.slice(0, 4)))).toEqual(stored.messages);
    expect(lines(again.messages).slice(4)).toEqual(["human: thanks", "ai: bye"]);
    validateChatHistory(again.messages);
  });

  test("MSG-04: an id is given before the write is shown, and stays", async () => {
    const model = new FakeChatModel({ responses: [calling(["add", { a: 1, b: 2 }]), "3"] });
    const ids: (string | undefined)[] = [];
    let final: readonly { id: string | undefined }[] = [];
    const stream = create({ model, tools: [add] }).stream(
      { messages: "q" },
      { streamMode: ["updates", "values"] },
    );
    for await (const item of stream) {
      if (item[0] === "values") final = item[1].messages;
      else {
        for (const update of Object.values(item[1])) {
          ids.push(...(update.messages as readonly { id?: string }[]).map(({ id }) => id));
        }
      }
    }
    expect(ids).toHaveLength(3);
    expect(final.slice(1).map(({ id }) => id)).toEqual(ids);
  });

  test("MSG-06: an answer of version 1 with a plain text", async () => {
    const model = new FakeChatModel({
      responses: [
        new AIMessage({ content: "Hi there!", response_metadata: { output_version: "v1" } }),
      ],
    });
    const result = await create({ model }).invoke({ messages: "q" });
    expect(last(result.messages).content).toEqual([{ type: "text", text: "Hi there!" }]);
  });

  test.each([
    [{ messages: 3 }],
    [{ messages: [{ role: "nobody", content: "x" }] }],
    [{ messages: [{}] }],
  ])("item 58: %j is refused before the model is called", async (input) => {
    const model = new FakeChatModel({ responses: ["never"] });
    expectRefusal(await rejectionOf(create({ model }).invoke(input as never)), {
      code: "INVALID_MESSAGE",
    });
    expect(model.requests).toEqual([]);
  });

  test("the messages that were handed in are not changed", async () => {
    const messages = [{ role: "user", content: "hi" }];
    const model = new FakeChatModel({ responses: ["done"] });
    await create({ model }).invoke({ messages });
    expect(messages).toEqual([{ role: "user", content: "hi" }]);
    expect(Object.isFrozen(messages)).toBe(false);
  });

  test("two runs at once do not mix", async () => {
    const whose = tool(
      async (_: object, { configurable, state }: ToolRuntime<{ messages: object[] }>) => {
        await turns(3);
        return `${String(configurable["user"])}: ${lines(state.messages)[0]}`;
      },
      { name: "whose", description: "whose", schema: z.object({}) },
    );
    const model = new FakeChatModel({
      responses: async (messages) => {
        await turns(2);
        const results = messages.filter(({ type }) => type === "tool");
        return results.length < 3 ? calling("whose") : `${results.length} for ${messages[0]!.text}`;
      },
    });
    const agent = create({ model, tools: [whose] });
    const users = Array.from({ length: 8 }, (_, i) => `user${i}`);
    const results = await Promise.all(
      users.map((user, i) =>
        i % 2 === 0
          ? agent.invoke({ messages: user }, { configurable: { user } })
          : readAll(
              agent.stream({ messages: user }, { configurable: { user }, streamMode: "values" }),
            ).then(last),
      ),
    );
    for (const [i, user] of users.entries()) {
      const said = `tool: ${user}: human: ${user}`;
      expect(lines(results[i]!.messages)).toEqual([
        `human: ${user}`,
        "ai: ",
        said,
        "ai: ",
        said,
        "ai: ",
        said,
        `ai: 3 for ${user}`,
      ]);
    }
  });
});
