export {
  Command,
  type CommandParams,
  END,
  type Goto,
  isCommand,
  Send,
  START,
} from "./engine/command.ts";
export type { MessageMetadata } from "./engine/emit.ts";
export type { RunOptions, StreamMode, StreamOptions } from "./engine/options.ts";
export type { RunStream } from "./engine/run-stream.ts";
export type { ExecutionInfo, Runtime, StreamWriter } from "./engine/runtime.ts";
export type { Channel } from "./channels/channel.ts";
export type { Reducer } from "./channels/reduced.ts";
export { type ErrorCode, errorCodes } from "./errors/codes.ts";
export {
  AggregateTaskError,
  EmptyInputError,
  type ErrorDetails,
  GraphRecursionError,
  InvalidUpdateError,
  RunCancelledError,
  SuperstepError,
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
export type { CompiledStateGraph, CompileOptions, StreamItem } from "./graph/compiled.ts";
export { type DrawableEdge, DrawableGraph, type DrawableNode } from "./graph/draw/drawable.ts";
export type { MermaidOptions } from "./graph/draw/mermaid.ts";
export {
  type Invocable,
  type NodeOptions,
  type NodeReturn,
  type Route,
  StateGraph,
} from "./graph/state-graph.ts";
