import { registerHooks } from "node:module";
import {
  addMessages,
  AIMessage,
  Annotation,
  coerceMessage,
  coerceMessages,
  createAgent,
  createReactAgent,
  type ErrorCode,
  HumanMessage,
  initChatModel,
  MessagesAnnotation,
  RemoveMessage,
  RunnableLambda,
  START,
  StateGraph,
  tool,
  ToolMessage,
  ToolNode,
  toolsCondition,
  validateChatHistory,
} from "superstep";
import { fromAiSdk } from "superstep/models";
import { FakeChatModel, type ServerReply, startModelServer } from "superstep/testing";
import { z } from "zod";
import { z as z3 } from "zod3";

type Program = () => unknown;

/** What a program in JavaScript may pass. */
const untyped = (value: unknown): never => value as never;
const says = (...responses: readonly unknown[]): FakeChatModel =>
  new FakeChatModel({ responses: responses as readonly string[] });

const search = tool((query) => `Nothing on ${query}`, { name: "search" });
const open = tool((door) => door, { name: "open" });
const wantsSearch = { role: "assistant", tool_calls: [{ name: "search", args: {}, id: "call_1" }] };
const cut = (finish_reason: string): AIMessage =>
  new AIMessage({ content: "The answer", response_metadata: { finish_reason } });
const callOf = (name: string, args: object, id = "call_1"): unknown => ({
  type: "tool_call",
  id,
  name,
  args,
});

/** Asks the provider's own package, which asks a server on this machine. */
async function ask(reply: ServerReply): Promise<unknown> {
  await using server = await startModelServer({ replies: [reply] });
  const model = await initChatModel("qwen3-32b", { baseURL: server.baseURL, apiKey: "none" });
  return await model.bindTools([search]).invoke("Hello"); // before the server closes
}
const refusal = (status: number, message: string): ServerReply => ({
  status,
  json: { error: { message, type: "error" } },
});
/** A stream whose second line is none that a package can read. */
const brokenCall =
  'data: {"id":"1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1",' +
  '"type":"function","function":{"name":"search","arguments":""}}]}}]}\n\ndata: {"id\n\n';

async function readBroken(): Promise<void> {
  await using server = await startModelServer({ replies: [{ sse: brokenCall }] });
  const model = await initChatModel("qwen3-32b", { baseURL: server.baseURL, apiKey: "none" });
  for await (const piece of model.stream("Hello")) piece.toJSON();
}

/** Runs the program as if the package were not installed. */
async function without(name: string, program: Program): Promise<void> {
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      if (!specifier.includes(name)) return next(specifier, context);
      const error = new Error(`Cannot find package '${name}'`);
      throw Object.assign(error, { code: "ERR_MODULE_NOT_FOUND" });
    },
  });
  try {
    await program();
  } finally {
    hooks.deregister();
  }
}

const deep = (levels: number): Readonly<Record<string, unknown>> =>
  levels === 0 ? { type: "string" } : { type: "array", items: deep(levels - 1) };
const withSchema = (schema: unknown): Promise<unknown> =>
  Promise.resolve(tool(() => "", { name: "search", schema: untyped(schema) }).toJsonSchema());

