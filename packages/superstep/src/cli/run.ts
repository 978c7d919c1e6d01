import { readFileSync } from "node:fs";
import type { RunOptions } from "../engine/options.ts";
import { describe } from "../errors/describe.ts";
import { RunCancelledError, SuperstepError } from "../errors/errors.ts";
import { isError } from "../errors/is-error.ts";
import { timeId } from "../ids/time-id.ts";
import { isAIMessage } from "../message/guards.ts";
import { SqliteSaver } from "../sqlite/sqlite-saver.ts";
import { plainLine } from "../trace/plain.ts";
import { type CommandLine, usage } from "./arguments.ts";
import { withDatabase } from "./database.ts";
import { type AnyGraph, loadGraph } from "./load.ts";
import { codeOf, keepStdoutClean, note } from "./output.ts";
import { jsonView } from "./json-view.ts";
import { terminalView } from "./terminal-view.ts";
import type { View } from "./view.ts";

/** Which thread a run belongs to, and how the command line names it. */
interface Thread {
  readonly id: string;
  readonly saver: SqliteSaver | undefined;
  /** Whether its name was made here. */
  readonly isNew: boolean;
  /** The command that goes on with it. */
  readonly command: string;
}

export async function runGraph(line: CommandLine): Promise<number> {
  if (line.options.json === true) keepStdoutClean();
  const view = line.options.json === true ? jsonView(line.options) : terminalView(line.options);
  try {
    return await runWith(view, line);
  } catch (error) {
    const [, question] = line.positionals;
    const told = inTermsOfOptions(error, question !== undefined);
    view.failed(told);
    throw told;
  }
}

async function runWith(view: View, { positionals, options }: CommandLine): Promise<number> {
  const [file = "", question] = positionals;
  if (question !== undefined && options.input !== undefined) {
    throw usage("A question and --input are two inputs: give one of them.");
  }
  const input = inputOf(question, options.input);
  if (question?.trim() === "") throw usage("The question is empty.");
  if (input === null && options.thread === undefined) {
    throw usage(
      'There is no question: superstep run <file> "question". To go on with a thread, name it with --thread.',
    );
  }
  const graph = await loadGraph(file);
  const thread = await threadOf(graph, file, { ...options, isAsked: input !== null });
  try {
    return await execute({ graph, input, thread, view, recursionLimit: options.recursionLimit });
  } finally {
    thread?.saver?.close();
  }
}

function inputOf(question: string | undefined, json: string | undefined): object | null {
  if (question !== undefined) return { messages: [{ role: "user", content: question }] };
  if (json === undefined) return null;
  try {
    return JSON.parse(json === "-" ? readFileSync(0, "utf8") : json) as object;
  } catch (error) {
    throw usage(`--input is no JSON: ${(error as Error).message}.`);
  }
}

async function threadOf(
  graph: AnyGraph,
  file: string,
  { thread: id, db, isAsked }: CommandLine["options"] & { readonly isAsked: boolean },
): Promise<Thread | undefined> {
  if (id === undefined && db === undefined) return undefined;
  if (db === undefined) {
    const configurable = { thread_id: id };
    const stored = await graph.getState({ configurable }).catch((error: unknown) => error);
    if (stored instanceof SuperstepError && stored.code === "MISSING_CHECKPOINTER") {
      throw usage(
        "--thread needs a place to keep it: add --db FILE, or compile the graph with a saver.",
      );
    }
    return {
      id: id!,
      saver: undefined,
      isNew: false,
      command: command("run", file, "--thread", id!),
    };
  }
  const thread = id ?? timeId();
  const again = command("run", file, "--thread", thread, "--db", db);
  if (!isAsked) await withDatabase(db, (saver) => checkThread(saver, thread));
  return { id: thread, saver: new SqliteSaver(db), isNew: id === undefined, command: again };
}

/** What is asked nothing has to be there. */
async function checkThread(saver: SqliteSaver, threadId: string): Promise<void> {
  const [run] = await saver.runs(threadId, { limit: 1 });
  if (run) return;
  throw usage(`There is no thread ${JSON.stringify(threadId)} to go on with: give a question.`);
}

