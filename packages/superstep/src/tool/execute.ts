import { isControlSignal } from "../errors/brand.ts";
import { SuperstepError } from "../errors/errors.ts";
import { ToolMessage } from "../message/messages.ts";
import type { InvalidToolCall, ToolCall } from "../message/types.ts";
import { currentTask } from "../stream/task-context.ts";
import type { TaskEvent } from "../stream/trace-event.ts";
import { handleError, type HandleToolErrors, invocationText } from "./handle-errors.ts";
import { isToolCall } from "./input.ts";
import { errorMessageFor, type ToolOutput, toOutput } from "./result.ts";
import type { ToolConfig } from "./runtime.ts";
import type { ExecutableTool } from "./tool-like.ts";

/** One call to run. */
export interface ToolCallRequest {
  readonly call: ToolCall;
  /** As `toolTable` makes it. */
  readonly tools: ReadonlyMap<string, ExecutableTool>;
  /** Handed to the tool. Default: nothing. */
  readonly config?: ToolConfig | undefined;
  /** Default true: the model is told. */
  readonly handleToolErrors?: HandleToolErrors | undefined;
}

/**
 * Runs one call: the only place where that is done. Resolves with the message that answers it, or
 * with the command that the tool returned. An unknown tool, wrong arguments and errors of the tool
 * become messages with status "error", as `handleToolErrors` has it.
 *
 * Rejects with what the tool threw when `handleToolErrors` lets it pass, when the signal is aborted,
 * and when it is a control signal such as an interrupt.
 */
export function executeToolCall(request: ToolCallRequest): Promise<ToolOutput> {
  // From JSON a call may come without its type, by which tools tell a call from arguments.
  const call = isToolCall(request.call) ? request.call : asToolCall(request.call);
  const trace = currentTask()?.trace;
  return trace ? executeTraced(call, request, trace) : execute(call, request);
}

async function executeTraced(
  call: ToolCall,
  request: ToolCallRequest,
  trace: (event: TaskEvent) => void,
): Promise<ToolOutput> {
  const begun = performance.now();
  const end = (status: "success" | "error", result: unknown): void =>
    trace({ type: "tool_end", call, status, duration: performance.now() - begun, result });
  trace({ type: "tool_start", call });
  try {
    const output = await execute(call, request);
    const isError = output instanceof ToolMessage && output.status === "error";
    end(isError ? "error" : "success", output);
    return output;
  } catch (thrown) {
    if (!isControlSignal(thrown)) end("error", thrown);
    throw thrown;
  }
}

async function execute(call: ToolCall, request: ToolCallRequest): Promise<ToolOutput> {
  const { tools, config, handleToolErrors = true } = request;
  const tool = tools.get(call.name);
  if (!tool) {
    const names = [...tools.keys()].join(", ");
    const text = `Error: ${call.name} is not a valid tool, try one of [${names}].`;
    return errorMessageFor(call, text);
  }
  try {
    const returned = await tool.invoke(call, config);
    if (returned instanceof ToolMessage && returned.tool_call_id === call.id) return returned;
    return toOutput(call, { content: returned, artifact: undefined });
  } catch (thrown) {
    if (isControlSignal(thrown) || isSetupError(thrown) || config?.signal?.aborted) throw thrown;
    const message = await handleError(thrown, call, handleToolErrors);
    if (!message) throw thrown;
    return message;
  }
}

/** What the developer has to mend, and the model cannot. */
function isSetupError(thrown: unknown): boolean {
  return (
    thrown instanceof SuperstepError &&
    (thrown.code === "MISSING_PACKAGE" || thrown.code === "INVALID_SCHEMA")
  );
}

function asToolCall(call: Omit<ToolCall, "type">): ToolCall {
  return { ...call, args: call.args ?? {}, type: "tool_call" };
}

/** The message that tells the model that a call cannot be executed as it was written. */
export function answerInvalidCall(call: InvalidToolCall): ToolMessage {
  const name = call.name ?? "unknown";
  const text = invocationText(name, call.args ?? "{}", call.error);
  const traced = { id: call.id ?? "", name, args: {} };
  const result = errorMessageFor(traced, text);
  const trace = currentTask()?.trace;
  trace?.({ type: "tool_end", call: traced, status: "error", duration: 0, result });
  return result;
}
