import type { ConfigurableChatModel } from "./chat-model.ts";
import type { InitChatModelOptions } from "./init-chat-model.ts";

/**
 * `initChatModel` of `superstep/models`, loaded when it is called: `"provider:model"` to a chat
 * model. See there for the options and errors.
 */
export async function initChatModel(
  model?: string,
  options?: InitChatModelOptions,
): Promise<ConfigurableChatModel> {
  const loaded = await import("./init-chat-model.ts");
  return loaded.initChatModel(model, options);
}
