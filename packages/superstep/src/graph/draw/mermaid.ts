import type { DrawableEdge, DrawableNode } from "./drawable.ts";
import { escapeText, mermaidIds, quoteLabel } from "./mermaid-text.ts";

export interface MermaidOptions {
  /** Also define shapes, classes and the curve style; without it only the edges are drawn. */
  readonly withStyles?: boolean;
  /** A curve of d3, such as `linear`, `basis` or `stepBefore`. */
  readonly curveStyle?: string;
  /** Mermaid class definitions by class name: `default`, `first`, `last`, or your own. */
  readonly nodeColors?: Readonly<Record<string, string>>;
  /** Labels of edges break into lines of this many words. */
  readonly wrapLabelNWords?: number;
}

const mermaidDefaults: Required<MermaidOptions> = {
  withStyles: true,
  curveStyle: "linear",
  nodeColors: {
    default: "fill:#f2f0ff,line-height:1.2",
    first: "fill-opacity:0",
    last: "fill:#bfb6fc",
  },
  wrapLabelNWords: 9,
};

/** Draws a graph as Mermaid flowchart text. Names "parent:child" go into subgraph blocks. */
export function drawMermaid(
  nodes: readonly DrawableNode[],
  edges: readonly DrawableEdge[],
  options: MermaidOptions = {},
): string {
  const { withStyles = true, curveStyle = mermaidDefaults.curveStyle } = options;
  const blocks = groupByNamespace(nodes, edges);
  const names = [
    ...nodes.map((node) => node.id),
    ...edges.flatMap((edge) => [edge.source, edge.target]),
  ];
  const taken = new Set<string>();
  const drawing: Drawing = {
    ids: mermaidIds(new Map(names.map((name) => [name, name])), taken),
    blocks,
    blockIds: mermaidIds(new Map(Array.from(blocks.keys(), (key) => [key, shortName(key)])), taken),
    wrapAt: Math.max(1, options.wrapLabelNWords ?? mermaidDefaults.wrapLabelNWords),
  };
  const lines = withStyles
    ? [`%%{init: {'flowchart': {'curve': '${curveStyle}'}}}%%`, "graph TD;"]
    : ["graph TD;"];
  for (const node of nodes) {
    if (withStyles || needsLine(node, drawing, edges)) {
      lines.push(`\t${nodeText(node, drawing, withStyles)}`);
    }
  }
  for (const line of blockLines("", drawing)) lines.push(line);
  if (withStyles) {
    const colors = Object.entries(options.nodeColors ?? mermaidDefaults.nodeColors);
    for (const [name, style] of colors) lines.push(`\tclassDef ${name} ${style};`);
  }
  return `${lines.join("\n")}\n`;
}

interface Drawing {
  readonly ids: ReadonlyMap<string, string>;
  readonly blocks: ReadonlyMap<string, Block>;
  /** Apart from `ids`, since a node may have the name of a namespace. */
  readonly blockIds: ReadonlyMap<string, string>;
  readonly wrapAt: number;
}

/** What a subgraph block holds; the block of the namespace "" is the whole chart. */
interface Block {
  readonly edges: DrawableEdge[];
  readonly nodes: string[];
  readonly children: string[];
}

/** "a:b:c" is the node c in the namespace a:b. A name with an empty part has no namespace. */
function namespaceOf(id: string): readonly string[] {
  const parts = id.split(":");
  return parts.includes("") ? [] : parts.slice(0, -1);
}

function shortName(name: string): string {
  const namespace = namespaceOf(name).join(":");
  return namespace === "" ? name : name.slice(namespace.length + 1);
}

function commonNamespace({ source, target }: DrawableEdge): readonly string[] {
  const a = namespaceOf(source);
  const b = namespaceOf(target);
  const differs = a.findIndex((part, i) => part !== b[i]);
  return differs === -1 ? a : a.slice(0, differs);
}

