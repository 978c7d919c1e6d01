import { describe } from "../errors/describe.ts";
import { SuperstepError } from "../errors/errors.ts";
import { infoOf, type ListInfo, register } from "./lists.ts";
import { type BaseMessage, ToolMessage } from "./messages.ts";
import type { MessageData, ToolCall } from "./types.ts";

/** Where pairs of a call and its result are broken. */
export interface Orphans<Message extends MessageData = MessageData> {
  /** Calls without a result after them, in order, with the position of their message. */
  readonly calls: readonly { readonly call: ToolCall; readonly position: number }[];
  /** Results that answer no call before them, or one that has its result already. */
  readonly results: readonly { readonly message: Message; readonly position: number }[];
}

/**
 * Finds tool calls without a result and results without a call, in one pass. A result may stand
 * anywhere after its call and answers one call; when an id comes again, each use needs its own.
 * A result may answer a call that could not be executed; such a call needs none.
 */
export function findOrphans<Message extends MessageData>(
  messages: readonly Message[],
): Orphans<Message> {
  return orphansOf(messages, undefined);
}

/**
 * Throws `INVALID_CHAT_HISTORY` unless every tool call has exactly one result, since providers
 * refuse such a history. Made to be called before every call of a model: of a list that grew from
 * one that was checked, only the new messages are looked at. The text is that of LangGraph.
 */
export function validateChatHistory(messages: readonly MessageData[]): void {
  const { calls, results } = orphansOf(messages, infoOf(messages));
  if (calls.length > 0) {
    const first = calls.slice(0, 3).map(({ call }) => call);
    throw new SuperstepError(
      "INVALID_CHAT_HISTORY",
      "Found AIMessages with tool_calls that do not have a corresponding ToolMessage. Here are the " +
        `first few of those tool calls: ${json(first)}.\n\n` +
        "Every tool call (LLM requesting to call a tool) in the message history MUST have a " +
        "corresponding ToolMessage (result of a tool invocation to return to the LLM) - this is " +
        "required by most LLM providers.",
      {
        fix:
          "Answer each call with new ToolMessage({ content, tool_call_id }), or remove its " +
          "AIMessage; repairHistory(messages) does the first.",
      },
    );
  }
  if (results.length > 0) {
    const first = results.slice(0, 3).map(({ message }) => {
      const { tool_call_id, name, id } = message;
      return { tool_call_id, name, id };
    });
    throw new SuperstepError(
      "INVALID_CHAT_HISTORY",
      "Found ToolMessages that do not have a corresponding tool call in an AIMessage before them. " +
        `Here are the first few of those messages: ${json(first)}.\n\n` +
        "Every ToolMessage in the message history MUST answer a tool call that has no other " +
        "result - this is required by most LLM providers.",
      { fix: "Remove these messages; repairHistory(messages) does so." },
    );
  }
}

/** A history in which each call has its result. */
export interface RepairedHistory<Message extends MessageData = MessageData> {
  /** The list that was given when nothing was wrong with it. */
  readonly messages: readonly (Message | ToolMessage)[];
  /** The results that were put in. */
  readonly answered: readonly ToolMessage[];
  /** The results that were left out. */
  readonly dropped: readonly Message[];
}

/**
 * Answers calls without a result, right after their message and the results that follow it, with a
 * text that says the call was cancelled (status "error"); leaves out results without a call. The
 * answers of one history have the same ids each time.
 */
export function repairHistory<Message extends MessageData>(
  messages: readonly Message[],
): RepairedHistory<Message> {
  const info = infoOf(messages);
  const { calls, results } = orphansOf(messages, info);
  if (calls.length === 0 && results.length === 0) {
    return { messages, answered: [], dropped: [] };
  }
  const dangling = Map.groupBy(calls, ({ position }) => position);
  const drop = new Set(results.map(({ position }) => position));
  const repaired: (Message | ToolMessage)[] = [];
  const answered: ToolMessage[] = [];
  let waiting: ToolMessage[] = [];
  const release = (): void => {
    repaired.push(...waiting);
    waiting = [];
  };
  for (let position = 0; position < messages.length; position++) {
    const message = messages[position]!;
    if (message.type !== "tool") release();
    if (!drop.has(position)) repaired.push(message);
    for (const { call } of dangling.get(position) ?? []) {
      waiting.push(cancelled(call, message));
      answered.push(waiting.at(-1)!);
    }
  }
  release();
  if (info) register(repaired as BaseMessage[]);
  return {
    messages: Object.freeze(repaired),
    answered,
    dropped: results.map(({ message }) => message),
  };
}

