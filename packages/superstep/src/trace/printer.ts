import { checkOptions } from "../errors/check-options.ts";
import { describe } from "../errors/describe.ts";
import { errorMessage, SuperstepError } from "../errors/errors.ts";
import { warnOnce } from "../errors/warn.ts";
import type { TraceEvent, TraceSubscriber } from "../stream/trace-event.ts";
import { plainLine } from "./plain.ts";
import { RunPrinter } from "./run-printer.ts";
import { english } from "./texts-en.ts";
import { chinese } from "./texts-zh.ts";

/** Options of `tracePrinter`. All are optional. */
export interface TracePrinterOptions {
  /** The language of the lines. Default "en". */
  readonly lang?: "en" | "zh" | undefined;
  /** Also the gates of each model call, how long models and tools took, and the supersteps. Default false. */
  readonly verbose?: boolean | undefined;
  /** Takes one line, without a line break. Default: `console.log`. */
  readonly write?: ((line: string) => void) | undefined;
}

const optionNames: ReadonlySet<string> = new Set<keyof TracePrinterOptions>([
  "lang",
  "verbose",
  "write",
]);
const languages = { en: english, zh: chinese } as const;

/**
 * Prints what happens in a run, from question to answer: `invoke(input, { trace: tracePrinter() })`.
 * The lines of an agent stand under five phases: first model call, routing decision, tool execution,
 * next model call, end; those of any other graph under its supersteps.
 *
 * One printer follows one run at a time; it begins anew with the next. A line is cut after 10,000
 * characters, and control characters in it are escaped. It does not throw: that `write` has thrown
 * is told once, as a warning.
 *
 * Throws `INVALID_OPTION` or `UNKNOWN_OPTION`.
 */
export function tracePrinter(options?: TracePrinterOptions): TraceSubscriber {
  const given = checkOptions("tracePrinter", options, optionNames);
  const { lang = "en", verbose = false, write = print } = given;
  if (!Object.hasOwn(languages, lang)) throw invalid("lang", lang, '"en" or "zh"');
  if (typeof verbose !== "boolean") throw invalid("verbose", verbose, "true or false");
  if (typeof write !== "function") throw invalid("write", write, "a function that takes a line");
  const settings = {
    texts: languages[lang],
    verbose,
    write: (line: string) => write(plainLine(line)),
  };
  let run = new RunPrinter(settings);
  const subscriber = (event: TraceEvent): void => {
    try {
      if (run.isOver(event)) run = new RunPrinter(settings);
      run.print(event);
    } catch (error) {
      warnOnce(subscriber, `The trace could not print an event: ${errorMessage(error)}`);
    }
  };
  return subscriber;
}

function print(line: string): void {
  // oxlint-disable-next-line no-console -- the place where a trace is looked for
  console.log(line);
}

function invalid(name: string, value: unknown, allowed: string): SuperstepError {
  return new SuperstepError(
    "INVALID_OPTION",
    `The option ${name} of tracePrinter cannot be ${describe(value)}.`,
    { fix: `Give ${allowed}.` },
  );
}
