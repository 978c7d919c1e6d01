// What takes part in the scenarios of agents: ways to run a tool loop, and ways to stream tokens.
import type { Run } from "../scenario.ts";
import type { Script } from "./script.ts";

export type AgentName = "superstep" | "langchain" | "ai-sdk" | "plain";

export interface ToolLoop {
  /** What of the library is used. */
  readonly label: string;
  /** Whether Zod checks the arguments of the tool. */
  readonly zod: boolean;
  readonly make: (script: Script) => Run;
}

export interface TokenStream {
  readonly label: string;
  /** Starts a run whose model streams these pieces, which it takes one after another. */
  readonly open: (pieces: readonly string[]) => Chunks | Promise<Chunks>;
  /** The text of a chunk that the run hands out. */
  readonly textOf: (chunk: unknown) => string;
}

type Chunks = AsyncIterable<unknown>;

export interface AgentContestant {
  readonly name: AgentName;
  readonly version?: string;
  readonly loops: readonly ToolLoop[];
  readonly streams: readonly TokenStream[];
}

/** A schema, as far as the loop written by hand uses it; the libraries take it as it is. */
export interface ArgsSchema {
  parse(args: unknown): { readonly input: string };
}
