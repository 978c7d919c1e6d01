// Measures every case of the chosen scenarios.
import type { Contestant, Name } from "./contestants.ts";
import { type Measurement, compare, second, warmUp } from "./measure.ts";
import type { Options } from "./options.ts";
import type { Case, Scenario } from "./scenario.ts";
import { loop } from "./scenarios/loop.ts";

export interface Row {
  readonly scenario: string;
  readonly size: number;
  readonly unit: string;
  /** Units in one run. */
  readonly units: number;
  /** CPU microseconds of one unit. */
  readonly costs: Readonly<Partial<Record<Name, Measurement>>>;
}

const takesPart = (name: Name, { langGraph }: Case, full: boolean): boolean =>
  name !== "langgraph" || langGraph === "always" || (full && langGraph === "full");

/** A large library takes seconds until its hot paths are compiled; the first case must not pay that. */
async function warmUpAll(contestants: readonly Contestant[]): Promise<void> {
  for (const { make } of contestants) {
    await warmUp(make(loop, 1000), 2 * second);
  }
}

export async function measureAll(
  scenarios: readonly Scenario[],
  contestants: readonly Contestant[],
  options: Options,
): Promise<readonly Row[]> {
  if (scenarios.length > 0) await warmUpAll(contestants);
  const rows: Row[] = [];
  for (const scenario of scenarios) {
    for (const item of scenario.cases) {
      const { size } = item;
      const present = contestants.filter(({ name }) => takesPart(name, item, options.full));
      const runs = present.map(({ make }) => make(scenario, size));
      const units = scenario.units(size);
      const measurements = await compare(runs, options.rounds);
      const costs: Partial<Record<Name, Measurement>> = {};
      for (const [index, { median, least, rounds }] of measurements.entries()) {
        const name = present[index]?.name ?? "plain";
        costs[name] = { median: median / units, least: least / units, rounds };
      }
      rows.push({ scenario: scenario.name, size, unit: scenario.unit, units, costs });
    }
  }
  return rows;
}
