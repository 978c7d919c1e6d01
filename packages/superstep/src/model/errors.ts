import { brand } from "../errors/brand.ts";
import type { ErrorCode } from "../errors/codes.ts";
import { type ErrorDetails, SuperstepError } from "../errors/errors.ts";
import type { AIMessage } from "../message/messages.ts";

/**
 * A model's answer that is not finished: cut by the token limit, filtered, refused, failed, or
 * without a reason for its end. Its tool calls must not run. Code `INCOMPLETE_RESPONSE`.
 */
export class IncompleteResponseError extends SuperstepError {
  /** What had arrived. Its tool calls stand in `invalid_tool_calls`. */
  readonly partial: AIMessage;
  /** "length", "content-filter", "error", "other", ...; `undefined` when there was none. */
  readonly finishReason: string | undefined;

  constructor(
    message: string,
    answer: { readonly partial: AIMessage; readonly finishReason: string | undefined },
    details: ErrorDetails,
  ) {
    super("INCOMPLETE_RESPONSE", message, details);
    this.name = "IncompleteResponseError";
    this.partial = answer.partial;
    this.finishReason = answer.finishReason;
  }
}
brand(IncompleteResponseError, "IncompleteResponseError");

/** What is known of a request that failed. */
export interface ModelFailure {
  readonly provider: string;
  readonly modelName: string;
  /** The status of the HTTP response; `undefined` when there was none. */
  readonly status: number | undefined;
  /** How long the provider asks to wait, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
}

/** A request to a model that failed. Nothing has been retried. Code `MODEL_ERROR`. */
export class ModelError extends SuperstepError implements ModelFailure {
  readonly provider: string;
  readonly modelName: string;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;
  readonly retryable: boolean;

  constructor(
    message: string,
    failure: ModelFailure,
    details: ErrorDetails & { readonly code?: ErrorCode },
  ) {
    super(details.code ?? "MODEL_ERROR", message, details);
    this.name = "ModelError";
    this.provider = failure.provider;
    this.modelName = failure.modelName;
    this.status = failure.status;
    this.retryAfterMs = failure.retryAfterMs;
    this.retryable = failure.retryable;
  }
}
brand(ModelError, "ModelError");

/** The messages are more than the model can read. Code `CONTEXT_OVERFLOW`. */
export class ContextOverflowError extends ModelError {
  constructor(message: string, failure: ModelFailure, details: ErrorDetails) {
    super(message, failure, { ...details, code: "CONTEXT_OVERFLOW" });
    this.name = "ContextOverflowError";
  }
}
brand(ContextOverflowError, "ContextOverflowError");
