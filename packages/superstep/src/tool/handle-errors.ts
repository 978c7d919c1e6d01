import { describe } from "../errors/describe.ts";
import { SuperstepError } from "../errors/errors.ts";
import { ToolMessage } from "../message/messages.ts";
import type { ToolCall } from "../message/types.ts";
import { inputErrorIn } from "./errors.ts";
import { checkedMessage, errorMessageFor } from "./result.ts";
import { resultText, thrownText, withoutStack } from "./text.ts";

/** A class of errors, to be told by `instanceof`. */
export type ErrorClass = abstract new (...args: never[]) => Error;

/** Says what the model is told about an error; `undefined` lets the error pass. */
export type ToolErrorHandler = (
  error: unknown,
  call: ToolCall,
) => string | ToolMessage | undefined | Promise<string | ToolMessage | undefined>;

/**
 * What becomes of an error of a tool. `true`: the model is told name and message. A string: the
 * model is told that. A class, or a list of them: as `true` for errors of these classes, the others
 * pass. A function: it decides. `false`: all pass.
 */
export type HandleToolErrors =
  | boolean
  | string
  | ErrorClass
  | readonly ErrorClass[]
  | ToolErrorHandler;

/** Throws `INVALID_OPTION` for what is none of the forms. */
export function checkHandleToolErrors(value: unknown): asserts value is HandleToolErrors {
  if (["boolean", "string", "function"].includes(typeof value)) return;
  if (Array.isArray(value) && value.every(isErrorClass)) return;
  throw new SuperstepError("INVALID_OPTION", `handleToolErrors cannot be ${describe(value)}.`, {
    fix: "Give true, false, a text, an error class or a list of them, or a function.",
  });
}

/** Whether no error passes, so that one call's failure never concerns those beside it. */
export function handlesAll(handle: HandleToolErrors): boolean {
  return handle === true || typeof handle === "string";
}

/** The message for the model about what a call threw; `undefined` when that is to pass. */
export async function handleError(
  thrown: unknown,
  call: ToolCall,
  handle: HandleToolErrors,
): Promise<ToolMessage | undefined> {
  if (typeof handle === "string") return errorMessageFor(call, handle);
  if (typeof handle === "function" && !isErrorClass(handle)) {
    const answer = await handle(thrown, call);
    if (answer === undefined) return undefined;
    if (typeof answer === "string") return errorMessageFor(call, answer);
    if (ToolMessage.isInstance(answer)) return checkedMessage(call, answer);
    throw new SuperstepError(
      "INVALID_TOOL_OUTPUT",
      `handleToolErrors returned ${describe(answer)}.`,
      { fix: "Return a text, a ToolMessage, or undefined to let the error pass.", cause: thrown },
    );
  }
  return matches(thrown, handle) ? errorMessageFor(call, errorText(thrown, call)) : undefined;
}

function matches(thrown: unknown, handle: boolean | ErrorClass | readonly ErrorClass[]): boolean {
  if (typeof handle === "boolean") return handle;
  const classes = typeof handle === "function" ? [handle] : handle;
  return classes.some((each) => thrown instanceof each || inputErrorIn(thrown) instanceof each);
}

/** What the model is told: names and messages, never a stack. */
function errorText(thrown: unknown, call: ToolCall): string {
  const inputError = inputErrorIn(thrown);
  return inputError
    ? invocationText(call.name, resultText(call.args), withoutStack(inputError.message))
    : `Error: ${thrownText(thrown)}\n Please fix your mistakes.`;
}

/** The text about arguments that cannot be used; `args` is JSON, or what the model wrote instead. */
export function invocationText(name: string, args: string, problem: string): string {
  return (
    `Error invoking tool '${name}' with kwargs ${args} with error:\n ${problem}\n` +
    ` Please fix the error and try again.`
  );
}

function isErrorClass(value: unknown): value is ErrorClass {
  return typeof value === "function" && (value === Error || value.prototype instanceof Error);
}
