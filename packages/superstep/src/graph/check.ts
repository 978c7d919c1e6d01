import { END, START } from "../engine/command.ts";
import { listNames } from "../errors/describe.ts";
import { SuperstepError, UnreachableNodeError } from "../errors/errors.ts";
import type { GraphDefinition } from "./definition.ts";

/** What can only be said of a whole graph: that names exist, and that each node can be reached. */
export function checkGraph(graph: GraphDefinition): void {
  checkNames(graph);
  const entries = [...graph.edges, ...graph.branches].some(({ source }) => source === START);
  if (!entries && !graph.joins.some(({ sources }) => sources.includes(START))) {
    throw new SuperstepError("MISSING_ENTRY_POINT", "No edge leads from START into the graph.", {
      fix: `Add one: addEdge(START, ${JSON.stringify([...graph.nodes.keys()][0] ?? "node")}).`,
    });
  }
  const reached = reachable(graph);
  const unreached = [...graph.nodes.keys()].filter((name) => !reached.has(name));
  if (unreached.length > 0) {
    throw new UnreachableNodeError(`No path leads from START to ${listNames(unreached)}.`, {
      fix: "Add an edge to each, or name it in the `ends` of the node whose Command leads there.",
    });
  }
}

function checkNames({ nodes, edges, joins, branches }: GraphDefinition): void {
  const unknown: string[] = [];
  const check = (name: string, where: string, other: string): void => {
    if (!nodes.has(name) && name !== other) unknown.push(`${JSON.stringify(name)} (${where})`);
  };
  for (const { source, target } of edges) {
    check(source, `source of an edge to ${JSON.stringify(target)}`, START);
    check(target, `target of an edge from ${JSON.stringify(source)}`, END);
  }
  for (const { sources, target } of joins) {
    for (const source of sources)
      check(source, `source of an edge to ${JSON.stringify(target)}`, START);
    check(target, `target of an edge from ${listNames(sources)}`, END);
  }
  for (const { source, name, targets } of branches) {
    check(source, `source of conditional edge ${JSON.stringify(name)}`, START);
    for (const target of targets?.values() ?? []) {
      check(target, `path map of ${JSON.stringify(name)} from ${JSON.stringify(source)}`, END);
    }
  }
  for (const [name, { ends }] of nodes) {
    for (const end of ends ?? []) check(end, `ends of ${JSON.stringify(name)}`, END);
  }
  if (unknown.length > 0) {
    throw new SuperstepError("UNKNOWN_NODE", `The graph has no node ${unknown.join(", ")}.`, {
      fix: `Use one of ${listNames(nodes.keys())}, or add the node.`,
    });
  }
}

/** Nodes that some path from START leads to. A conditional edge without a path map leads anywhere. */
function reachable(graph: GraphDefinition): ReadonlySet<string> {
  const next = successors(graph);
  const reached = new Set<string>();
  const pending = [START];
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    for (const target of next.get(name) ?? []) {
      if (target === END || reached.has(target)) continue;
      reached.add(target);
      pending.push(target);
    }
  }
  return reached;
}

function successors({ nodes, edges, joins, branches }: GraphDefinition): Map<string, string[]> {
  const next = new Map<string, string[]>();
  const lead = (source: string, targets: Iterable<string>): void => {
    const list = next.get(source);
    if (!list) return void next.set(source, [...targets]);
    for (const target of targets) list.push(target);
  };
  for (const { source, target } of edges) lead(source, [target]);
  for (const { sources, target } of joins) for (const source of sources) lead(source, [target]);
  for (const { source, targets } of branches) lead(source, targets?.values() ?? nodes.keys());
  for (const [name, { ends }] of nodes) lead(name, ends ?? []);
  return next;
}
