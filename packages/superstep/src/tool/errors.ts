import { isError } from "../errors/is-error.ts";
import { brand } from "../errors/brand.ts";
import { SuperstepError } from "../errors/errors.ts";
import { prettyIssues } from "../schema/issues.ts";
import type { Issue } from "../schema/types.ts";

/** What a `ToolInputParsingException` is made of. */
export interface RejectedInput {
  readonly tool: string;
  /** The arguments as they came. */
  readonly input: unknown;
  readonly issues: readonly Issue[];
  /** Whether the text lists the issues as JSON too. */
  readonly verbose: boolean;
}

/**
 * The arguments of a tool do not fit its schema. `issues` says what is wrong where, `output` holds
 * the arguments as JSON. Code `INVALID_TOOL_INPUT`.
 */
export class ToolInputParsingException extends SuperstepError {
  readonly output: string;
  readonly issues: readonly Issue[];

  constructor({ tool, input, issues, verbose }: RejectedInput) {
    const details = verbose ? `\nDetails: ${jsonOf(issues)}` : "";
    super(
      "INVALID_TOOL_INPUT",
      `Received tool input did not match expected schema${details}\n\n${prettyIssues(issues)}`,
      { fix: `Call ${tool} with arguments that fit its schema.` },
    );
    this.name = "ToolInputParsingException";
    this.output = jsonOf(input);
    this.issues = issues;
  }
}
brand(ToolInputParsingException, "ToolInputParsingException");

/** Whether `thrown` says that arguments were wrong, itself or through what it was caused by. */
export function inputErrorIn(thrown: unknown): Error | undefined {
  try {
    let error = thrown;
    // Middleware may have wrapped it, also more than once.
    for (let level = 0; level < 10 && isError(error); level++) {
      if (isInputError(error)) return error;
      error = error.cause;
    }
  } catch {
    // A getter that throws: an error of another kind.
  }
  return undefined;
}

function isInputError(error: Error): boolean {
  const name = "ToolInputParsingException";
  // LangChain's class of that name does not set `name`.
  return (
    error instanceof ToolInputParsingException ||
    error.name === name ||
    error.constructor.name === name
  );
}

function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return String(value); // circular, or a BigInt within
  }
}
