// The entry "superstep/models".
export { type AiSdkOptions, fromAiSdk, isAiSdkModel } from "./model/ai-sdk.ts";
export type { AiSdkModel } from "./model/ai-sdk-shapes.ts";
export { initChatModel, type InitChatModelOptions } from "./model/init-chat-model.ts";
export { type ConfigurableChatModel, createChatModel } from "./model/chat-model.ts";
export type { FinishReason, ModelPart, ModelPort, ModelRequest } from "./model/port.ts";
