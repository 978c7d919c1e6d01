// The tables: cost of each case, cost of growth, counts.
import { arch, availableParallelism, cpus, platform } from "node:os";
import type { LeadRow } from "./agents/lead.ts";
import { agentGrowthTable, agentTable, leadTable } from "./agents/report.ts";
import type { AgentRow } from "./agents/rows.ts";
import type { Name } from "./contestants.ts";
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
  readonly agentRows: readonly AgentRow[];
  readonly leads: readonly LeadRow[];
}

type About = Pick<Report, "machine" | "node" | "versions" | "rounds">;

export function describe(
  contestants: readonly { readonly name: string; readonly version?: string }[],
  rounds: number,
): About {
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

function costParts({ rows, rounds }: Report): readonly string[] {
  if (rows.length === 0) return [];
  const growth = growthRows(rows);
  const costs = `${costTitle(rounds)}\n\n${costTable(rows)}`;
  if (growth.length === 0) return [costs];
  const head = ["scenario", "sizes", "unit", ...costHead];
  return [costs, `${growthTitle}\n\n${formatTable(head, growth)}`];
}

function agentParts({ agentRows, rounds }: Report): readonly string[] {
  if (agentRows.length === 0) return [];
  const growth = agentGrowthTable(agentRows);
  const costs = `Agents: ${costTitle(rounds)}\n\n${agentTable(agentRows)}`;
  return growth === undefined ? [costs] : [costs, `Agents: ${growthTitle}\n\n${growth}`];
}

const costTitle = (rounds: number): string =>
  `CPU microseconds of one unit: user and system, all threads, garbage included;\n` +
  `medians of up to ${rounds} interleaved rounds`;

const growthTitle =
  "CPU microseconds of each further unit, from one size to the next: flat when it stays the same";

export function formatReport(report: Report): string {
  const { node, machine, counts, leads } = report;
  const versions = Object.entries(report.versions).map(([name, version]) => `${name} ${version}`);
  const parts = [`Node ${node.slice(1)} on ${machine}\n${versions.join(", ")}`];
  parts.push(...costParts(report));
  if (counts.length > 0) {
    parts.push(`Created and allocated for each further unit\n\n${countTable(counts)}`);
  }
  parts.push(...agentParts(report));
  if (leads.length > 0) {
    parts.push(`Tokens that a model gets ahead of a slow reader\n\n${leadTable(leads)}`);
  }
  return parts.join("\n\n");
}
