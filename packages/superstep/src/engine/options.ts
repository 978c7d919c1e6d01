import { isPlain } from "../channels/freeze.ts";
import { checkOptions } from "../errors/check-options.ts";
import { describe, listNames } from "../errors/describe.ts";
import { SuperstepError } from "../errors/errors.ts";
import type { RunSaver } from "../checkpoint/saver.ts";
import type { BuildStep, TraceSubscriber } from "../stream/trace-event.ts";

/** What can be streamed from a run. */
export const streamModes = ["values", "updates", "messages", "custom"] as const;
export type StreamMode = (typeof streamModes)[number];

/** Options of one run. All are optional. */
export interface RunOptions {
  /**
   * How many supersteps may run before the run fails with `GRAPH_RECURSION_LIMIT`; a graph of N
   * steps needs N. An integer of at least 1, or Infinity. Default 10,000.
   */
  readonly recursionLimit?: number | undefined;
  /** How many tasks of a superstep run at a time: an integer of at least 1. Default: all. */
  readonly maxConcurrency?: number | undefined;
  /** Cancels the run; nodes see it as `runtime.signal`. */
  readonly signal?: AbortSignal | undefined;
  /**
   * How long a run that is cancelled or has failed waits for the tasks still running, in
   * milliseconds. Default 5,000.
   */
  readonly drainMs?: number | undefined;
  /** Keeps the run and its thread; then `configurable.thread_id` is needed. Default: that of `compile`. */
  readonly checkpointer?: RunSaver | undefined;
  /**
   * Handed to nodes as they are: settings of the caller's own, with `thread_id`, a string, as the
   * name of the thread where there is a saver ...
   */
  readonly configurable?: Readonly<Record<string, unknown>> | undefined;
  /** ... what nodes depend on, such as clients or the current user ... */
  readonly context?: unknown;
  /** ... and what describes the run. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly runName?: string | undefined;
  readonly runId?: string | undefined;
  /** Told of everything that happens, for example a `tracePrinter`. Default: nobody, which costs nothing. */
  readonly trace?: TraceSubscriber | undefined;
}

/** Options of `stream`. */
export interface StreamOptions extends RunOptions {
  /**
   * `updates` (the default): what each node wrote, as `{ node: update }`. `values`: the whole state
   * after the input and after each superstep that wrote to it. `messages`: the tokens of models that
   * nodes call, and whole messages that nodes write, each once, as `[message, metadata]`. `custom`: what nodes hand to
   * `runtime.writer`. With a list, chunks are `[mode, chunk]` pairs.
   */
  readonly streamMode?: StreamMode | readonly StreamMode[] | undefined;
}

const runDefaults: Readonly<Record<"recursionLimit" | "maxConcurrency" | "drainMs", number>> = {
  recursionLimit: 10_000,
  maxConcurrency: Number.POSITIVE_INFINITY,
  drainMs: 5_000,
};

/** Options with defaults in place. */
export interface RunSettings {
  readonly recursionLimit: number;
  readonly maxConcurrency: number;
  readonly drainMs: number;
  readonly signal: AbortSignal | undefined;
  readonly configurable: Readonly<Record<string, unknown>>;
  readonly context: unknown;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly tags: readonly string[];
  readonly runName: string | undefined;
  readonly runId: string | undefined;
  readonly trace: TraceSubscriber | undefined;
  readonly checkpointer: RunSaver | undefined;
  /** How the graph was built, for the trace. */
  readonly build: readonly BuildStep[];
}

/** What a graph gives to each of its runs. */
export interface GraphSettings {
  readonly checkpointer: RunSaver | undefined;
  readonly build: readonly BuildStep[];
}

const nothing: Readonly<Record<string, never>> = Object.freeze({});
const noTags: readonly string[] = Object.freeze([]);

const optionNames: ReadonlySet<string> = new Set<keyof RunOptions>([
  "recursionLimit",
  "maxConcurrency",
  "signal",
  "drainMs",
  "configurable",
  "context",
  "metadata",
  "tags",
  "runName",
  "runId",
  "trace",
  "checkpointer",
]);

