import type { Channel } from "../channels/channel.ts";
import { describe } from "../errors/describe.ts";
import { SuperstepError } from "../errors/errors.ts";
import {
  Annotation,
  type AnnotationRoot,
  RemainingSteps,
  type StateDefinition,
  type StateKey,
} from "../graph/annotation.ts";
import { messagesChannel } from "../message/reducer.ts";
import { MessagesAnnotation, type MessagesKey } from "./messages-annotation.ts";

/** The keys of an agent's state: the conversation, and the steps left, which the engine fills in. */
export interface AgentKeys extends StateDefinition {
  readonly messages: MessagesKey;
  readonly remainingSteps: StateKey<number, never>;
}

/** The state of an agent that is given no other. Spread `AgentState.spec` to add keys. */
export const AgentState: AnnotationRoot<AgentKeys> = Annotation.Root({
  messages: MessagesAnnotation.spec.messages,
  remainingSteps: RemainingSteps,
});

function isDefinition(keys: unknown): keys is StateDefinition {
  return typeof keys === "object" && keys !== null;
}

/** What a hook lets the model see instead of the conversation: for one superstep, not kept. */
const llmInputMessages: StateKey<unknown> = {
  channel: {
    ...messagesChannel(),
    kind: "EphemeralValue",
    initial: () => undefined,
    update: (_: unknown, writes: readonly unknown[]) => writes.at(-1),
    ephemeral: true,
    emit: () => [],
  } satisfies Channel,
};

/** The keys of an agent's graph. Throws `INVALID_STATE` when there are no messages among them. */
export function agentKeys(
  schema: { readonly spec: StateDefinition } | undefined,
  hasModelHook: boolean,
): StateDefinition {
  const keys: unknown = schema === undefined ? AgentState.spec : schema?.spec;
  if (!isDefinition(keys)) {
    throw new SuperstepError("INVALID_STATE", `A stateSchema cannot be ${describe(schema)}.`, {
      fix: "Give Annotation.Root({ ...AgentState.spec, ... }).",
    });
  }
  if (keys["messages"] === undefined) {
    throw new SuperstepError(
      "INVALID_STATE",
      'Missing required key(s) ["messages"] in stateSchema',
      { fix: "Add messages: ...MessagesAnnotation.spec, or AgentState.spec with remainingSteps." },
    );
  }
  return hasModelHook ? { llmInputMessages, ...keys } : keys;
}
