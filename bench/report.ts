// The tables: cost of each case, cost of growth, counts.
import { arch, availableParallelism, cpus, platform } from "node:os";
import type { Contestant, Name } from "./contestants.ts";
import type { CountRow } from "./counts.ts";
import type { Row } from "./rows.ts";
import { formatNumber, formatRatio, formatTable } from "./table.ts";

type Costs = Readonly<Partial<Record<Name, number>>>;

export interface Report {
  readonly machine: string;
  readonly node: string;
  readonly versions: Readonly<Record<string, string>>;
  readonly rounds: number;
  readonly rows: readonly Row[];
  readonly counts: readonly CountRow[];
}

export function describe(
  contestants: readonly Contestant[],
  rounds: number,
): Omit<Report, "rows" | "counts"> {
  const model = cpus()[0]?.model.trim() ?? "unknown processor";
  const versions = contestants.flatMap(({ name, version }) =>
    version === undefined ? [] : [[name, version] as const],
  );
  return {
    machine: `${availableParallelism()} x ${model}, ${platform()} ${arch()}`,
    node: process.version,
    versions: Object.fromEntries(versions),
    rounds,
  };
}

const formatSize = (size: number): string => size.toLocaleString("en-US");

const costHead = ["superstep", "langgraph", "plain", "langgraph/superstep", "superstep/plain"];

const costCells = ({ superstep, langgraph, plain }: Costs): readonly string[] => [
  formatNumber(superstep),
  formatNumber(langgraph),
  formatNumber(plain),
  formatRatio(langgraph, superstep),
  formatRatio(superstep, plain),
];

const medians = ({ costs: { superstep, langgraph, plain } }: Row): Costs => ({
  ...(superstep && { superstep: superstep.median }),
  ...(langgraph && { langgraph: langgraph.median }),
  ...(plain && { plain: plain.median }),
});

function costTable(rows: readonly Row[]): string {
  const body = rows.map((row) => [
    row.scenario,
    formatSize(row.size),
    row.unit,
    ...costCells(medians(row)),
  ]);
  return formatTable(["scenario", "size", "unit", ...costHead], body);
}

/** Cost of a unit that the longer run has more: what a run costs once is not in it. */
function further(shorter: Row, longer: Row): Costs {
  const [low, high] = [medians(shorter), medians(longer)];
  const cost = (name: Name): Costs => {
    const [before, after] = [low[name], high[name]];
    if (before === undefined || after === undefined) return {};
    const difference = after * longer.units - before * shorter.units;
    return { [name]: difference / (longer.units - shorter.units) };
  };
  return { ...cost("superstep"), ...cost("langgraph"), ...cost("plain") };
}

function growthRows(rows: readonly Row[]): readonly (readonly string[])[] {
  return rows.flatMap((row, index) => {
    const shorter = rows[index - 1];
    if (shorter?.scenario !== row.scenario) return [];
    const range = `${formatSize(shorter.size)} to ${formatSize(row.size)}`;
    return [[row.scenario, range, row.unit, ...costCells(further(shorter, row))]];
  });
}

function countTable(rows: readonly CountRow[]): string {
  const body = rows.flatMap(({ scenario, unit, promises, bytes }) => [
    [scenario, unit, "promises", ...costCells(promises)],
    [scenario, unit, "bytes", ...costCells(bytes)],
  ]);
  return formatTable(["scenario", "unit", "counted", ...costHead], body);
}

export function formatReport({ rows, counts, ...about }: Report): string {
  const versions = Object.entries(about.versions).map(([name, version]) => `${name} ${version}`);
  const parts = [`Node ${about.node.slice(1)} on ${about.machine}\n${versions.join(", ")}`];
  if (rows.length > 0) {
    parts.push(
      `CPU microseconds of one unit: user and system, all threads, garbage included;\n` +
        `medians of up to ${about.rounds} interleaved rounds\n\n${costTable(rows)}`,
    );
  }
  const growth = growthRows(rows);
  if (growth.length > 0) {
    parts.push(
      `CPU microseconds of each further unit, from one size to the next: flat when it stays the same\n\n` +
        formatTable(["scenario", "sizes", "unit", ...costHead], growth),
    );
  }
  if (counts.length > 0) {
    parts.push(`Created and allocated for each further unit\n\n${countTable(counts)}`);
  }
  return parts.join("\n\n");
}