/** Checks a run's options and fills in the defaults. An option that is `undefined` is not set. */
export function resolveOptions(given: RunOptions | undefined, graph: GraphSettings): RunSettings {
  const options = checkOptions("A run", given, optionNames);
  const { recursionLimit, maxConcurrency, drainMs } = options;
  return {
    recursionLimit: count("recursionLimit", recursionLimit, runDefaults.recursionLimit),
    maxConcurrency: count("maxConcurrency", maxConcurrency, runDefaults.maxConcurrency),
    drainMs: duration("drainMs", drainMs, runDefaults.drainMs),
    signal: checkSignal(options.signal),
    configurable: record("configurable", options.configurable),
    context: options.context,
    metadata: record("metadata", options.metadata),
    tags: strings("tags", options.tags),
    runName: text("runName", options.runName),
    runId: text("runId", options.runId),
    trace: subscriber(options.trace),
    checkpointer: checkSaver(options.checkpointer) ?? graph.checkpointer,
    build: graph.build,
  };
}

/** The stream modes asked for, checked. */
export function resolveModes(streamMode: StreamOptions["streamMode"]): ReadonlySet<StreamMode> {
  const modes = Array.isArray(streamMode) ? (streamMode as readonly StreamMode[]) : [streamMode];
  if (modes.length === 0) throw invalid("streamMode", modes, "at least one mode");
  for (const mode of modes) {
    if (!streamModes.includes(mode as StreamMode)) {
      throw new SuperstepError(
        "UNKNOWN_STREAM_MODE",
        `There is no stream mode ${describe(mode)}.`,
        {
          fix: `Use one of ${listNames(streamModes)}, or a list of them.`,
        },
      );
    }
  }
  return new Set(modes as readonly StreamMode[]);
}

function count(name: string, value: number | undefined, standard: number): number {
  if (value === undefined) return standard;
  if (value === Number.POSITIVE_INFINITY || (Number.isSafeInteger(value) && value >= 1))
    return value;
  throw invalid(name, value, "an integer of at least 1, or Infinity");
}

function duration(name: string, value: number | undefined, standard: number): number {
  if (value === undefined) return standard;
  // The longest time that setTimeout can wait.
  if (typeof value === "number" && value >= 0 && value <= 2_147_483_647) return value;
  throw invalid(name, value, "a number of milliseconds from 0 to 2147483647");
}

function checkSignal(signal: AbortSignal | undefined): AbortSignal | undefined {
  if (signal === undefined) return undefined;
  const methods = ["addEventListener", "removeEventListener"] as const;
  if (methods.every((name) => typeof (signal as AbortSignal | null)?.[name] === "function")) {
    return signal;
  }
  throw invalid("signal", signal, "an AbortSignal");
}

function record(name: string, value: RunOptions["metadata"]): Readonly<Record<string, unknown>> {
  if (value === undefined) return nothing;
  if (isPlain(value) && !Array.isArray(value)) return Object.freeze({ ...value });
  throw invalid(name, value, "an object");
}

function strings(name: string, value: readonly string[] | undefined): readonly string[] {
  if (value === undefined) return noTags;
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) {
    return Object.freeze([...(value as readonly string[])]);
  }
  throw invalid(name, value, "a list of strings");
}

function text(name: string, value: string | undefined): string | undefined {
  if (value === undefined || typeof value === "string") return value;
  throw invalid(name, value, "a string");
}

function subscriber(value: TraceSubscriber | undefined): TraceSubscriber | undefined {
  if (value === undefined || typeof value === "function") return value;
  throw invalid("trace", value, "a function, such as tracePrinter()");
}

const saverMethods = ["admit", "claim", "putWrites", "commit", "settle", "latest"] as const;

/** Throws `INVALID_OPTION` for what is no saver. */
export function checkSaver(saver: RunSaver | undefined): RunSaver | undefined {
  if (saver === undefined) return undefined;
  const candidate = saver as RunSaver | null;
  if (saverMethods.every((name) => typeof candidate?.[name] === "function")) return saver;
  throw invalid(
    "checkpointer",
    saver,
    'a saver: new MemorySaver(), or SqliteSaver of "superstep/sqlite"',
  );
}

function invalid(name: string, value: unknown, allowed: string): SuperstepError {
  return new SuperstepError("INVALID_OPTION", `${name} cannot be ${describe(value)}.`, {
    fix: `Give ${allowed}.`,
  });
}
