// The tables of agents: cost of each program, cost of growth, greatest lead.
import { formatNumber, formatRatio, formatTable } from "../table.ts";
import type { LeadRow } from "./lead.ts";
import type { AgentRow } from "./rows.ts";

const formatSize = (size: number): string => size.toLocaleString("en-US");

/** The first program of a contestant in the same case is what the others are compared with. */
function firstOf(rows: readonly AgentRow[], row: AgentRow, name: string): number | undefined {
  return rows.find(
    ({ scenario, size, contestant }) =>
      scenario === row.scenario && size === row.size && contestant === name,
  )?.cost.median;
}

export function agentTable(rows: readonly AgentRow[]): string {
  const head = ["scenario", "size", "unit", "contestant", "program", "cost", "least"];
  const body = rows.map((row) => [
    row.scenario,
    formatSize(row.size),
    row.unit,
    row.contestant,
    row.label,
    formatNumber(row.cost.median),
    formatNumber(row.cost.least),
    formatRatio(row.cost.median, firstOf(rows, row, "superstep")),
    formatRatio(row.cost.median, firstOf(rows, row, "plain")),
  ]);
  return formatTable([...head, "to superstep", "to plain"], body);
}

/** Cost of a unit that the longer run has more: what a run costs once is not in it. */
function further(shorter: AgentRow, longer: AgentRow): number {
  const difference = longer.cost.median * longer.units - shorter.cost.median * shorter.units;
  return difference / (longer.units - shorter.units);
}

/** Empty when nothing was run in two sizes. */
export function agentGrowthTable(rows: readonly AgentRow[]): string | undefined {
  const body = rows.flatMap((row, index) => {
    const shorter = rows
      .slice(0, index)
      .findLast(
        ({ scenario, contestant, label }) =>
          scenario === row.scenario && contestant === row.contestant && label === row.label,
      );
    if (!shorter) return [];
    const range = `${formatSize(shorter.size)} to ${formatSize(row.size)}`;
    const cost = formatNumber(further(shorter, row));
    return [[row.scenario, range, row.unit, row.contestant, row.label, cost]];
  });
  if (body.length === 0) return undefined;
  return formatTable(["scenario", "sizes", "unit", "contestant", "program", "cost"], body);
}

export function leadTable(rows: readonly LeadRow[]): string {
  const body = rows.map(({ contestant, label, tokens, lead }) => [
    contestant,
    label,
    formatSize(tokens),
    formatSize(lead),
  ]);
  return formatTable(["contestant", "program", "tokens", "greatest lead"], body);
}
