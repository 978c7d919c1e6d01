// Measures every case of the chosen scenarios of agents.
import { compare, type Measurement, second, warmUp } from "../measure.ts";
import type { Options } from "../options.ts";
import type { AgentContestant, AgentName } from "./contestant.ts";
import type { AgentCase, AgentScenario, Program } from "./scenarios.ts";

export interface AgentRow {
  readonly scenario: string;
  readonly size: number;
  readonly unit: string;
  /** Units in one run. */
  readonly units: number;
  readonly contestant: AgentName;
  /** What of the contestant is used. */
  readonly label: string;
  /** CPU microseconds of one unit. */
  readonly cost: Measurement;
}

/** A large library takes a while until its hot paths are compiled; the first case must not pay it. */
async function warmUpAll(contestants: readonly AgentContestant[]): Promise<void> {
  for (const { loops } of contestants) {
    for (const { make } of loops) await warmUp(make({ rounds: 100, calls: 1 }), second / 2);
  }
}

const takesPart = (name: AgentName, { libraries }: AgentCase, full: boolean): boolean =>
  name === "superstep" || name === "plain" || libraries === "always" || full;

interface Entry extends Program {
  readonly contestant: AgentName;
}

export async function measureAgents(
  scenarios: readonly AgentScenario[],
  contestants: readonly AgentContestant[],
  { rounds, full }: Options,
): Promise<readonly AgentRow[]> {
  if (scenarios.length > 0) await warmUpAll(contestants);
  const rows: AgentRow[] = [];
  for (const { name, unit, cases, programs, units: unitsOf } of scenarios) {
    for (const item of cases) {
      const entries: Entry[] = contestants
        .filter((contestant) => takesPart(contestant.name, item, full))
        .flatMap((contestant) =>
          programs(contestant, item).map((each) => ({ ...each, contestant: contestant.name })),
        );
      const runs = entries.map(({ run }) => run);
      const units = unitsOf(item.size);
      const measurements = await compare(runs, rounds);
      for (const [index, { median, least, rounds: measured }] of measurements.entries()) {
        const entry = entries[index];
        if (entry === undefined) continue;
        const { contestant, label } = entry;
        const cost = { median: median / units, least: least / units, rounds: measured };
        rows.push({ scenario: name, size: item.size, unit, units, contestant, label, cost });
      }
    }
  }
  return rows;
}
