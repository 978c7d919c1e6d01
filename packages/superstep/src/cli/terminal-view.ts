import { inspect } from "node:util";
import { errorMessage } from "../errors/errors.ts";
import { isError } from "../errors/is-error.ts";
import type { TracedCall, TraceEvent } from "../stream/trace-event.ts";
import { plainLine, plainText } from "../trace/plain.ts";
import { tracePrinter } from "../trace/printer.ts";
import type { CommandLine } from "./arguments.ts";
import { coloured, note, print } from "./output.ts";
import { UsageCount, type View } from "./view.ts";

/** For people: the answer on standard output, what happens beside it on standard error. */
export function terminalView({ trace, lang = "en" }: CommandLine["options"]): View {
  const usage = new UsageCount();
  const printer =
    trace === undefined
      ? undefined
      : tracePrinter({ lang, verbose: trace === "verbose", write: print });
  /** The message whose tokens stand on the last line, which is not ended. */
  let open: string | undefined;
  const endLine = (): void => {
    if (open !== undefined) process.stdout.write("\n");
    open = undefined;
  };
  return {
    trace: (event) => {
      printer?.(event);
      const line = toolLine(event);
      if (line === undefined) return;
      endLine();
      note(line);
    },
    message: (message) => {
      usage.saw(message);
      // With the trace the flow stands for itself, and the answer comes after it.
      if (message.type !== "ai" || message.text === "" || printer) return;
      const id = message.id ?? "";
      if (open !== id) endLine();
      open = id;
      process.stdout.write(shown(message.text));
    },
    update: (update) => usage.add(update),
    done: ({ answer, state }) => {
      endLine();
      if (printer) print("");
      if (answer === undefined) print(inspect(state, { depth: null, breakLength: 100 }));
      else if (printer) print(shown(answer));
      const { sum } = usage;
      if (sum) {
        note(coloured("dim", `tokens: ${sum.input} in, ${sum.output} out, ${sum.total} in all`));
      }
    },
    failed: endLine,
    cancelled: endLine,
  };
}

/** As it is for a program or a file; on a terminal a model does not give commands. */
function shown(text: string): string {
  return process.stdout.isTTY ? plainText(text) : text;
}

function toolLine(event: TraceEvent): string | undefined {
  if (event.type === "tool_start") return coloured("dim", plainLine(`→ ${callText(event.call)}`));
  if (event.type !== "tool_end") return undefined;
  const time = `${Math.round(event.duration)} ms`;
  if (event.status === "success")
    return coloured("green", plainLine(`✓ ${event.call.name} (${time})`));
  const { result } = event;
  const said = isError(result)
    ? errorMessage(result)
    : ((result as { readonly text?: string } | undefined)?.text ?? "");
  return coloured("red", plainLine(`✗ ${event.call.name} (${time}): ${said.split("\n")[0]}`));
}

/** As long as fits on a line. */
function callText({ name, args }: TracedCall): string {
  const text = JSON.stringify(args) ?? "";
  return `${name} ${text.length > 100 ? `${text.slice(0, 99)}…` : text}`;
}
