import { Annotation, type AnnotationRoot, type StateKey } from "../graph/annotation.ts";
import type { MessagesInput } from "../message/coerce.ts";
import type { BaseMessage } from "../message/messages.ts";
import { addMessages } from "../message/reducer.ts";

/** A state key for a conversation: messages are appended, replaced or removed by id. */
export type MessagesKey = StateKey<BaseMessage[], MessagesInput>;

const messages: MessagesKey = Annotation<BaseMessage[], MessagesInput>({ reducer: addMessages });

/** A state with the one key `messages`. Spread `MessagesAnnotation.spec` to add keys. */
export const MessagesAnnotation: AnnotationRoot<{ readonly messages: MessagesKey }> =
  Annotation.Root({ messages });
