import { Send } from "../engine/command.ts";
import type { Runtime } from "../engine/runtime.ts";
import type { StateDefinition } from "../graph/annotation.ts";
import { pendingToolCalls } from "../message/history.ts";
import { AIMessage, type BaseMessage } from "../message/messages.ts";
import { currentTask } from "../stream/task-context.ts";
import type { MessagesState } from "./prompt.ts";
import type { ToolCallWithContext, ToolNode } from "./tool-node.ts";

/**
 * One task for each call of the last answer that has no result yet, each with the state it was made
 * in; and one for the calls that cannot be executed, which are answered with what is wrong.
 */
export function sendToolCalls(state: MessagesState): Send[] {
  const { message, pendingCalls } = pendingToolCalls(state.messages);
  const sends: Send[] = pendingCalls.map((tool_call) => {
    const call: ToolCallWithContext = { __type: "tool_call_with_context", tool_call, state };
    return new Send("tools", call);
  });
  const invalid = unansweredInvalid(state.messages, message);
  if (invalid) sends.push(new Send("tools", { ...state, messages: [invalid] }));
  return sends;
}

/** Tells the trace where the run goes after an answer, and what that was decided by. */
export function tellDecision(router: string, { messages }: MessagesState, target: string): void {
  const trace = currentTask()?.trace;
  if (!trace) return;
  const { calls: toolCalls, answered: toolMessages, pending } = pendingToolCalls(messages);
  trace({ type: "decision", router, toolCalls, toolMessages, pending, target });
}

/**
 * The body of a tools node. A state that came with a Send tells the steps left when it was sent;
 * where the engine fills them in, tools are told those of their own step.
 */
export function toolsBody(
  node: ToolNode,
  keys: StateDefinition,
): (input: object, runtime: Runtime) => Promise<unknown> {
  const isFilled = keys["remainingSteps"]?.managed !== undefined;
  return async (input, runtime) => {
    const current = isFilled ? atThisStep(input, runtime) : input;
    return node.invoke(current as never, runtime);
  };
}

function atThisStep(input: object, { remainingSteps }: Runtime): object {
  if (!("__type" in input)) return input;
  const call = input as ToolCallWithContext;
  return { ...call, state: Object.freeze({ ...(call.state as object), remainingSteps }) };
}

function unansweredInvalid(
  messages: readonly BaseMessage[],
  answer: BaseMessage | undefined,
): AIMessage | undefined {
  if (answer?.type !== "ai" || !(answer.invalid_tool_calls?.length > 0)) return undefined;
  const answered = new Set<string>();
  for (let index = messages.length - 1; messages[index] !== answer; index--) {
    const message = messages[index]!;
    if (message.type === "tool") answered.add(message.tool_call_id);
  }
  const invalid = answer.invalid_tool_calls.filter(({ id = "" }) => !answered.has(id));
  if (invalid.length === 0) return undefined;
  return new AIMessage({ content: "", id: answer.id, invalid_tool_calls: invalid });
}

/** The last answer of the model; a tool may have wiped it. */
export function lastAnswer({ messages }: MessagesState): AIMessage | undefined {
  return messages.findLast((message) => message.type === "ai");
}

/** Whether a call of the last answer has failed and steps are left in which the model can mend it. */
export function canBeMended({ messages }: MessagesState, { remainingSteps }: Runtime): boolean {
  if (remainingSteps < 1) return false;
  const last = messages.findLastIndex((message) => message.type === "ai");
  return messages.slice(last + 1).some((each) => each.type === "tool" && each.status === "error");
}

/** Whether each tool that an answer calls returns its result directly. */
export function allDirect(answer: AIMessage | undefined, direct: ReadonlySet<string>): boolean {
  if (answer === undefined) return false;
  const { tool_calls, invalid_tool_calls } = answer;
  return invalid_tool_calls.length === 0 && tool_calls.every(({ name }) => direct.has(name));
}
