import { readFileSync } from "node:fs";

const general = `superstep: run agents, and see what they do

  superstep run <file> ["question"]   run the agent or graph that a file exports
  superstep graph <file>              draw it
  superstep threads --db FILE         list the stored threads
  superstep trace THREAD --db FILE    print the flow of a stored thread

  superstep <command> --help          more of a command (or: superstep help <command>)
  superstep --version

Exit codes: 0 done, 1 failed, 2 wrong command line, 130 cancelled.`;

const commands: Readonly<Record<string, string>> = {
  run: `superstep run <file> ["question"]

Runs what a TypeScript or JavaScript file exports: its default export, "agent" or "graph". The answer
is printed as it comes, tool calls and the tokens used on standard error.

  --thread ID         keep the conversation under this name, and go on with it
  --db FILE           where threads are kept (SQLite); without --thread a new thread begins
  --input JSON        the input of a graph that is no agent; "-" reads it from standard input
  --trace             print the information flow; --trace=verbose with gates and times
  --lang en|zh        the language of the trace
  --json              print one event a line, for programs
  --recursion-limit N how many supersteps may run
  --verbose           print stacks of errors

Without a question a run that was cancelled, failed or killed goes on where its thread stands. Ctrl-C
cancels and says how to go on; a second time it ends at once.`,
  graph: `superstep graph <file> [--ascii]

Prints the graph as Mermaid text, or with --ascii as a picture of characters.`,
  threads: `superstep threads --db FILE [--json]

Lists the threads of a database: last activity, how the last run stands, and what is due next.`,
  trace: `superstep trace THREAD --db FILE [--trace=verbose] [--lang en|zh]

Prints the information flow of all runs of a stored thread.`,
};

export function helpOf(command: string | undefined): string {
  return command === undefined ? general : commands[command]!;
}

/** The version of the package, from the sources as well as from what is published. */
export function version(): string {
  for (const path of ["../package.json", "../../package.json", "../../../package.json"]) {
    try {
      const url = new URL(path, import.meta.url);
      const { name, version: number } = JSON.parse(readFileSync(url, "utf8")) as {
        readonly name?: string;
        readonly version?: string;
      };
      if (name === "superstep" && number !== undefined) return number;
    } catch {
      // Not there: one folder further up.
    }
  }
  return "unknown";
}
