import { SuperstepError } from "../errors/errors.ts";
import { commandLine, type CommandLine } from "./arguments.ts";
import { drawGraph } from "./draw.ts";
import { helpOf, version } from "./help.ts";
import { note, print, printError } from "./output.ts";
import { runGraph, strayError } from "./run.ts";
import { listThreads } from "./threads.ts";
import { printTrace } from "./trace.ts";

const commands: Readonly<Record<string, (line: CommandLine) => Promise<number>>> = {
  run: runGraph,
  graph: drawGraph,
  threads: listThreads,
  trace: printTrace,
};

/** Carries out a command line and ends the process: 0 done, 1 failed, 2 usage, 130 cancelled. */
export async function main(args: readonly string[]): Promise<never> {
  const verbose = args.includes("--verbose");
  let broken: unknown;
  // Whoever reads has heard enough, as in `superstep ... | head`: the run goes on without a reader.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") broken = error;
  });
  process.stderr.on("error", () => {});
  const onStray = (error: unknown): void => {
    if (strayError.take?.(error)) return;
    printError(error, verbose);
    process.exit(1);
  };
  process.on("unhandledRejection", onStray);
  process.on("uncaughtException", onStray);
  let isOver = false;
  process.on("exit", () => {
    if (isOver || process.exitCode === 130 || process.exitCode === 143) return;
    note("the program ended the process in the middle of it");
    process.exitCode = 1;
  });
  // A tool that waits for something that never comes is ended by Ctrl-C, not by an empty event loop.
  setInterval(() => {}, 2 ** 30);
  let code: number;
  try {
    code = await carryOut(args);
  } catch (error) {
    printError(error, verbose);
    code = error instanceof SuperstepError && error.code === "INVALID_COMMAND_LINE" ? 2 : 1;
  }
  // What the user's file has left open does not keep the command line from ending.
  await Promise.all([process.stdout, process.stderr].map(flushed));
  if (broken !== undefined) {
    printError(broken, verbose);
    code = 1;
  }
  isOver = true;
  return process.exit(code);
}

async function carryOut(args: readonly string[]): Promise<number> {
  const line = commandLine(args);
  if (line.options.version === true) return print(version());
  const { command } = line;
  if (command === undefined || line.options.help === true) return print(helpOf(command));
  return commands[command]!(line);
}

function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed) resolve();
    else stream.write("", () => resolve());
  });
}
