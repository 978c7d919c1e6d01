export { type AgentModel, type DynamicModel } from "./agent/agent-model.ts";
export { type AgentKeys, AgentState } from "./agent/agent-state.ts";
export type { ToolsInput } from "./agent/agent-tools.ts";
export { type AgentOptions, createAgent } from "./agent/create-agent.ts";
export { MessagesAnnotation, type MessagesKey } from "./agent/messages-annotation.ts";
export { ModelRequest, type ModelRequestFields } from "./agent/model-request.ts";
export { type MessagesState, type Prompt, promptRunnable } from "./agent/prompt.ts";
export { type AgentHook, createReactAgent, type ReactAgentOptions } from "./agent/react-agent.ts";
export {
  type ToolCallWithContext,
  ToolNode,
  type ToolNodeOptions,
  type ToolNodeUpdate,
} from "./agent/tool-node.ts";
export { toolsCondition } from "./agent/tools-condition.ts";
export { MemorySaver } from "./checkpoint/memory-saver.ts";
export type {
  Admission,
  Claim,
  Claimant,
  ClaimedRun,
  NewRun,
  Outcome,
  Page,
  RunSaver,
  RunStatus,
  StoredCheckpoint,
  StoredHead,
  StoredRun,
  StoredState,
  StoredThread,
} from "./checkpoint/saver.ts";
export {
  Command,
  type CommandParams,
  END,
  type Goto,
  isCommand,
  Send,
  START,
} from "./engine/command.ts";
export type { MessageMetadata, StreamedMessage } from "./engine/emit.ts";
export type { RunOptions, StreamMode, StreamOptions } from "./engine/options.ts";
export type { RunStream } from "./engine/run-stream.ts";
export type {
  CheckpointConfig,
  SnapshotTask,
  StateSnapshot,
  ThreadConfig,
} from "./engine/snapshot.ts";
export type { ExecutionInfo, Runtime, StreamWriter } from "./engine/runtime.ts";
export type { Channel } from "./channels/channel.ts";
export type { Reducer } from "./channels/reduced.ts";
export { type ErrorCode, errorCodes } from "./errors/codes.ts";
export {
  AggregateTaskError,
  EmptyInputError,
  type ErrorDetails,
  GraphRecursionError,
  GraphValueError,
  InvalidUpdateError,
  RunCancelledError,
  SuperstepError,
  ThreadBusyError,
  UnreachableNodeError,
} from "./errors/errors.ts";
export { type ErrorLocation, errorLocation } from "./errors/location.ts";
export {
  Annotation,
  type AnnotationRoot,
  IsLastStep,
  type ReducerOptions,
  RemainingSteps,
  type StateDefinition,
  type StateKey,
  type StateOf,
  type UpdateOf,
} from "./graph/annotation.ts";
export { buildSteps } from "./graph/build-steps.ts";
export type {
  CompiledStateGraph,
  CompileOptions,
  StreamItem,
  UpdatesOf,
} from "./graph/compiled.ts";
export { type DrawableEdge, DrawableGraph, type DrawableNode } from "./graph/draw/drawable.ts";
export type { MermaidOptions } from "./graph/draw/mermaid.ts";
export {
  type Invocable,
  type NodeOptions,
  type NodeReturn,
  type Route,
  StateGraph,
} from "./graph/state-graph.ts";
export { concatChunks } from "./message/chunks.ts";
export {
  coerceMessage,
  coerceMessages,
  type MessageLike,
  type MessagesInput,
} from "./message/coerce.ts";
export {
  isAIMessage,
  isAIMessageChunk,
  isBaseMessage,
  isHumanMessage,
  isRemoveMessage,
  isSystemMessage,
  isToolMessage,
} from "./message/guards.ts";
export {
  findOrphans,
  type Orphans,
  type PendingToolCalls,
  pendingToolCalls,
  repairHistory,
  type RepairedHistory,
  validateChatHistory,
} from "./message/history.ts";
export {
  AIMessage,
  AIMessageChunk,
  type AIMessageFields,
  BaseMessage,
  HumanMessage,
  type MessageFields,
  RemoveMessage,
  SystemMessage,
  ToolMessage,
  type ToolMessageFields,
} from "./message/messages.ts";
export {
  addMessages,
  messagesStateReducer,
  type MessagesReducer,
  REMOVE_ALL_MESSAGES,
} from "./message/reducer.ts";
export type {
  ContentBlock,
  InvalidToolCall,
  MessageContent,
  MessageData,
  MessageType,
  ToolCall,
  ToolCallChunk,
  UsageMetadata,
} from "./message/types.ts";
export { ContextOverflowError, IncompleteResponseError, ModelError } from "./model/errors.ts";
export { initChatModel } from "./model/lazy-init.ts";
export type {
  BindableTool,
  CallOptions,
  ChatModel,
  ModelSettings,
  ProviderTool,
  ToolChoice,
  ToolDefinition,
} from "./model/types.ts";
export { type Runnable, RunnableLambda, RunnableSequence } from "./runnable/runnable.ts";
export type { JsonSchema, Schema, StandardSchema } from "./schema/types.ts";
export type { BuildStep, TracedCall, TraceEvent, TraceSubscriber } from "./stream/trace-event.ts";
export type { Effect, ResponseFormat, ToolFields } from "./tool/fields.ts";
export type { HandleToolErrors, ToolErrorHandler } from "./tool/handle-errors.ts";
export { ToolInputParsingException } from "./tool/errors.ts";
export type { ToolOutput } from "./tool/result.ts";
export type { ToolConfig, ToolRuntime } from "./tool/runtime.ts";
export { isTool, type ToolLike } from "./tool/tool-like.ts";
export { type Tool, tool } from "./tool/tool.ts";
export { tracePrinter, type TracePrinterOptions } from "./trace/printer.ts";
export { storedTrace } from "./trace/stored.ts";
