import { nodesDue } from "../checkpoint/stored-state.ts";
import { listNames } from "../errors/describe.ts";
import { tracePrinter } from "../trace/printer.ts";
import { storedTrace } from "../trace/stored.ts";
import { type CommandLine, usage } from "./arguments.ts";
import { withDatabase } from "./database.ts";
import { note, print } from "./output.ts";

export function printTrace({ positionals, options }: CommandLine): Promise<number> {
  const [threadId = ""] = positionals;
  return withDatabase(options.db, async (saver) => {
    const events = await storedTrace(saver, threadId);
    if (events.length === 0) {
      const known = (await saver.threads({ limit: 10 })).map((thread) => thread.threadId);
      const list = known.length === 0 ? "there are none" : `there are ${listNames(known)}`;
      throw usage(`There is no thread ${JSON.stringify(threadId)}: ${list}.`);
    }
    const { lang = "en", trace } = options;
    const tell = tracePrinter({ lang, verbose: trace === "verbose", write: print });
    const runs = events.filter(({ type }) => type === "run_start").length;
    let begun = 0;
    let isOpen = false;
    for (const event of events) {
      const begins = event.type === "build" || event.type === "run_start";
      if (begins && !isOpen && runs > 1) print(titleOf(++begun, runs, event.time));
      isOpen = begins || (isOpen && event.type !== "step");
      tell(event);
    }
    const head = await saver.latest(threadId);
    const [last] = await saver.runs(threadId, { limit: 1 });
    if (last?.status === "running")
      note(`The last run has not ended. ${dueText(head?.checkpoint.next)}`);
    return 0;
  });
}

function titleOf(number: number, runs: number, time: number): string {
  const date = new Date(time).toISOString().replace("T", " ").slice(0, 19);
  return `${number > 1 ? "\n" : ""}══ ${number}/${runs}  ${date}`;
}

function dueText(next: string | undefined): string {
  const nodes = next === undefined ? [] : nodesDue(next);
  return nodes.length === 0 ? "It has not begun." : `Due: ${[...new Set(nodes)].join(", ")}.`;
}
