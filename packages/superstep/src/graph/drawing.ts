import { END, START } from "../engine/command.ts";
import type { GraphDefinition } from "./definition.ts";
import { type DrawableEdge, DrawableGraph, type DrawableNode } from "./draw/drawable.ts";

/** The picture of a graph: every edge that it may take. A node that leads nowhere leads to END. */
export function drawable(graph: GraphDefinition): DrawableGraph {
  const nodes: DrawableNode[] = [{ id: START, name: START }];
  for (const [name, { metadata }] of graph.nodes) {
    nodes.push({ id: name, name, ...(metadata && { metadata }) });
  }
  const edges = edgesOf(graph);
  if (edges.some(({ target }) => target === END)) nodes.push({ id: END, name: END });
  return new DrawableGraph(nodes, edges);
}

function edgesOf(graph: GraphDefinition): readonly DrawableEdge[] {
  const edges = new Map<string, DrawableEdge>();
  const add = (edge: DrawableEdge): void => {
    edges.set(JSON.stringify([edge.source, edge.target, edge.data, edge.conditional]), edge);
  };
  for (const { source, target } of graph.edges) add({ source, target, conditional: false });
  for (const { sources, target } of graph.joins) {
    for (const source of sources) add({ source, target, conditional: false });
  }
  for (const { source, targets } of graph.branches) {
    if (targets) {
      for (const [data, target] of targets) {
        add({ source, target, conditional: true, ...(data !== target && { data }) });
      }
    } else {
      for (const target of [...graph.nodes.keys(), END]) add({ source, target, conditional: true });
    }
  }
  for (const [source, { ends }] of graph.nodes) {
    for (const target of ends ?? []) add({ source, target, conditional: true });
  }
  const leading = new Set([...edges.values()].map(({ source }) => source));
  for (const source of graph.nodes.keys()) {
    if (!leading.has(source)) add({ source, target: END, conditional: false });
  }
  return [...edges.values()];
}
