import type { RunSaver } from "../checkpoint/saver.ts";
import type { Command } from "../engine/command.ts";
import {
  resolveModes,
  resolveOptions,
  type RunOptions,
  type RunSettings,
  type StreamMode,
  type StreamOptions,
} from "../engine/options.ts";
import type { MessageMetadata, StreamedMessage } from "../engine/emit.ts";
import { ownInput } from "../engine/input.ts";
import type { Plan } from "../engine/plan.ts";
import { type Chunk, openRun } from "../engine/run.ts";
import { RunStream } from "../engine/run-stream.ts";
import type { StateSnapshot, ThreadConfig } from "../engine/snapshot.ts";
import { finish } from "../engine/superstep.ts";
import { isPlain } from "../channels/freeze.ts";
import { brand } from "../errors/brand.ts";
import { GraphValueError } from "../errors/errors.ts";
import { ChunkQueue } from "../stream/queue.ts";
import { buildSteps } from "./build-steps.ts";
import type { GraphDefinition } from "./definition.ts";
import type { DrawableGraph } from "./draw/drawable.ts";
import { drawable } from "./drawing.ts";

/** Options of `compile`. */
export interface CompileOptions {
  /** Names the graph in messages and drawings. Default "StateGraph". */
  readonly name?: string | undefined;
  /**
   * Keeps the runs and their threads: `new MemorySaver()`, or `SqliteSaver` of `superstep/sqlite`. Each run
   * then needs `configurable.thread_id`. Default: none, and nothing outlives a run.
   */
  readonly checkpointer?: RunSaver | undefined;
}

/** What one mode streams. */
interface ChunkOf<State, Updates> {
  readonly values: State;
  readonly updates: Updates;
  readonly messages: readonly [message: StreamedMessage, metadata: MessageMetadata];
  readonly custom: unknown;
}

/** What `stream` yields for one mode, or `[mode, chunk]` pairs for a list of modes. */
export type StreamItem<State, Updates, Mode> = Mode extends readonly (infer Each)[]
  ? { [Key in Each & StreamMode]: readonly [Key, ChunkOf<State, Updates>[Key]] }[Each & StreamMode]
  : ChunkOf<State, Updates>[Mode & StreamMode];

/** What nodes wrote, by node; one node in each chunk. Any name where the names are not known. */
export type UpdatesOf<Update, Nodes extends string> = string extends Nodes
  ? Readonly<Record<string, Update>>
  : { readonly [Node in Nodes]?: Update };

/** A graph that can run: any number of times, also at the same time. */
export class CompiledStateGraph<State, Update, Nodes extends string = string> {
  readonly name: string;
  readonly #definition: GraphDefinition;
  readonly #plan: Plan;
  readonly #checkpointer: RunSaver | undefined;

  /** Made by `StateGraph.compile`. */
  constructor(definition: GraphDefinition, plan: Plan, checkpointer: RunSaver | undefined) {
    this.name = plan.name;
    this.#checkpointer = checkpointer;
    this.#definition = definition;
    this.#plan = plan;
  }

  /**
   * Runs the graph to its end and resolves with the last state, which is immutable.
   *
   * `input` is an update of the state (`{}` runs on the defaults), or a `Command` with update and
   * goto. Rejects with the error of the node that failed, the same object, located by
   * `errorLocation`; `AGGREGATE_TASK_FAILURE` when several did; `GRAPH_RECURSION_LIMIT`; the reason
   * of an aborted signal; or what was wrong with input, options, updates or routes.
   */
  async invoke(
    input: Update | Command<unknown, Update> | null,
    options?: RunOptions,
  ): Promise<State> {
    const run = openRun(this.#plan, ownInput(input), this.#settings(options));
    return (await finish(run)) as State; // the builder checked the keys; the engine is untyped
  }

  /**
   * Runs the graph and yields what happens, as `streamMode` asks. Nothing runs until it is read;
   * leaving the loop cancels the run. Rejects as `invoke` does.
   */
  stream<const Mode extends StreamMode | readonly StreamMode[] = "updates">(
    input: Update | Command<unknown, Update> | null,
    options?: StreamOptions & { readonly streamMode?: Mode | undefined },
  ): RunStream<StreamItem<State, UpdatesOf<Update, Nodes>, Mode>> {
    // What was given is taken now; the run begins, and mistakes are told, when it is read.
    const { streamMode = "updates", ...runOptions } = options ?? {};
    const isRecord = isPlain(options) && !Array.isArray(options);
    const given = options === undefined || isRecord ? runOptions : options;
    const asked = Array.isArray(streamMode) ? [...(streamMode as StreamMode[])] : streamMode;
    const own = ownInput(input);
    const open = () => {
      const settings = this.#settings(given);
      const modes = resolveModes(asked);
      const sink = { modes, queue: new ChunkQueue<Chunk>(), streamed: new Set<string>() };
      return openRun(this.#plan, own, settings, sink);
    };
    const itemOf = Array.isArray(streamMode)
      ? ({ mode, payload }: Chunk) => [mode, payload]
      : ({ payload }: Chunk) => payload;
    return new RunStream(open, itemOf as never);
  }

  #settings(options: RunOptions | undefined): RunSettings {
    return resolveOptions(options, { checkpointer: this.#checkpointer, build: buildSteps(this) });
  }

  /**
   * Where a thread stands, or stood at `configurable.checkpoint_id`: its values, with the results of
   * tasks that have ended in a superstep that has not; and what is due next, which is nothing when
   * the last run came to its end. A thread that does not exist has no values and nothing due.
   *
   * Rejects with `MISSING_CHECKPOINTER` without a saver, `MISSING_THREAD_ID`, `CORRUPT_CHECKPOINT`,
   * `SAVER_ERROR`.
   */
  async getState(config: ThreadConfig): Promise<StateSnapshot<State>> {
    const { checkpointer, configurable } = resolveOptions(
      { configurable: config?.configurable, checkpointer: config?.checkpointer },
      { checkpointer: this.#checkpointer, build: [] },
    );
    if (!checkpointer) {
      throw new GraphValueError(
        "MISSING_CHECKPOINTER",
        "The graph was compiled without a saver, so there is no stored state.",
        {
          fix: "Compile it with one, compile({ checkpointer: new MemorySaver() }); or use what invoke returns.",
        },
      );
    }
    const { readSnapshot } = await import("../engine/snapshot.ts");
    const snapshot = await readSnapshot(this.#plan, checkpointer, configurable);
    return snapshot as StateSnapshot<State>;
  }

  /** The graph as nodes and edges, for `drawMermaid()` and `drawAscii()`. */
  getGraph(): DrawableGraph {
    return drawable(this.#definition);
  }
}
brand(CompiledStateGraph, "CompiledStateGraph");
