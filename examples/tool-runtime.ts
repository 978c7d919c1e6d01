// What a tool gets beside its arguments, and what it can return beside a text.
import {
  AgentState,
  Annotation,
  Command,
  createReactAgent,
  tool,
  ToolMessage,
  type ToolRuntime,
} from "superstep";
import { FakeChatModel } from "superstep/testing";

//#region runtime
const State = Annotation.Root({ ...AgentState.spec, orders: Annotation<string[]>() });
type Shop = typeof State.State;

const listOrders = tool(
  (_, { state, writer }: ToolRuntime<Shop>) => {
    writer(`${state.orders.length} orders`);
    return state.orders;
  },
  { name: "list_orders", description: "The orders of the user" },
);
//#endregion runtime

//#region command
const cancelAll = tool(
  (_, { toolCallId }) =>
    new Command({
      update: {
        orders: [],
        messages: [new ToolMessage("All orders are cancelled.", toolCallId ?? "", "cancel_all")],
      },
    }),
  { name: "cancel_all", description: "Cancels all orders", effect: "once" },
);
//#endregion command

//#region artifact
const report = tool(() => ["3 rows", { rows: [1, 2, 3] }] as const, {
  name: "report",
  responseFormat: "content_and_artifact",
});
//#endregion artifact

const calls = ["list_orders", "cancel_all", "report"].map((name) => ({ name, args: {} }));
const agent = createReactAgent({
  llm: new FakeChatModel({ responses: [{ role: "ai", tool_calls: calls }, "Done."] }),
  tools: [listOrders, cancelAll, report],
  stateSchema: State,
});

//#region run
const input = { messages: "Cancel my orders", orders: ["A-7", "B-2"] };
const streamMode = ["custom", "values"] as const;
for await (const [mode, chunk] of agent.stream(input, { streamMode })) {
  if (mode === "custom") console.log(chunk); //=> 2 orders
  else if (chunk.messages.at(-1)?.text === "Done.") {
    console.log(chunk.orders);
    for (const message of chunk.messages) {
      if (message.type === "tool") console.log(message.name, message.text, message.artifact);
    }
  }
}
//=> []
//=> list_orders ["A-7","B-2"] undefined
//=> cancel_all All orders are cancelled. undefined
//=> report 3 rows { rows: [ 1, 2, 3 ] }
//#endregion run
