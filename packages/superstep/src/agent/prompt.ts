import { SuperstepError } from "../errors/errors.ts";
import type { MessagesInput } from "../message/coerce.ts";
import { isSystemMessage } from "../message/guards.ts";
import { type BaseMessage, SystemMessage } from "../message/messages.ts";
import type { SystemMessageData } from "../message/types.ts";
import { isRunnable, type Runnable, RunnableLambda } from "../runnable/runnable.ts";
import type { Runtime } from "../engine/runtime.ts";

/** What a prompt reads of the state. */
export interface MessagesState {
  readonly messages: readonly BaseMessage[];
}

/**
 * How the input of the model is made from the state: a text or `SystemMessage` that comes first, a
 * function of state and runtime that returns the messages, or a runnable. It is sent and not stored.
 */
export type Prompt<State = MessagesState> =
  | string
  | SystemMessage
  | SystemMessageData
  | ((state: State, runtime: Runtime) => MessagesInput | Promise<MessagesInput>)
  | Runnable<State, MessagesInput>;

/**
 * The one form that all prompts take: a runnable from state to messages. A runnable is given back
 * as it is. Throws `INVALID_PROMPT` for anything else.
 */
export function promptRunnable(prompt: unknown): Runnable<MessagesState, MessagesInput> {
  if (prompt === undefined || prompt === null) return named((state) => state.messages);
  if (typeof prompt === "string") return withSystem(new SystemMessage(prompt));
  if (isSystemMessage(prompt)) return withSystem(prompt as SystemMessage);
  if (typeof prompt === "function") return named(prompt as Body);
  if (isRunnable(prompt)) return prompt as Runnable<MessagesState, MessagesInput>;
  throw new SuperstepError(
    "INVALID_PROMPT",
    `Got unexpected type for \`prompt\`: ${typeName(prompt)}`,
    {
      fix: "Give a string, a SystemMessage, a function of the state that returns messages, or a runnable.",
    },
  );
}

type Body = (state: MessagesState, runtime: Runtime) => MessagesInput | Promise<MessagesInput>;

function named(body: Body): Runnable<MessagesState, MessagesInput> {
  return new RunnableLambda(body as RunnableLambda<MessagesState, MessagesInput>["func"], "Prompt");
}

function withSystem(system: SystemMessage): Runnable<MessagesState, MessagesInput> {
  return named((state) => [system, ...state.messages]);
}

function typeName(value: unknown): string {
  if (typeof value !== "object" || value === null) return typeof value;
  const name: unknown = value.constructor?.name;
  return typeof name === "string" && name !== "Object" ? name : "object";
}
