import { END } from "../engine/command.ts";
import { describe } from "../errors/describe.ts";
import { SuperstepError } from "../errors/errors.ts";
import { coerceMessage } from "../message/coerce.ts";

/**
 * A router: "tools" when the last message calls tools, else END. Calls that cannot be executed
 * count, since the tools node answers them. Takes a state with `messages`, or the messages.
 *
 * Throws `INVALID_INPUT` when there is no list of messages, `INVALID_MESSAGE` when the last is none.
 */
export function toolsCondition(
  state: readonly unknown[] | { readonly messages: readonly unknown[] },
): "tools" | typeof END {
  const messages: unknown = Array.isArray(state)
    ? state
    : (state as { readonly messages?: unknown } | undefined)?.messages;
  if (!Array.isArray(messages)) {
    throw new SuperstepError(
      "INVALID_INPUT",
      `toolsCondition finds no messages in ${describe(state)}.`,
      {
        fix: "Give a state with the key messages, or a list of messages.",
      },
    );
  }
  const last: unknown = messages.at(-1);
  const message = last === undefined ? undefined : coerceMessage(last);
  if (message?.type !== "ai") return END;
  return message.tool_calls.length + message.invalid_tool_calls.length > 0 ? "tools" : END;
}
