import { parseArgs, type ParseArgsOptionsConfig } from "node:util";
import { errorMessage, SuperstepError } from "../errors/errors.ts";

/** A command line, taken apart. */
export interface CommandLine {
  readonly command: string | undefined;
  readonly positionals: readonly string[];
  readonly options: Options;
}

interface Options {
  readonly thread?: string;
  readonly db?: string;
  readonly trace?: "short" | "verbose";
  readonly lang?: "en" | "zh";
  readonly input?: string;
  readonly recursionLimit?: number;
  readonly json?: boolean;
  readonly ascii?: boolean;
  readonly verbose?: boolean;
  readonly help?: boolean;
  readonly version?: boolean;
}

const flag = { type: "boolean" } as const;
const text = { type: "string" } as const;
const everywhere = { help: { ...flag, short: "h" }, version: flag, verbose: flag } as const;
const tracing = { lang: text, trace: flag, "trace-verbose": flag } as const;

/** What each command takes beside `everywhere`, and its arguments: how many there must and may be. */
const syntax: Readonly<
  Record<
    string,
    { readonly options: ParseArgsOptionsConfig; readonly arguments: readonly [number, number] }
  >
> = {
  run: {
    options: {
      ...tracing,
      thread: text,
      db: text,
      json: flag,
      input: text,
      "recursion-limit": text,
    },
    arguments: [1, 2],
  },
  graph: { options: { ascii: flag }, arguments: [1, 1] },
  threads: { options: { db: text, json: flag }, arguments: [0, 0] },
  trace: { options: { ...tracing, db: text }, arguments: [1, 1] },
};

/** Throws `INVALID_COMMAND_LINE`. */
export function commandLine(args: readonly string[]): CommandLine {
  const [command, ...rest] = args[0] === "help" ? [...args.slice(1, 2), "--help"] : args;
  if (command === undefined || command.startsWith("-")) {
    return withoutCommand(command === undefined ? [] : [command, ...rest]);
  }
  const known = Object.hasOwn(syntax, command) ? syntax[command]! : undefined;
  if (!known) {
    const near = nearest(command, Object.keys(syntax));
    throw usage(`There is no command ${JSON.stringify(command)}.`, near);
  }
  const { values, positionals } = parse(rest.map(longForm), known.options);
  const options = optionsOf(values);
  const [least, most] = known.arguments;
  const fits = positionals.length >= least && positionals.length <= most;
  if (!fits && options.help !== true && options.version !== true) {
    const given = `"superstep ${command}" takes ${counted(least, most)} and was given ${positionals.length}`;
    throw usage(`${given}${positionals.length > most ? ": put the question in quotes" : ""}.`);
  }
  return { command, positionals, options };
}

function counted(least: number, most: number): string {
  const number = least === most ? `${least}` : `${least} or ${most}`;
  return `${number} ${most === 1 ? "argument" : "arguments"}`;
}

function withoutCommand(args: readonly string[]): CommandLine {
  const options = optionsOf(parse(args, {}).values);
  if (options.help !== true && options.version !== true && args.length > 0) {
    throw usage("The first argument is a command.");
  }
  return { command: undefined, positionals: [], options };
}

/** An option that may be given with or without a value is two to `parseArgs`. */
function longForm(arg: string): string {
  if (arg.startsWith("--trace=") && arg !== "--trace=verbose") {
    throw usage(
      `--trace cannot be ${JSON.stringify(arg.slice(8))}: it is --trace or --trace=verbose.`,
    );
  }
  return arg === "--trace=verbose" ? "--trace-verbose" : arg;
}

interface Parsed {
  readonly values: Readonly<Record<string, unknown>>;
  readonly positionals: readonly string[];
}

function parse(args: readonly string[], own: ParseArgsOptionsConfig): Parsed {
  const options = { ...own, ...everywhere };
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    return { values, positionals };
  } catch (error) {
    const [, unknown] = /Unknown option '(--?[^']+)'/.exec(errorMessage(error)) ?? [];
    if (unknown === undefined) throw usage(errorMessage(error));
    const names = Object.keys(options).filter((name) => name !== "trace-verbose");
    throw usage(
      `There is no option ${unknown}.`,
      nearest(
        unknown,
        names.map((name) => `--${name}`),
      ),
    );
  }
}

function optionsOf(values: Parsed["values"]): Options {
  const { "trace-verbose": traceVerbose, "recursion-limit": limit, trace, lang, ...rest } = values;
  if (rest["thread"] === "") throw usage("--thread is empty: give the thread a name.");
  if (lang !== undefined && lang !== "en" && lang !== "zh") {
    throw usage(`--lang cannot be ${JSON.stringify(lang)}: it is "en" or "zh".`);
  }
  const recursionLimit = limit === undefined ? undefined : Number(limit);
  if (
    recursionLimit !== undefined &&
    !(Number.isSafeInteger(recursionLimit) && recursionLimit > 0)
  ) {
    throw usage(
      `--recursion-limit cannot be ${JSON.stringify(limit)}: it is a whole number above 0.`,
    );
  }
  const form = traceVerbose === true ? "verbose" : trace === true ? "short" : undefined;
  return {
    ...(rest as Options),
    ...(lang !== undefined && { lang }),
    ...(recursionLimit !== undefined && { recursionLimit }),
    ...(form !== undefined && { trace: form }),
  };
}

/** What is wrong with the command line. */
export function usage(problem: string, near?: string): SuperstepError {
  return new SuperstepError("INVALID_COMMAND_LINE", problem, {
    fix:
      near === undefined ? "See superstep --help." : `Did you mean ${near}? See superstep --help.`,
  });
}

/** The name that is meant, as far as can be told from its letters. */
function nearest(given: string, names: readonly string[]): string | undefined {
  const [best] = names
    .map((name) => ({ name, distance: name.startsWith(given) ? 0 : distance(given, name) }))
    .toSorted((a, b) => a.distance - b.distance);
  return best && best.distance <= 3 ? best.name : undefined;
}

/** How many letters have to be put in, taken out or changed (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const changed = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(changed, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row.at(-1)!;
}
