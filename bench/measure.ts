// CPU time of contestants whose rounds alternate, so that whatever else the machine does hits all.
import type { Run } from "./scenario.ts";

const millisecond = 1000;
export const second = 1000 * millisecond;

/** How long a block of runs takes at least; shorter ones are repeated. */
const blockTime = 100 * millisecond;
const warmUpTime = 300 * millisecond;
/** A run that takes longer is its own warm-up and counts. */
const slowRun = 1 * second;
/** What all later rounds of a slow contestant may take together. */
const slowBudget = 8 * second;

export interface Measurement {
  /** CPU microseconds of one run: the median of the rounds, and the least. */
  readonly median: number;
  readonly least: number;
  readonly rounds: number;
}

interface Plan {
  readonly run: Run;
  readonly repeats: number;
  readonly rounds: number;
  readonly samples: number[];
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * CPU microseconds, user and system and of all threads, of that many runs; what they leave to the
 * next turn of the event loop is their own cost. No garbage is collected on purpose: that makes the
 * engine throw away compiled code and shrink its young generation, which costs LangGraph.js half
 * as much again.
 */
async function cpuTime(run: Run, repeats: number): Promise<number> {
  await turn();
  const start = process.cpuUsage();
  for (let index = 0; index < repeats; index++) {
    await run();
  }
  await turn();
  const { user, system } = process.cpuUsage(start);
  return user + system;
}

/** Runs until that much CPU time is spent; answers how many runs make a block. */
export async function warmUp(run: Run, time: number): Promise<number> {
  let repeats = 1;
  for (let spent = 0; ;) {
    const latest = await cpuTime(run, repeats);
    const enough = Math.ceil((repeats * blockTime) / latest);
    spent += latest;
    if (spent >= time) return enough;
    repeats = Math.min(repeats * 2, enough);
  }
}

async function prepare(run: Run, rounds: number): Promise<Plan> {
  const first = await cpuTime(run, 1);
  if (first > slowRun) {
    const more = Math.min(rounds - 1, Math.floor(slowBudget / first));
    return { run, repeats: 1, rounds: more, samples: [first] };
  }
  return { run, repeats: await warmUp(run, warmUpTime), rounds, samples: [] };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const low = sorted[Math.ceil(middle) - 1] ?? Number.NaN;
  const high = sorted[Math.floor(middle)] ?? Number.NaN;
  return (low + high) / 2;
}

/** Measures the runs in turns: all do their first round, then all their second. */
export async function compare(
  runs: readonly Run[],
  rounds: number,
): Promise<readonly Measurement[]> {
  const plans: Plan[] = [];
  for (const run of runs) {
    plans.push(await prepare(run, rounds));
  }
  for (let round = 0; round < rounds; round++) {
    for (const plan of plans) {
      if (round >= plan.rounds) continue;
      // What the one before left behind is met by a run that does not count.
      if (plan.repeats > 1) await plan.run();
      plan.samples.push((await cpuTime(plan.run, plan.repeats)) / plan.repeats);
    }
  }
  return plans.map(({ samples }) => ({
    median: median(samples),
    least: Math.min(...samples),
    rounds: samples.length,
  }));
}
