import { describe } from "../errors/describe.ts";
import { SuperstepError } from "../errors/errors.ts";
import type { Runtime } from "../engine/runtime.ts";
import { coerceMessage } from "../message/coerce.ts";
import { repairHistory, validateChatHistory } from "../message/history.ts";
import { AIMessage, type BaseMessage, copyWith, RemoveMessage } from "../message/messages.ts";
import { mintId } from "../message/mint.ts";
import { hasMessage, REMOVE_ALL_MESSAGES } from "../message/reducer.ts";
import { IncompleteResponseError } from "../model/errors.ts";
import { currentTask } from "../stream/task-context.ts";
import type { Trace } from "./invoke-model.ts";
import type { MessagesState } from "./prompt.ts";

/** What an agent's model node is made of. */
export interface ModelNodeSettings {
  /** Given to the answers as their `name`; without one they have none. */
  readonly name: string | undefined;
  /** Resolves the model, which is a gate, and calls it with the messages of the state. */
  readonly call: (state: MessagesState, runtime: Runtime, trace: Trace) => unknown;
  /** What happens to a history with a call that has no result, or the reverse. */
  readonly history: "refuse" | "repair";
  /** Whether the run ends with the results of the tools that an answer calls. */
  readonly endsWithTools: (answer: AIMessage) => boolean;
  /** Whether a hook may say what the model sees. */
  readonly hook: boolean;
}

interface ModelInput extends MessagesState {
  readonly llmInputMessages?: readonly BaseMessage[];
}

interface MessagesUpdate {
  readonly messages: readonly BaseMessage[];
}

const needMoreSteps = "Sorry, need more steps to process this request.";

/**
 * One call of the model, through five gates: the input is chosen, the history checked, the model
 * resolved, the answer named, and the steps left are checked.
 */
export async function callModel(
  settings: ModelNodeSettings,
  state: ModelInput,
  runtime: Runtime,
): Promise<MessagesUpdate> {
  const trace = currentTask()?.trace;
  const input = chooseInput(state, settings.hook);
  if (trace) {
    const source = state.llmInputMessages ? "llmInputMessages" : "messages";
    trace({ type: "gate", gate: "input", source, messages: input.length });
  }
  const checked = checkHistory(input, settings.history);
  if (trace) {
    const { repaired } = checked;
    trace({ type: "gate", gate: "history", rule: settings.history, repaired });
  }
  const returned = await settings.call({ ...state, messages: checked.messages }, runtime, trace);
  const answer = withFreshId(answerOf(returned, settings.name), state.messages);
  if (trace) trace({ type: "gate", gate: "name", name: answer.name });
  return { messages: [...checked.writes, land(answer, settings, runtime)] };
}

/** A hook's `llmInputMessages` win over the conversation, also when they are none. */
function chooseInput(state: ModelInput, hook: boolean): readonly BaseMessage[] {
  const messages = state.llmInputMessages ?? state.messages;
  if (messages !== undefined) return messages;
  const keys = hook ? "'llmInputMessages' or 'messages' key" : "'messages' key";
  throw new SuperstepError(
    "INVALID_INPUT",
    `Expected input to call_model to have ${keys}, but got ${describe(state)}`,
    { fix: "Give the state a list of messages before the model is called." },
  );
}

interface CheckedHistory extends MessagesState {
  /** What brings the conversation in the state to the same form. */
  readonly writes: readonly BaseMessage[];
  /** How many messages were added or left out. */
  readonly repaired: number;
}

function checkHistory(
  messages: readonly BaseMessage[],
  rule: ModelNodeSettings["history"],
): CheckedHistory {
  if (rule === "refuse") {
    validateChatHistory(messages);
    return { messages, writes: [], repaired: 0 };
  }
  const { messages: list, answered, dropped } = repairHistory(messages);
  if (list === messages) return { messages, writes: [], repaired: 0 };
  const writes = [new RemoveMessage({ id: REMOVE_ALL_MESSAGES }), ...list];
  return { messages: list, writes, repaired: answered.length + dropped.length };
}

function answerOf(returned: unknown, name: string | undefined): AIMessage {
  const answer = coerceMessage(returned);
  if (answer.type !== "ai") {
    throw new SuperstepError("INVALID_MODEL", `The model answered with ${describe(returned)}.`, {
      fix: "A model in an agent returns an AIMessage.",
    });
  }
  checkComplete(answer);
  return name === undefined ? answer : copyWith(answer, { name });
}

/** An answer never takes the place of an earlier message, also where a provider repeats its ids. */
function withFreshId(answer: AIMessage, messages: readonly BaseMessage[]): AIMessage {
  if (answer.id === undefined || !hasMessage(messages, answer.id)) return answer;
  return copyWith(answer, { id: mintId("msg") });
}

/** Our models reject such answers themselves; others tell it in their metadata. */
function checkComplete(answer: AIMessage): void {
  const { finish_reason, stop_reason } = answer.response_metadata;
  const reason = [finish_reason, stop_reason].find((each) => incomplete.has(each));
  if (typeof reason !== "string") return;
  throw new IncompleteResponseError(
    `The model's answer is not complete: it ended for the reason ${describe(reason)}.`,
    { partial: answer, finishReason: reason },
    { fix: "Raise the token limit or change the request; `partial` holds what had arrived." },
  );
}
const incomplete: ReadonlySet<unknown> = new Set([
  "length",
  "max_tokens",
  "content_filter",
  "content-filter",
  "refusal",
  "error",
]);

/**
 * The soft landing: an answer that wants tools when there are no steps left for them, and for the
 * model after them where it follows, becomes one that says so. An answer that is final stays as it is.
 */
function land(answer: AIMessage, settings: ModelNodeSettings, runtime: Runtime): AIMessage {
  const { remainingSteps } = runtime;
  const wanted = answer.tool_calls.length + answer.invalid_tool_calls.length;
  const stepsWithTools = settings.endsWithTools(answer) ? 1 : 2;
  const needed = wanted === 0 ? 0 : stepsWithTools;
  const landed = needed > 0 && remainingSteps < needed;
  const task = currentTask();
  task?.trace?.({ type: "gate", gate: "steps", remainingSteps, needed, landed });
  if (!landed) return answer;
  const landing = new AIMessage({ content: needMoreSteps, id: answer.id, name: answer.name });
  // The tokens of the answer were streamed under this id; so this is not streamed again by itself.
  if (task?.wantsMessages && answer.id !== undefined) void task.emitMessage({ message: landing });
  return landing;
}
