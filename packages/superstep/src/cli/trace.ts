import { listNames } from "../errors/describe.ts";
import { tracePrinter } from "../trace/printer.ts";
import { storedTrace } from "../trace/stored.ts";
import { type CommandLine, usage } from "./arguments.ts";
import { withDatabase } from "./database.ts";
import { print } from "./output.ts";

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
    for (const event of events) tell(event);
    return 0;
  });
}
