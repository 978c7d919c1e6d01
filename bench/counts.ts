// Promises created and bytes allocated for each further unit of a run. Neither depends on the machine.
//
// A process of its own, which main.ts starts: its young generation is so large that no garbage is
// collected inside a measured run, and the promise hook slows all code that has once run under it.
import { createHook } from "node:async_hooks";
import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { type Contestant, type Name, loadContestants } from "./contestants.ts";
import { median, second, warmUp } from "./measure.ts";
import { readOptions } from "./options.ts";
import { names } from "./scenarios.ts";
import type { Run, Scenario } from "./scenario.ts";
import { channels } from "./scenarios/channels.ts";
import { loop } from "./scenarios/loop.ts";
import { sendsSum } from "./scenarios/sends.ts";

type Costs = Partial<Record<Name, number>>;

export interface CountRow {
  readonly scenario: string;
  readonly unit: string;
  /** The sizes of the two runs whose difference is counted. */
  readonly from: number;
  readonly to: number;
  readonly promises: Readonly<Costs>;
  readonly bytes: Readonly<Costs>;
}

interface Pair {
  readonly scenario: Scenario;
  readonly from: number;
  readonly to: number;
}

// Small enough for the young generation: LangGraph.js allocates some 200 KB a superstep.
const pairs: readonly Pair[] = [
  { scenario: loop, from: 20, to: 220 },
  { scenario: sendsSum, from: 50, to: 150 },
  { scenario: channels, from: 5, to: 25 },
];

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as (options: { type: "minor" }) => void;

async function bytesOf(run: Run): Promise<number> {
  const samples: number[] = [];
  for (let round = 0; round < 9; round++) {
    collect({ type: "minor" });
    const before = getHeapStatistics().used_heap_size;
    await run();
    samples.push(getHeapStatistics().used_heap_size - before);
  }
  return median(samples);
}

async function promisesOf(run: Run): Promise<number> {
  let promises = 0;
  const hook = createHook({
    init(_id, type) {
      if (type === "PROMISE") promises++;
    },
  });
  hook.enable();
  await run();
  hook.disable();
  return promises;
}

type Meter = (run: Run) => Promise<number>;

/** What a unit adds: the difference of two runs leaves out what each run costs once. */
async function perUnit(meter: Meter, { make }: Contestant, pair: Pair): Promise<number> {
  const { scenario, from, to } = pair;
  const [short, long] = [make(scenario, from), make(scenario, to)];
  await warmUp(short, second / 2);
  await warmUp(long, second / 2);
  const difference = (await meter(long)) - (await meter(short));
  return difference / (scenario.units(to) - scenario.units(from));
}

async function meterAll(
  meter: Meter,
  contestants: readonly Contestant[],
): Promise<readonly Costs[]> {
  const all: Costs[] = [];
  for (const pair of pairs) {
    const costs: Costs = {};
    for (const contestant of contestants) {
      costs[contestant.name] = await perUnit(meter, contestant, pair);
    }
    all.push(costs);
  }
  return all;
}

const contestants = await loadContestants(readOptions(process.argv.slice(2), names));
const bytes = await meterAll(bytesOf, contestants);
const promises = await meterAll(promisesOf, contestants);
const rows: readonly CountRow[] = pairs.map(({ scenario, from, to }, index) => ({
  scenario: scenario.name,
  unit: scenario.unit,
  from,
  to,
  promises: promises[index] ?? {},
  bytes: bytes[index] ?? {},
}));
process.stdout.write(JSON.stringify(rows));
