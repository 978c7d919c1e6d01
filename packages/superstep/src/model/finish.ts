import { AIMessage, type AIMessageFields } from "../message/messages.ts";
import type { InvalidToolCall } from "../message/types.ts";
import type { FinishPart } from "./chunker.ts";
import { IncompleteResponseError } from "./errors.ts";

const complete: ReadonlySet<unknown> = new Set(["stop", "tool-calls"]);

const reasons: ReadonlyMap<unknown, { readonly what: string; readonly fix: string }> = new Map([
  [
    "length",
    {
      what: "was cut by the token limit",
      fix: "Raise maxTokens, ask for a shorter answer, or go on from `partial`.",
    },
  ],
  [
    "content-filter",
    {
      what: "was filtered or refused",
      fix: "Change the request; `partial` holds what the provider let through.",
    },
  ],
  ["error", { what: "failed on the provider's side", fix: "Try the request again." }],
  [undefined, { what: "ended without a finish reason", fix: "Try the request again." }],
]);

/**
 * Throws `INCOMPLETE_RESPONSE` unless the answer is finished. Only "stop" and "tool-calls" are ends
 * of a finished answer; every other reason, and none, are not, so that no tool of a half answer
 * runs.
 */
export function checkFinish(
  model: { readonly provider: string; readonly modelName: string },
  finish: FinishPart | undefined,
  message: AIMessage,
): void {
  const reason = finish?.reason === "unknown" ? undefined : finish?.reason;
  if (complete.has(reason)) return;
  const known = reasons.get(reason);
  const what = known?.what ?? `ended for the reason ${JSON.stringify(reason)}`;
  const detail = finish?.detail === undefined ? "" : ` (${finish.detail})`;
  const calls = message.tool_calls.length;
  const dropped =
    calls === 0
      ? ""
      : ` Its ${calls === 1 ? "tool call was" : `${calls} tool calls were`} not run.`;
  throw new IncompleteResponseError(
    `The answer of ${model.provider}:${model.modelName} ${what}${detail}.${dropped}`,
    { partial: withoutCalls(message, `Not run: the answer ${what}.`), finishReason: reason },
    { fix: known?.fix ?? "See the provider's documentation for this reason." },
  );
}

/** The message with its calls among those that cannot be executed. */
function withoutCalls(message: AIMessage, error: string): AIMessage {
  const { tool_calls, invalid_tool_calls = [], additional_kwargs, ...rest } = message.toJSON();
  if (!tool_calls) return message;
  const { tool_calls: _, ...kwargs } = additional_kwargs ?? {};
  const moved = tool_calls.map(({ id, name, args }): InvalidToolCall => ({
    type: "invalid_tool_call",
    id,
    name,
    args: JSON.stringify(args),
    error,
  }));
  return new AIMessage({
    ...(rest as AIMessageFields),
    ...(Object.keys(kwargs).length > 0 && { additional_kwargs: kwargs }),
    invalid_tool_calls: [...invalid_tool_calls, ...moved],
  });
}
