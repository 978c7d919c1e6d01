// Requests that fail, and answers that are not finished.
import { IncompleteResponseError, initChatModel, ModelError, tool } from "superstep";
import { startModelServer } from "superstep/testing";

const search = tool((query) => `Nothing on ${query}`, { name: "search" });
const server = await startModelServer({
  replies: [
    {
      status: 429,
      headers: { "retry-after": "2" },
      json: { error: { message: "Too many requests" } },
    },
    { tool_calls: [{ name: "search", args: { input: "boats" } }], finish_reason: "length" },
  ],
});
const model = await initChatModel("qwen3-32b", { baseURL: server.baseURL, apiKey: "none" });

//#region failed
try {
  await model.invoke("Hello");
} catch (error) {
  if (!(error instanceof ModelError)) throw error;
  console.log(error.status, error.retryable, error.retryAfterMs); //=> 429 true 2000
}
//#endregion failed

//#region cut
try {
  await model.bindTools([search]).invoke("Find boats");
} catch (error) {
  if (!(error instanceof IncompleteResponseError)) throw error;
  console.log(error.finishReason); //=> length
  console.log(error.partial.tool_calls.length, error.partial.invalid_tool_calls[0]?.name);
  //=> 0 search
}
//#endregion cut
await server.close();
