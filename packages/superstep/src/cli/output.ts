import { styleText } from "node:util";
import { errorMessage, SuperstepError } from "../errors/errors.ts";
import { isError } from "../errors/is-error.ts";
import { plainLine, plainText } from "../trace/plain.ts";

/** Prints a line on standard output; gives the exit code of what went well. */
export function print(line: string): 0 {
  process.stdout.write(`${line}\n`);
  return 0;
}

/** Prints a line that is beside the result. */
export function note(line: string): void {
  process.stderr.write(`${line}\n`);
}

type Colour = "dim" | "red" | "green";

/** Coloured on a terminal, unless NO_COLOR asks for none. */
export function coloured(colour: Colour, line: string): string {
  return styleText(colour, line, { stream: process.stderr });
}

/** Prints an error with its code, causes and what to do; its stack only when asked for. */
export function printError(error: unknown, verbose: boolean): void {
  note(`${coloured("red", "error")} ${titled(error)}`);
  for (const cause of causesOf(error)) note(`cause: ${titled(cause)}`);
  const fixed = [error, ...causesOf(error)].find((each) => each instanceof SuperstepError);
  if (fixed) note(`fix: ${plainLine(fixed.fix)}`);
  if (verbose)
    for (const each of [error, ...causesOf(error)])
      if (isError(each)) note(plainText(each.stack ?? ""));
}

/** `CODE: message`, or the name where there is no code. */
function titled(error: unknown): string {
  const title = codeOf(error) ?? (isError(error) ? error.name : "Error");
  return plainLine(`${title}: ${errorMessage(error)}`);
}

/** Ours, and those of Node and many libraries, have one. */
export function codeOf(error: unknown): string | undefined {
  const { code } = isError(error) ? (error as { readonly code?: unknown }) : {};
  return typeof code === "string" ? code : undefined;
}

function causesOf(error: unknown): readonly unknown[] {
  const causes: unknown[] = [];
  for (let at = error; isError(at) && at.cause !== undefined && causes.length < 5;) {
    at = at.cause;
    causes.push(at);
  }
  return causes;
}