/** What the last answer of the model asked for and what of it is done. */
export interface PendingToolCalls<Message extends MessageData = MessageData> {
  /** The last answer of the model; `undefined` when there is none. */
  readonly message: Message | undefined;
  /** Its calls that have no result yet, in order. */
  readonly pendingCalls: readonly ToolCall[];
  /** How many calls it makes. */
  readonly calls: number;
  /** How many of them have a result after it. */
  readonly answered: number;
  /** How many have none. */
  readonly pending: number;
}

/** The calls of the last AI message that no tool message after it answers, and the counts. */
export function pendingToolCalls<Message extends MessageData>(
  messages: readonly Message[],
): PendingToolCalls<Message> {
  const last = messages.findLastIndex((message) => message.type === "ai");
  const message = messages[last];
  const calls = message?.tool_calls ?? [];
  const results = new Set<string | undefined>();
  for (let i = last + 1; calls.length > 0 && i < messages.length; i++) {
    if (messages[i]!.type === "tool") results.add(messages[i]!.tool_call_id);
  }
  const pendingCalls = calls.filter((call) => !results.has(call.id));
  const pending = pendingCalls.length;
  return {
    message,
    pendingCalls,
    calls: calls.length,
    answered: calls.length - pending,
    pending,
  };
}

interface OpenCall {
  readonly call: ToolCall;
  readonly position: number;
}
const needsNone = Symbol("a call that needs no result");
type OpenCalls = Map<string | undefined, OpenCall | typeof needsNone>;

/** The orphans, searched from where the list is known to be in order; notes how far it is. */
function orphansOf<Message extends MessageData>(
  messages: readonly Message[],
  info: ListInfo | undefined,
): Orphans<Message> {
  const open: OpenCalls = new Map();
  const calls: OpenCall[] = [];
  const results: { message: Message; position: number }[] = [];
  for (let position = info?.valid ?? 0; position < messages.length; position++) {
    const message = messages[position]!;
    if (message.type === "ai") {
      openCalls(message, position, open, calls);
    } else if (message.type === "tool" && !open.delete(message.tool_call_id)) {
      results.push({ message, position });
    }
  }
  // A call that needs no result may still get one, so the next search begins before it.
  if (info && open.size === 0 && calls.length === 0 && results.length === 0) {
    info.valid = messages.length;
  }
  for (const left of open.values()) if (left !== needsNone) calls.push(left);
  if (calls.length > 1) calls.sort((a, b) => a.position - b.position);
  return { calls, results };
}

/** Notes the calls of a message as open; a call whose id is used again will not be answered. */
function openCalls(
  message: MessageData,
  position: number,
  open: OpenCalls,
  unanswered: OpenCall[],
): void {
  for (const { id } of message.invalid_tool_calls ?? []) open.set(id, needsNone);
  for (const call of message.tool_calls ?? []) {
    const earlier = open.get(call.id);
    if (earlier && earlier !== needsNone) unanswered.push(earlier);
    open.set(call.id, { call, position });
  }
}

function cancelled(call: ToolCall, message: MessageData): ToolMessage {
  return new ToolMessage({
    content:
      `Tool call ${call.name} with id ${call.id} was cancelled - another message came in before ` +
      "it could be completed.",
    id: `cancelled_${message.id ?? ""}_${call.id}`,
    tool_call_id: call.id,
    name: call.name,
    status: "error",
  });
}

function json(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    return describe(value); // arguments that code made, not a model: circular or a BigInt
  }
}
