import { drawMermaid, type MermaidOptions } from "./mermaid.ts";

/** A node of a drawing. `metadata` is shown by Mermaid under the name. */
export interface DrawableNode {
  readonly id: string;
  readonly name: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** An edge of a drawing. `data` is the label, such as the key of a path map. */
export interface DrawableEdge {
  readonly source: string;
  readonly target: string;
  readonly data?: string;
  readonly conditional: boolean;
}

const first = "__start__";
const last = "__end__";

/** The shape of a graph, for pictures and for tools. Plain data, frozen. */
export class DrawableGraph {
  /** By id, in order: `__start__`, the nodes as they were added, `__end__`. */
  readonly nodes: Readonly<Record<string, DrawableNode>>;
  readonly edges: readonly DrawableEdge[];
  /** A record lists integer-like keys first whatever their order, so the order is kept here. */
  readonly #ordered: readonly DrawableNode[];

  constructor(nodes: Iterable<DrawableNode>, edges: Iterable<DrawableEdge>) {
    const byId = new Map(Array.from(nodes, (node) => [node.id, node]));
    const all = [...byId.values()];
    this.#ordered = [
      ...all.filter((node) => node.id === first),
      ...all.filter((node) => node.id !== first && node.id !== last),
      ...all.filter((node) => node.id === last),
    ];
    // Without a prototype "__proto__" and "constructor" are names like any other.
    const record = Object.create(null) as Record<string, DrawableNode>;
    for (const node of this.#ordered) record[node.id] = node;
    this.nodes = Object.freeze(record);
    this.edges = Object.freeze([...edges]);
  }

  /** The graph as Mermaid flowchart text. */
  drawMermaid(options?: MermaidOptions): string {
    return drawMermaid(this.#ordered, this.edges, options);
  }

  /** The graph as a picture in plain text; the layout code is loaded on first use. */
  async drawAscii(): Promise<string> {
    const { drawAscii } = await import("./ascii.ts");
    return drawAscii(this.#ordered, this.edges);
  }

  toJSON(): { nodes: DrawableNode[]; edges: DrawableEdge[] } {
    return { nodes: [...this.#ordered], edges: [...this.edges] };
  }
}