function groupByNamespace(
  nodes: readonly DrawableNode[],
  edges: readonly DrawableEdge[],
): ReadonlyMap<string, Block> {
  const blocks = new Map<string, Block>([["", { edges: [], nodes: [], children: [] }]]);
  const blockOf = (namespace: readonly string[]): Block => {
    const key = namespace.join(":");
    let block = blocks.get(key);
    if (block === undefined) {
      block = { edges: [], nodes: [], children: [] };
      blocks.set(key, block);
      blockOf(namespace.slice(0, -1)).children.push(key);
    }
    return block;
  };
  for (const edge of edges) blockOf(commonNamespace(edge)).edges.push(edge);
  for (const { id } of nodes) blockOf(namespaceOf(id)).nodes.push(id);
  return blocks;
}

function nodeText(node: DrawableNode, { ids }: Drawing, withStyles: boolean): string {
  const label = quoteLabel(shortName(node.name), metadataHtml(node.metadata ?? {}));
  const id = ids.get(node.id);
  if (withStyles && node.id === "__start__") return `${id}([${label}]):::first`;
  if (withStyles && node.id === "__end__") return `${id}([${label}]):::last`;
  return `${id}(${label})`;
}

/** Without styles a node is defined by its edges, unless it has none or the id hides its name. */
function needsLine(node: DrawableNode, { ids }: Drawing, edges: readonly DrawableEdge[]): boolean {
  return (
    ids.get(node.id) !== node.name ||
    !edges.some((edge) => edge.source === node.id || edge.target === node.id)
  );
}

function metadataHtml(metadata: Readonly<Record<string, unknown>>): string {
  const lines = Object.entries(metadata).flatMap(([key, value]) => {
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    return values.every(isScalar) ? [`${escapeText(key)} = ${escapeText(values.join(","))}`] : [];
  });
  return lines.length === 0 ? "" : `<hr/><small><em>${lines.join("\n")}</em></small>`;
}

function isScalar(value: unknown): boolean {
  return ["string", "number", "boolean"].includes(typeof value);
}

function blockLines(namespace: string, drawing: Drawing): string[] {
  const block = drawing.blocks.get(namespace);
  if (block === undefined) return [];
  const edges = block.edges.map((edge) => `\t${edgeText(edge, drawing)}`);
  const children = block.children.flatMap((child) => blockLines(child, drawing));
  if (namespace === "") return [...edges, ...children];
  // A node belongs to the first block that mentions it, so inner blocks come before edges.
  const mentioned = new Set(block.edges.flatMap((edge) => [edge.source, edge.target]));
  const others = block.nodes.filter((id) => !mentioned.has(id));
  return [
    `\tsubgraph ${blockTitle(namespace, drawing)}`,
    ...children,
    ...others.map((id) => `\t${drawing.ids.get(id)};`),
    ...edges,
    "\tend",
  ];
}

function blockTitle(namespace: string, { blockIds }: Drawing): string {
  const id = blockIds.get(namespace);
  const title = shortName(namespace);
  // A bare "direction" and an id "TB…" on the next line would make a statement.
  return id === title && !id.endsWith("direction") ? title : `${id}["${escapeText(title)}"]`;
}

function edgeText({ source, target, data, conditional }: DrawableEdge, drawing: Drawing): string {
  const label = data === undefined ? "" : ` &nbsp;${wrapLabel(data, drawing.wrapAt)}&nbsp; `;
  const dotted = label === "" ? "-.->" : `-.${label}.->`;
  const solid = label === "" ? "-->" : `--${label}-->`;
  return `${drawing.ids.get(source)} ${conditional ? dotted : solid} ${drawing.ids.get(target)};`;
}

function wrapLabel(label: string, wrapAt: number): string {
  const words = label.split(" ");
  const lines = Array.from({ length: Math.ceil(words.length / wrapAt) }, (_, i) =>
    words.slice(i * wrapAt, (i + 1) * wrapAt).join(" "),
  );
  return lines.map(escapeText).join("&nbsp;<br>&nbsp;");
}
