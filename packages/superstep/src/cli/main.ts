import { SuperstepError } from "../errors/errors.ts";
import { commandLine, type CommandLine } from "./arguments.ts";
import { drawGraph } from "./draw.ts";
import { helpOf, version } from "./help.ts";
import { print, printError } from "./output.ts";
import { runGraph } from "./run.ts";
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
  // Whoever reads has heard enough, as in `superstep ... | head`.
  process.stdout.on("error", ({ code }: NodeJS.ErrnoException) => {
    process.exit(code === "EPIPE" ? 0 : 1);
  });
  process.on("unhandledRejection", (error) => {
    printError(error, verbose);
    process.exit(1);
  });
  let code: number;
  try {
    code = await carryOut(args);
  } catch (error) {
    printError(error, verbose);
    code = error instanceof SuperstepError && error.code === "INVALID_COMMAND_LINE" ? 2 : 1;
  }
  // What the user's file has left open does not keep the command line from ending.
  await Promise.all([process.stdout, process.stderr].map(flushed));
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
  return new Promise((resolve) => void stream.write("", () => resolve()));
}
