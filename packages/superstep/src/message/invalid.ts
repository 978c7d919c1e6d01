import { describe } from "../errors/describe.ts";
import { SuperstepError } from "../errors/errors.ts";

const forms = [
  `a text ("hi" is a message of the user)`,
  `[role, content]`,
  `{ role, content }`,
  `{ type, content }`,
  `an instance such as new HumanMessage("hi")`,
];

/** The error for something that is no message: `INVALID_MESSAGE`. */
export function invalidMessage(problem: string, got: unknown): SuperstepError {
  return new SuperstepError("INVALID_MESSAGE", `${problem}: got ${describe(got)}.`, {
    fix:
      `Give a message in one of these forms: ${forms.join(", ")}. ` +
      `Roles: user, assistant, system, developer, tool (with tool_call_id).`,
  });
}

/** The same error with the place in a list of messages in front. */
export function atIndex(index: number, error: unknown): unknown {
  if (!(error instanceof SuperstepError) || error.code !== "INVALID_MESSAGE") return error;
  return new SuperstepError("INVALID_MESSAGE", `Message at index ${index}: ${error.message}`, {
    fix: error.fix,
    cause: error,
  });
}