/** Something to paste into a shell. */
function command(...words: readonly string[]): string {
  const quoted = words.map((word) =>
    /^[\w./:@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`,
  );
  return plainLine(`npx superstep ${quoted.join(" ")}`);
}

interface Execution {
  readonly graph: AnyGraph;
  readonly input: object | null;
  readonly thread: Thread | undefined;
  readonly view: View;
  readonly recursionLimit: number | undefined;
}

async function execute(execution: Execution): Promise<number> {
  const { graph, input, thread, view } = execution;
  const interrupted = listen();
  const configurable = thread ? { configurable: { thread_id: thread.id } } : {};
  let state: unknown;
  try {
    state = await follow(execution, {
      ...configurable,
      checkpointer: thread?.saver,
      signal: interrupted.signal,
      trace: view.trace,
      recursionLimit: execution.recursionLimit,
    });
  } catch (error) {
    const code = interrupted.code();
    if (code === undefined) {
      if (thread && !isRefused(error)) note(`the thread is kept; go on with: ${thread.command}`);
      throw error;
    }
    view.cancelled(thread?.id);
    note(
      thread
        ? `cancelled; go on with: ${thread.command}`
        : "cancelled; nothing was kept (with --thread ID --db FILE a run can go on)",
    );
    return code;
  } finally {
    interrupted.stop();
  }
  if (state === undefined && thread) {
    state = (await graph.getState({ ...configurable, checkpointer: thread.saver })).values;
    if (input === null) note("Nothing was due on the thread: its last run has ended.");
  }
  view.done({ thread: thread?.id, answer: answerIn(state), state });
  if (thread?.isNew) note(`thread ${thread.id}; go on with: ${thread.command} "..."`);
  return 0;
}

/** Shows a run while it goes on; gives the last state, `undefined` when no superstep wrote any. */
async function follow({ graph, input, view }: Execution, options: RunOptions): Promise<unknown> {
  let state: unknown;
  const modes = ["messages", "updates", "values"] as const;
  for await (const chunk of graph.stream(input, { ...options, streamMode: modes })) {
    const [mode, payload] = chunk as readonly [string, never];
    if (mode === "messages") view.message(...(payload as Parameters<View["message"]>));
    else if (mode === "updates") view.update(payload);
    else state = payload;
  }
  return state;
}

/** The text of the last answer, for a state that is a conversation. */
function answerIn(state: unknown): string | undefined {
  const { messages } = (state ?? {}) as { readonly messages?: unknown };
  if (!Array.isArray(messages)) return undefined;
  const answer: unknown = messages.findLast((message) => isAIMessage(message));
  return (answer as { readonly text?: string } | undefined)?.text ?? "";
}

const refusals: ReadonlySet<string> = new Set([
  "EMPTY_INPUT",
  "THREAD_BUSY",
  "SAVER_ERROR",
  "UNKNOWN_STATE_KEY",
  "INVALID_INPUT",
]);

/** Whether the run was not let in: nothing of it was kept. */
function isRefused(error: unknown): boolean {
  return refusals.has(codeOf(error) ?? "");
}

/** Takes errors of the user's code that nobody awaits, while a run is at work: they end the run. */
export const strayError: { take: ((error: unknown) => boolean) | undefined } = { take: undefined };

interface Interrupted {
  readonly signal: AbortSignal;
  /** The exit code when a signal came. */
  readonly code: () => number | undefined;
  readonly stop: () => void;
}

/** Milliseconds within which signals are one press of Ctrl-C. */
const samePress = 500;

/** The first Ctrl-C cancels the run, a second one ends the process. */
function listen(): Interrupted {
  const controller = new AbortController();
  let code: number | undefined;
  let since = 0;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (code !== undefined) {
      // npx passes on a Ctrl-C that the terminal has sent to both: that is still the first one.
      if (performance.now() - since > samePress) process.exit(code);
      return;
    }
    since = performance.now();
    code = signal === "SIGINT" ? 130 : 143;
    note("cancelling: waiting for what is at work; a second time ends at once");
    controller.abort(
      new RunCancelledError(`The run was cancelled by ${signal}.`, { fix: "Run it again." }),
    );
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  strayError.take = (error) => {
    controller.abort(isError(error) ? error : new Error(describe(error)));
    return true;
  };
  return {
    signal: controller.signal,
    code: () => code,
    stop: () => {
      process.off("SIGINT", onSignal);
      process.off("SIGTERM", onSignal);
      strayError.take = undefined;
    },
  };
}

/** What the API says in its own terms, said in those of the command line. */
function inTermsOfOptions(error: unknown, isQuestion: boolean): unknown {
  if (!(error instanceof SuperstepError)) return error;
  if (error.code === "MISSING_THREAD_ID") {
    return usage(
      "This graph has a saver of its own, which keeps threads: name one with --thread ID.",
    );
  }
  const hasNoMessages = error.code === "UNKNOWN_STATE_KEY" && error.message.includes('"messages"');
  if (!isQuestion || !hasNoMessages) return error;
  return usage(
    "This graph takes no question: its state has no messages. Give its input as --input JSON.",
  );
}
