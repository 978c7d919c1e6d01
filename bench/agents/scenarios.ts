// The scenarios of agents: what is run, how large, and by whom.
import { type Run, verify } from "../scenario.ts";
import type { AgentContestant, TokenStream } from "./contestant.ts";

export interface AgentCase {
  readonly size: number;
  /** Whether the libraries take part beside Superstep and the loop by hand; `full`: with `--full`. */
  readonly libraries: "always" | "full";
  /** Whether the loops that check arguments take part. */
  readonly zod: boolean;
}

export interface AgentScenario {
  readonly name: string;
  /** What the cost is divided by. */
  readonly unit: "round" | "call" | "token";
  readonly about: string;
  readonly cases: readonly AgentCase[];
  /** How many units one run of that size has. */
  readonly units: (size: number) => number;
  /** The ways in which a contestant runs it. */
  readonly programs: (contestant: AgentContestant, item: AgentCase) => readonly Program[];
}

export interface Program {
  readonly label: string;
  readonly run: Run;
}

const parallelCalls = 10;

function toolLoops(calls: number): AgentScenario["programs"] {
  return ({ loops }, { size: rounds, zod }) =>
    loops
      .filter((loop) => zod || !loop.zod)
      .map(({ label, make }) => ({ label, run: make({ rounds, calls }) }));
}

/** Reads a stream to its end and checks that all has come. */
function readAll({ open, textOf }: TokenStream, pieces: readonly string[]): Run {
  const expected = pieces.join("").length;
  return async () => {
    let length = 0;
    for await (const chunk of await open(pieces)) length += textOf(chunk).length;
    verify("the length of the text", length, expected);
  };
}

const agentRounds: AgentScenario = {
  name: "agent-rounds",
  unit: "round",
  about: "one tool call a round",
  cases: [
    { size: 10, libraries: "always", zod: false },
    { size: 100, libraries: "always", zod: true },
    { size: 1000, libraries: "full", zod: false },
  ],
  units: (rounds) => rounds,
  programs: toolLoops(1),
};

const agentParallel: AgentScenario = {
  name: "agent-parallel",
  unit: "call",
  about: "ten tool calls a round",
  cases: [{ size: 10, libraries: "always", zod: true }],
  units: (rounds) => rounds * parallelCalls,
  programs: toolLoops(parallelCalls),
};

const tokens: AgentScenario = {
  name: "tokens",
  unit: "token",
  about: "an answer that is streamed",
  cases: [{ size: 10_000, libraries: "always", zod: false }],
  units: (size) => size,
  programs({ streams }, { size }) {
    const pieces = Array.from({ length: size }, (_, index) => ` word${index % 10}`);
    return streams.map((stream) => ({ label: stream.label, run: readAll(stream, pieces) }));
  },
};

export const agentScenarios: readonly AgentScenario[] = [agentRounds, agentParallel, tokens];