/** The programs for messages, models, tools and agents, as in `errors-docs.test.ts`. */
export const agentPrograms: Readonly<Partial<Record<ErrorCode, readonly Program[]>>> = {
  CONTEXT_OVERFLOW: [
    () => ask(refusal(400, "This model's maximum context length is 32768 tokens.")),
  ],
  DUPLICATE_TOOL: [() => new ToolNode([search, search])],
  INCOMPLETE_RESPONSE: [
    () => says(cut("length")).invoke("Hello"),
    () => says(cut("content_filter")).invoke("Hello"),
    () => says(cut("error")).invoke("Hello"),
    () => says({ chunks: ["The answer"], finishReason: null }).invoke("Hello"),
    () => says(cut("other")).invoke("Hello"),
    () => says({ ...wantsSearch, response_metadata: { finish_reason: "length" } }).invoke("Hello"),
  ],
  INVALID_CHAT_HISTORY: [
    () => createReactAgent({ llm: says("Fine.") }).invoke({ messages: [wantsSearch, "Hello?"] }),
    () => validateChatHistory([new ToolMessage({ content: "1", tool_call_id: "call_1", id: "m" })]),
  ],
  INVALID_INPUT: [
    () => new ToolNode([search]).invoke(untyped({ text: "hello" })),
    () => new ToolNode([search]).invoke([new HumanMessage("hello")]),
    () => toolsCondition(untyped({ text: "hello" })),
    () => search.invoke(untyped(callOf("search", {}, ""))),
    () =>
      createReactAgent({
        llm: says(),
        stateSchema: Annotation.Root({ messages: Annotation() }) as never,
      }).invoke({}),
  ],
  INVALID_MESSAGE: [
    () => coerceMessage(5),
    () => coerceMessage(["robot", "hello"]),
    () => coerceMessage({ content: "hello" }),
    () => coerceMessage({ role: "robot", content: "hello" }),
    () => coerceMessages(["hello", { role: "user", content: 5 }]),
    () => new HumanMessage([{ text: "hello" } as never]),
    () => new AIMessage({ tool_calls: untyped("search") }),
    () => new ToolMessage(untyped({ content: "hello" })),
  ],
  INVALID_MODEL: [
    () => initChatModel(),
    () => initChatModel(untyped(5)),
    () => fromAiSdk(untyped({ provider: "openai" })),
    () => fromAiSdk(untyped({ specificationVersion: "v9", doStream() {}, doGenerate() {} })),
    () => createReactAgent({ llm: untyped(5) }),
    () => createReactAgent({ llm: untyped(() => 5) }).invoke({ messages: "Hello" }),
    () => createReactAgent({ llm: new RunnableLambda(() => "hello"), tools: [search] }),
    () => createReactAgent({ llm: new RunnableLambda(() => "hello") }).invoke({ messages: "Hi" }),
  ],
  INVALID_OPTION: [
    () => createReactAgent({ llm: says(), model: says() }),
    () => createAgent({ model: says(), prompt: "Be brief.", systemPrompt: "Be brief." }),
    () => createReactAgent({ llm: says(), version: untyped("v3") }),
    () => new ToolNode([search], { handleToolErrors: untyped(404) }),
    () => tool(() => "", { name: "search", effect: untyped("never") }),
    () => says("Fine.").bindTools([search], { tool_choice: "open" }).invoke("Hello"),
    () => initChatModel("openai-compatible:qwen3-32b"),
    () => says(["human", "Hello"]).invoke("Hello"),
  ],
  INVALID_PROMPT: [
    () => createReactAgent({ llm: says(), prompt: untyped(5) }),
    () => createReactAgent({ llm: says(), prompt: new HumanMessage("Be brief.") as never }),
  ],
  INVALID_SCHEMA: [
    () => withSchema("string"),
    () => withSchema({ query: z.string() }),
    () => withSchema(z.object({ when: z.date() })),
    () => withSchema({ type: "object", properties: { a: { $ref: "#/definitions/b" } } }),
    () => withSchema(deep(101)),
  ],
  INVALID_STATE: [() => createReactAgent({ llm: says(), stateSchema: untyped({ spec: {} }) })],
  INVALID_TOOL: [
    () => tool(() => "", { name: "search the web" }),
    () => tool(untyped("search"), { name: "search" }),
    () => createReactAgent({ llm: says(), tools: untyped(["search"]) }),
    () =>
      says("Fine.")
        .bindTools([untyped("search")])
        .invoke("Hello"),
  ],
  INVALID_TOOL_INPUT: [
    () =>
      tool(({ city }) => city, {
        name: "get_weather",
        schema: z.object({ city: z.string(), days: z.number().max(7) }),
      }).invoke({ city: untyped(undefined), days: 30 }),
  ],
  INVALID_TOOL_OUTPUT: [
    () =>
      tool(
        untyped(() => "3 rows"),
        {
          name: "report",
          responseFormat: "content_and_artifact",
        },
      ).invoke(""),
    () =>
      tool(() => new ToolMessage("done", "call_2"), { name: "open" }).invoke(
        untyped(callOf("open", {})),
      ),
    () =>
      new ToolNode([tool(() => Promise.reject(new Error("locked")), { name: "open" })], {
        handleToolErrors: untyped(() => 5),
      }).invoke([callOf("open", {})]),
  ],
  MISSING_CHECKPOINTER: [
    () =>
      new StateGraph(MessagesAnnotation)
        .addNode("work", () => {})
        .addEdge(START, "work")
        .compile()
        .getState({}),
  ],
  MISSING_PACKAGE: [
    () => without("@ai-sdk/alibaba", () => initChatModel("qwen:qwen3-max", { apiKey: "none" })),
    () => without("zod-to-json-schema", () => withSchema(z3.object({}))),
  ],
  MODEL_ERROR: [
    () => ask(refusal(429, "Too many requests")),
    () => ask(refusal(401, "Incorrect API key provided")),
    () => readBroken(),
  ],
  RUN_CANCELLED: [
    () => says("Fine.").invoke("Hello", { signal: AbortSignal.abort("the user closed the tab") }),
  ],
  SCRIPT_EXHAUSTED: [() => says().invoke("Hello")],
  SCRIPT_UNFINISHED: [
    () => says("Hello", "Goodbye").assertFinished(),
    async () => {
      await using server = await startModelServer({ replies: ["Hello"] });
      server.assertFinished();
    },
  ],
  TOOLS_MISMATCH: [
    () => createReactAgent({ llm: says().bindTools([search, open]), tools: [search] }),
    () => createReactAgent({ llm: says().bindTools([open]), tools: [search] }),
    () =>
      createReactAgent({ llm: () => says().bindTools([open]), tools: [search] }).invoke({
        messages: "Hello",
      }),
  ],
  UNKNOWN_MESSAGE_ID: [() => addMessages(["Hello"], new RemoveMessage({ id: "msg_7" }))],
  UNKNOWN_OPTION: [
    () => createReactAgent({ llm: says(), middleware: [] } as never),
    () => tool(() => "", { name: "search", returnsDirect: true } as never),
    () => says("Fine.").invoke("Hello", { temprature: 0 } as never),
  ],
  UNKNOWN_PROVIDER: [
    () => initChatModel("acme:large"),
    () => initChatModel("large-1"),
    () => initChatModel("bedrock:claude"),
  ],
};
