import type { Command } from "../engine/command.ts";
import {
  resolveModes,
  resolveOptions,
  type RunOptions,
  type StreamMode,
  type StreamOptions,
} from "../engine/options.ts";
import type { MessageMetadata } from "../engine/emit.ts";
import type { Plan } from "../engine/plan.ts";
import { type Chunk, openRun } from "../engine/run.ts";
import { RunStream } from "../engine/run-stream.ts";
import { supersteps } from "../engine/superstep.ts";
import { brand } from "../errors/brand.ts";
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
interface ChunkOf<State, Update> {
  readonly values: State;
  readonly updates: Readonly<Record<string, Update>>;
  readonly messages: readonly [message: object, metadata: MessageMetadata];
  readonly custom: unknown;
}

/** What `stream` yields for one mode, or `[mode, chunk]` pairs for a list of modes. */
export type StreamItem<State, Update, Mode> = Mode extends readonly (infer Each)[]
  ? { [Key in Each & StreamMode]: readonly [Key, ChunkOf<State, Update>[Key]] }[Each & StreamMode]
  : ChunkOf<State, Update>[Mode & StreamMode];

/** A graph that can run: any number of times, also at the same time. */
export class CompiledStateGraph<State, Update> {
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
    const run = openRun(this.#plan, input, resolveOptions(options));
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
  ): RunStream<StreamItem<State, Update, Mode>> {
    const { streamMode = "updates", ...runOptions } = options ?? {};
    const open = () => {
      const modes = resolveModes(streamMode);
      const sink = { modes, queue: new ChunkQueue<Chunk>(), streamed: new Set<string>() };
      return openRun(this.#plan, input, resolveOptions(runOptions), sink);
    };
    const itemOf = Array.isArray(streamMode)
      ? ({ mode, payload }: Chunk) => [mode, payload]
      : ({ payload }: Chunk) => payload;
    return new RunStream(open, itemOf as (chunk: Chunk) => StreamItem<State, Update, Mode>);
  }

  /** The graph as nodes and edges, for `drawMermaid()` and `drawAscii()`. */
  getGraph(): DrawableGraph {
    return drawable(this.#definition);
  }
}
brand(CompiledStateGraph, "CompiledStateGraph");
