import { styleText } from "node:util";
import { errorMessage, SuperstepError } from "../errors/errors.ts";
import { isError } from "../errors/is-error.ts";
import { plainLine, plainText } from "../trace/plain.ts";

const write = process.stdout.write.bind(process.stdout);

/** From now on only `print` writes to standard output; what the user's code prints stands beside it. */
export function keepStdoutClean(): void {
  process.stdout.write = process.stderr.write.bind(process.stderr);
}

/** Prints a line on standard output; gives the exit code of what went well. */
export function print(line: string): 0 {
  write(`${line}\n`);
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
  try {
    for (const line of linesOf(error, verbose)) note(line);
  } catch {
    note("error Error: an error that cannot be read"); // a getter of it throws
  }
}

function linesOf(error: unknown, verbose: boolean): readonly string[] {
  const causes = causesOf(error);
  const lines = [`${coloured("red", "error")} ${titled(error)}`];
  for (const cause of causes) lines.push(`cause: ${titled(cause)}`);
  const fixed = [error, ...causes].find((each) => each instanceof SuperstepError);
  if (fixed) lines.push(`fix: ${plainLine(fixed.fix)}`);
  if (!verbose) return lines;
  const stacks = [error, ...causes].map((each) => (isError(each) ? each.stack : undefined));
  return [
    ...lines,
    ...stacks.flatMap((stack) => (typeof stack === "string" ? [plainText(stack)] : [])),
  ];
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
    if (at === error || causes.includes(at)) break;
    causes.push(at);
  }
  return causes;
}
