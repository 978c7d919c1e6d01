import { readFileSync } from "node:fs";
import { inspect } from "node:util";
import type { RunOptions } from "../engine/options.ts";
import { RunCancelledError, SuperstepError } from "../errors/errors.ts";
import { timeId } from "../ids/time-id.ts";
import { isAIMessage } from "../message/guards.ts";
import { SqliteSaver } from "../sqlite/sqlite-saver.ts";
import { type CommandLine, usage } from "./arguments.ts";
import { type AnyGraph, loadGraph } from "./load.ts";
import { note } from "./output.ts";
import { jsonView } from "./json-view.ts";
import { terminalView } from "./terminal-view.ts";
import type { View } from "./view.ts";

/** Which thread a run belongs to, and how the command line names it. */
interface Thread {
  readonly id: string;
  readonly saver: SqliteSaver | undefined;
  /** The command that goes on with it. */
  readonly command: string;
}

export async function runGraph({ positionals, options }: CommandLine): Promise<number> {
  const [file = "", question] = positionals;
  if (question !== undefined && options.input !== undefined) {
    throw usage("A question and --input are two inputs: give one of them.");
  }
  const input = inputOf(question, options.input);
  if (input === null && options.thread === undefined) {
    throw usage(
      'There is no question: superstep run <file> "question". To go on with a thread, name it with --thread.',
    );
  }
  const graph = await loadGraph(file);
  const thread = await threadOf(graph, file, options);
  const view = options.json === true ? jsonView(options) : terminalView(options);
  try {
    if (thread && options.thread === undefined)
      note(`thread ${thread.id}: go on with ${thread.command} "..."`);
    return await execute({ graph, input, thread, view, recursionLimit: options.recursionLimit });
  } catch (error) {
    throw question === undefined ? error : withoutMessages(error);
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
  { thread: id, db }: CommandLine["options"],
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
    return { id: id!, saver: undefined, command: command("run", file, "--thread", id!) };
  }
  const thread = id ?? timeId();
  const again = command("run", file, "--thread", thread, "--db", db);
  return { id: thread, saver: new SqliteSaver(db), command: again };
}

/** Something to paste into a shell. */
function command(...words: readonly string[]): string {
  const quoted = words.map((word) =>
    /^[\w./:@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`,
  );
  return `superstep ${quoted.join(" ")}`;
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
  const options: RunOptions = {
    ...configurable,
    checkpointer: thread?.saver,
    signal: interrupted.signal,
    trace: view.trace,
    recursionLimit: execution.recursionLimit,
  };
  let state: unknown;
  try {
    const modes = ["messages", "updates", "values"] as const;
    for await (const chunk of graph.stream(input, { ...options, streamMode: modes })) {
      const [mode, payload] = chunk as readonly [string, never];
      if (mode === "messages") view.message(...(payload as Parameters<View["message"]>));
      else if (mode === "updates") view.update(payload);
      else state = payload;
    }
  } catch (error) {
    const code = interrupted.code();
    if (code === undefined) {
      view.failed(error);
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
  view.done({ thread: thread?.id, answer: answerIn(state), state: textOf(state) });
  return 0;
}

/** The text of the last answer, for a state that is a conversation. */
function answerIn(state: unknown): string | undefined {
  const { messages } = (state ?? {}) as { readonly messages?: unknown };
  if (!Array.isArray(messages)) return undefined;
  const answer: unknown = messages.findLast((message) => isAIMessage(message));
  return (answer as { readonly text?: string } | undefined)?.text ?? "";
}

function textOf(state: unknown): string {
  return inspect(state, { depth: null, breakLength: 100 });
}

interface Interrupted {
  readonly signal: AbortSignal;
  /** The exit code when a signal came. */
  readonly code: () => number | undefined;
  readonly stop: () => void;
}

/** The first Ctrl-C cancels the run, a second one ends the process. */
function listen(): Interrupted {
  const controller = new AbortController();
  let code: number | undefined;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (code !== undefined) process.exit(code);
    code = signal === "SIGINT" ? 130 : 143;
    controller.abort(
      new RunCancelledError(`The run was cancelled by ${signal}.`, { fix: "Run it again." }),
    );
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  return {
    signal: controller.signal,
    code: () => code,
    stop: () => {
      process.off("SIGINT", onSignal);
      process.off("SIGTERM", onSignal);
    },
  };
}

/** A question is for graphs with messages; others say that they know no such key. */
function withoutMessages(error: unknown): unknown {
  const isUnknown = error instanceof SuperstepError && error.code === "UNKNOWN_STATE_KEY";
  if (!isUnknown || !error.message.includes('"messages"')) return error;
  return usage(
    "This graph takes no question: its state has no messages. Give its input as --input JSON.",
  );
}
