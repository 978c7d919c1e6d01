import { brand } from "./brand.ts";
import type { ErrorCode } from "./codes.ts";
import { describe } from "./describe.ts";
import { isError } from "./is-error.ts";

/** What an error knows besides its message. */
export interface ErrorDetails {
  /** One sentence that says what to do. */
  readonly fix: string;
  readonly cause?: unknown;
}

/**
 * The base of every error that this package throws. `message` tells what was wrong and where,
 * `fix` what to do, `code` is stable, `docs` names the section that explains the code.
 * `instanceof` holds across two installed copies of the package.
 */
export class SuperstepError extends Error {
  readonly code: ErrorCode;
  readonly fix: string;
  readonly docs: string;

  constructor(code: ErrorCode, message: string, details: ErrorDetails) {
    super(message, "cause" in details ? { cause: details.cause } : undefined);
    this.name = "SuperstepError";
    this.code = code;
    this.fix = details.fix;
    this.docs = `docs/errors.md#${code.toLowerCase()}`;
  }

  /** The name under which LangGraph.js programs read the code. */
  get lc_error_code(): string {
    return this.code;
  }
}
brand(SuperstepError, "error");

/** More supersteps were due than `recursionLimit` allows. Code `GRAPH_RECURSION_LIMIT`. */
export class GraphRecursionError extends SuperstepError {
  constructor(message: string, details: ErrorDetails) {
    super("GRAPH_RECURSION_LIMIT", message, details);
    this.name = "GraphRecursionError";
  }
}
brand(GraphRecursionError, "GraphRecursionError");

/**
 * A node or router handed back something that the graph cannot take: an unknown key or node, two
 * values for a channel that holds one, or a return value of the wrong kind.
 */
export class InvalidUpdateError extends SuperstepError {
  constructor(code: ErrorCode, message: string, details: ErrorDetails) {
    super(code, message, details);
    this.name = "InvalidUpdateError";
  }
}
brand(InvalidUpdateError, "InvalidUpdateError");

/** A graph was asked for something that it was not built for. */
export class GraphValueError extends SuperstepError {
  constructor(code: ErrorCode, message: string, details: ErrorDetails) {
    super(code, message, details);
    this.name = "GraphValueError";
  }
}
brand(GraphValueError, "GraphValueError");

/** No path leads from START to a node. Code `UNREACHABLE_NODE`. */
export class UnreachableNodeError extends SuperstepError {
  constructor(message: string, details: ErrorDetails) {
    super("UNREACHABLE_NODE", message, details);
    this.name = "UnreachableNodeError";
  }
}
brand(UnreachableNodeError, "UnreachableNodeError");

/** A run was started with nothing to do. Code `EMPTY_INPUT`. */
export class EmptyInputError extends SuperstepError {
  constructor(message: string, details: ErrorDetails) {
    super("EMPTY_INPUT", message, details);
    this.name = "EmptyInputError";
  }
}
brand(EmptyInputError, "EmptyInputError");

/**
 * The run was cancelled with a reason that is not an error (an error given as the reason is thrown
 * itself). Code `RUN_CANCELLED`; `name` is `AbortError` so that ordinary abort handling applies.
 */
export class RunCancelledError extends SuperstepError {
  constructor(message: string, details: ErrorDetails) {
    super("RUN_CANCELLED", message, details);
    this.name = "AbortError";
  }
}
brand(RunCancelledError, "RunCancelledError");

/**
 * Several tasks of one superstep failed. `errors` holds what each threw, in task order.
 * Code `AGGREGATE_TASK_FAILURE`.
 */
export class AggregateTaskError extends SuperstepError {
  readonly errors: readonly unknown[];

  constructor(message: string, errors: readonly unknown[], details: ErrorDetails) {
    super("AGGREGATE_TASK_FAILURE", message, details);
    this.name = "AggregateTaskError";
    this.errors = errors;
  }
}
brand(AggregateTaskError, "AggregateTaskError");

/**
 * Another run is active on the thread, so this one was not let in and nothing of it was kept. Code
 * `THREAD_BUSY`.
 */
export class ThreadBusyError extends SuperstepError {
  readonly threadId: string;
  /** The run that is active. */
  readonly runId: string;

  constructor({ threadId, runId }: { readonly threadId: string; readonly runId: string }) {
    super(
      "THREAD_BUSY",
      `Thread ${JSON.stringify(threadId)} is busy: run ${JSON.stringify(runId)} is active on it.`,
      { fix: "Wait until that run has ended, or use another thread_id." },
    );
    this.name = "ThreadBusyError";
    this.threadId = threadId;
    this.runId = runId;
  }
}
brand(ThreadBusyError, "ThreadBusyError");

/** The message of anything that was thrown; never throws itself. */
export function errorMessage(thrown: unknown): string {
  try {
    return isError(thrown) ? thrown.message : describe(thrown);
  } catch {
    return "an error without a message"; // a getter that throws
  }
}
