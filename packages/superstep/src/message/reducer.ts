import type { Channel } from "../channels/channel.ts";
import { SuperstepError } from "../errors/errors.ts";
import { coerceMessages, type MessagesInput } from "./coerce.ts";
import { grownIndex, infoOf, type ListInfo, positionOf, register } from "./lists.ts";
import { type BaseMessage, copyWith } from "./messages.ts";
import { mintId } from "./mint.ts";

const empty = register([]);

/** The id with which a `RemoveMessage` deletes all that stands before it. */
export const REMOVE_ALL_MESSAGES = "__remove_all__";

/** The reducer of messages. `Annotation` takes `channel` for it, so that ids come with the write. */
export interface MessagesReducer {
  (current: MessagesInput | undefined, update: MessagesInput): BaseMessage[];
  /** The rule of a state key with this reducer. */
  readonly channel: Channel;
}

/**
 * Merges messages into a list: a message whose id is there takes the place of the old one, a
 * `RemoveMessage` deletes (`REMOVE_ALL_MESSAGES` all that stands before it), everything else is
 * appended. Messages without an id are given one and never merge. Deleting and adding an id in one
 * update puts the new message in the old place.
 *
 * Returns a frozen list, and `current` itself when nothing changed. As long as nothing is replaced
 * or deleted the cost is that of the update, apart from copying the list of references.
 *
 * Throws `INVALID_MESSAGE` for what is no message, `UNKNOWN_MESSAGE_ID` for deleting what is not
 * there.
 */
export const addMessages: MessagesReducer = Object.assign(
  (current: MessagesInput | undefined, update: MessagesInput): BaseMessage[] =>
    merge(current, [update]),
  { channel: makeChannel() },
);

/** `addMessages` under the name it has in LangGraph.js. */
export const messagesStateReducer: MessagesReducer = addMessages;

/** Whether a message with this id is in the list; quick for lists that the reducer made. */
export function hasMessage(list: readonly BaseMessage[] | undefined, id: string): boolean {
  if (list === undefined) return false;
  const info = infoOf(list);
  if (info) return positionOf(list, info, id) !== undefined;
  return list.some((message) => message.id === id);
}

/**
 * The channel of a list of messages: what `addMessages` does, with ids given when a task hands in
 * the write, so that a message has one id in the stream, in the record of the write and in the
 * state.
 */
export function messagesChannel(): Channel {
  return addMessages.channel;
}

function makeChannel(): Channel {
  return Object.freeze({
    kind: "Messages",
    initial: () => empty,
    update: merge,
    freezesItself: true,
    prepare: prepared,
    emit: newMessages,
  });
}

/** A frozen list of messages with ids. A list that is one already is given back. */
function prepared(write: unknown): BaseMessage[] {
  if (infoOf(write)) return write as BaseMessage[];
  const messages = coerceMessages(write);
  for (let i = 0; i < messages.length; i++) {
    const message = messages[i]!;
    if (message.id === undefined) messages[i] = copyWith(message, { id: mintId("msg") });
  }
  return register(messages);
}

/** What of a write is new beside `current`: a node may hand back messages that it was given. */
function newMessages(write: unknown, current?: unknown): readonly BaseMessage[] {
  if (write === current) return [];
  const info = infoOf(current);
  const list = current as BaseMessage[];
  return prepared(write).filter((message) => {
    if (message.type === "remove") return false;
    const position = info && positionOf(list, info, message.id!);
    return position === undefined || list[position] !== message;
  });
}

function merge(current: unknown, writes: readonly unknown[]): BaseMessage[] {
  const draft = new Draft(current === undefined ? empty : prepared(current));
  let wiped = false;
  for (const write of writes) {
    const messages = prepared(write);
    draft.apply(wiped ? withoutLostResults(draft.messages(), messages) : messages);
    wiped ||= messages.some(isWipe);
  }
  return draft.finish();
}

/** A task that ran beside one that wiped the list may bring the result of a call that is gone. */
function withoutLostResults(
  list: readonly BaseMessage[],
  write: readonly BaseMessage[],
): readonly BaseMessage[] {
  const calls = new Set<string>();
  for (const message of [...list, ...write]) {
    if (message.type !== "ai") continue;
    for (const { id } of message.tool_calls) calls.add(id);
    for (const { id } of message.invalid_tool_calls) if (id !== undefined) calls.add(id);
  }
  return write.filter((message) => message.type !== "tool" || calls.has(message.tool_call_id));
}

function isWipe(message: BaseMessage): boolean {
  return message.type === "remove" && message.id === REMOVE_ALL_MESSAGES;
}

/** A list in change. Positions count through the list as it was and then what is appended. */
class Draft {
  readonly #read: BaseMessage[];
  #list: BaseMessage[];
  #info: ListInfo;
  #added: BaseMessage[] = [];
  #addedAt: Map<string, number> = new Map();
  #replaced: Map<number, BaseMessage> | undefined;

  constructor(list: BaseMessage[]) {
    this.#read = list;
    this.#list = list;
    this.#info = infoOf(list)!;
  }

  /** Applies one write; those after it see what it did. */
  apply(write: readonly BaseMessage[]): void {
    if (write === this.#read) return; // handed back as it was read: nothing was written
    const wipe = write.findLastIndex(isWipe);
    if (wipe >= 0) this.#restart([]);
    let removed: Set<number> | undefined;
    for (let i = wipe + 1; i < write.length; i++) {
      const message = write[i]!;
      const position = this.#find(message.id!);
      if (message.type === "remove") {
        if (position === undefined) throw unknownId(message.id);
        removed = (removed ?? new Set()).add(position);
      } else if (position === undefined) {
        this.#addedAt.set(message.id!, this.#added.push(message) - 1);
      } else {
        removed?.delete(position);
        this.#replace(position, message);
      }
    }
    if (removed?.size) this.#restart(this.#all().filter((_, i) => !removed.has(i)));
  }

  /** The list as it stands. */
  messages(): readonly BaseMessage[] {
    return this.#all();
  }

  finish(): BaseMessage[] {
    if (this.#added.length === 0 && !this.#replaced) {
      return infoOf(this.#list) ? this.#list : register(this.#list);
    }
    const index = grownIndex(this.#list, this.#info, this.#added);
    const valid = this.#replaced ? 0 : this.#info.valid;
    return register(this.#all(), { index, valid });
  }

  #find(id: string): number | undefined {
    const added = this.#addedAt.get(id);
    if (added !== undefined) return this.#list.length + added;
    return positionOf(this.#list, this.#info, id);
  }

  #replace(position: number, message: BaseMessage): void {
    const added = position - this.#list.length;
    if (added >= 0) this.#added[added] = message;
    else if ((this.#replaced?.get(position) ?? this.#list[position]) !== message) {
      this.#replaced = (this.#replaced ?? new Map()).set(position, message);
    }
  }

  #all(): BaseMessage[] {
    // Spread into a literal: of all ways to make a longer copy the one that is fast to freeze.
    const all = [...this.#list, ...this.#added];
    if (this.#replaced) for (const [position, message] of this.#replaced) all[position] = message;
    return all;
  }

  #restart(list: BaseMessage[]): void {
    this.#list = list;
    this.#info = { valid: 0 };
    this.#added = [];
    this.#addedAt = new Map();
    this.#replaced = undefined;
  }
}

function unknownId(id: string): SuperstepError {
  return new SuperstepError(
    "UNKNOWN_MESSAGE_ID",
    `Attempting to delete a message with an ID that doesn't exist ('${id}')`,
    {
      fix: "Delete by the id of a message that is in the state: new RemoveMessage({ id: message.id }).",
    },
  );
}
