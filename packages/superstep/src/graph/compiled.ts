import type { Command } from "../engine/command.ts";
import {
  resolveModes,
  resolveOptions,
  type RunOptions,
  type StreamMode,
  type StreamOptions,
} from "../engine/options.ts";
import type { MessageMetadata, StreamedMessage } from "../engine/emit.ts";
import { ownInput } from "../engine/input.ts";
import type { Plan } from "../engine/plan.ts";
import { type Chunk, openRun } from "../engine/run.ts";
import { RunStream } from "../engine/run-stream.ts";
import { supersteps } from "../engine/superstep.ts";
import { isPlain } from "../channels/freeze.ts";
import { brand } from "../errors/brand.ts";
import { GraphValueError } from "../errors/errors.ts";
import { ChunkQueue } from "../stream/queue.ts";
import type { GraphDefinition } from "./definition.ts";
import type { DrawableGraph } from "./draw/drawable.ts";
import { drawable } from "./drawing.ts";

/** Options of `compile`. */
export interface CompileOptions {
  /** Names the graph in messages and drawings. Default "StateGraph". */
  readonly name?: string | undefined;
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

  /** Made by `StateGraph.compile`. */
  constructor(definition: GraphDefinition, plan: Plan) {
    this.name = plan.name;
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
    const run = openRun(this.#plan, ownInput(input), resolveOptions(options));
    const chunks = supersteps(run);
    for (;;) {
      const { done, value } = await chunks.next();
      if (done) return value as State; // the builder checked the keys; the engine is untyped
    }
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
      const settings = resolveOptions(given);
      const modes = resolveModes(asked);
      const sink = { modes, queue: new ChunkQueue<Chunk>(), streamed: new Set<string>() };
      return openRun(this.#plan, own, settings, sink);
    };
    const itemOf = Array.isArray(streamMode)
      ? ({ mode, payload }: Chunk) => [mode, payload]
      : ({ payload }: Chunk) => payload;
    return new RunStream(open, itemOf as never);
  }

  /**
   * The stored state of a thread. Needs a graph that was compiled with a saver: without one nothing
   * outlives a run, and this rejects with `MISSING_CHECKPOINTER`.
   */
  async getState(): Promise<never> {
    throw new GraphValueError(
      "MISSING_CHECKPOINTER",
      "The graph was compiled without a saver, so there is no stored state.",
      {
        fix: "Use what invoke returns, or stream mode values.",
      },
    );
  }

  /** The graph as nodes and edges, for `drawMermaid()` and `drawAscii()`. */
  getGraph(): DrawableGraph {
    return drawable(this.#definition);
  }
}
brand(CompiledStateGraph, "CompiledStateGraph");
