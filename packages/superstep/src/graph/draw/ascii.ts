import type { DrawableEdge, DrawableNode } from "./drawable.ts";
import {
  assignLayers,
  buildLayers,
  rowsOfLoners,
  type Item,
  type Link,
  type Segment,
} from "./layers.ts";
import { lowerColumn, place, upperColumn } from "./place.ts";
import { columns, displayName, textWidth } from "./text.ts";

/** A wider picture would wrap in most windows and be unreadable. */
const maxWidth = 120;
/** More lines than these are a thicket; routing the long ones would also take memory without end. */
const maxLinks = 250;

/**
 * Draws a graph in plain text, top to bottom. Solid lines are edges, dotted lines conditional
 * edges; a line never joins another one, it only crosses. Below the picture stand the labels and
 * the edges that are not drawn: self loops, and the long edges of a graph that is too wide or has
 * too many of them.
 */
export function drawAscii(nodes: readonly DrawableNode[], edges: readonly DrawableEdge[]): string {
  // Ids, not names: a nested node has the same name as others, its id tells where it is.
  const ids = nodes.map((node) => node.id);
  const links = drawableLinks(ids, edges);
  const linked = new Set(links.flatMap((link) => [link.source, link.target]));
  const layered = assignLayers(
    ids.filter((id) => linked.has(id)),
    links,
  );
  const height = [...layered.values()].reduce((most, layer) => Math.max(most, layer + 1), 0);
  const loners = ids.filter((id) => !linked.has(id));
  const layerOf = new Map([...layered, ...rowsOfLoners(loners, displayName, height)]);

  /** Negative for what leads back up; NaN, so neither, if an end is unknown. */
  const span = ({ source, target }: Link): number =>
    (layerOf.get(target) ?? NaN) - (layerOf.get(source) ?? NaN);
  const short = links.filter((link) => Math.abs(span(link)) === 1);
  let drawn = links.length > maxLinks ? short : links;
  let picture = drawPicture(layerOf, drawn);
  if (drawn !== short && picture.some((line) => textWidth(line) > maxWidth)) {
    drawn = short;
    picture = drawPicture(layerOf, drawn);
  }
  const shown = new Set(drawn.map(linkKey));
  const notes = edges
    .filter((edge) => edge.data !== undefined || !shown.has(linkKey(edge)))
    .map((edge) => note(edge, span(edge)));
  return [...picture, ...(notes.length > 0 ? [""] : []), ...new Set(notes)].join("\n");
}

function linkKey({ source, target, conditional }: Link): string {
  return JSON.stringify([source, target, conditional]);
}

/** One link for all edges that look the same; self loops have no place between layers. */
function drawableLinks(ids: readonly string[], edges: readonly DrawableEdge[]): readonly Link[] {
  const known = new Set(ids);
  const links = edges.filter(
    ({ source, target }) => source !== target && known.has(source) && known.has(target),
  );
  return [...new Map(links.map((link) => [linkKey(link), link])).values()];
}

function note(edge: DrawableEdge, span: number): string {
  const arrow = edge.conditional ? "..>" : "->";
  const loop = edge.source === edge.target || span < 0 ? " (loop)" : "";
  const label = edge.data === undefined ? "" : `: ${displayName(edge.data)}`;
  return `${displayName(edge.source)} ${arrow} ${displayName(edge.target)}${loop}${label}`;
}

/** Cells without text are left out. */
type Canvas = ((string | undefined)[] | undefined)[];

function drawPicture(layerOf: ReadonlyMap<string, number>, links: readonly Link[]): string[] {
  const layers = buildLayers(layerOf, links, displayName);
  place(layers);
  const canvas: Canvas = [];
  let row = 0;
  for (const layer of layers) {
    for (const item of layer) drawItem(canvas, row, item);
    row = drawLines(
      canvas,
      row + 3,
      layer.flatMap((item) => item.below),
    );
  }
  return Array.from(canvas, (cells = []) =>
    Array.from(cells, (cell = " ") => cell)
      .join("")
      .trimEnd(),
  );
}

function put(canvas: Canvas, row: number, column: number, char: string): void {
  (canvas[row] ??= [])[column] = char;
}

function drawItem(canvas: Canvas, row: number, item: Item): void {
  const { label, width, x } = item;
  if (label === undefined) {
    for (let i = 0; i < 3; i++) put(canvas, row + i, x, vertical(item.below[0]));
    return;
  }
  for (let i = 0; i < width; i++) {
    const side = i === 0 || i === width - 1;
    put(canvas, row, x + i, side ? "+" : "-");
    put(canvas, row + 1, x + i, side ? "|" : " ");
    put(canvas, row + 2, x + i, side ? "+" : "-");
  }
  let column = x + Math.floor((width - textWidth(label)) / 2);
  for (const char of label) {
    const taken = columns(char);
    const cells = canvas[row + 1];
    // A mark belongs to the cell before it; a wide character leaves an empty cell behind it.
    if (taken === 0 && cells) cells[column - 1] = `${cells[column - 1] ?? ""}${char}`;
    else put(canvas, row + 1, column, char);
    if (taken === 2) put(canvas, row + 1, column + 1, "");
    column += taken;
  }
}

function vertical(segment: Segment | undefined): string {
  return segment?.dashed === true ? ":" : "|";
}

/** Draws the lines between two layers and returns the row below them. */
function drawLines(canvas: Canvas, row: number, segments: readonly Segment[]): number {
  if (segments.length === 0) return row + 1;
  const { tracks, count } = assignTracks(segments);
  const lastRow = row + count + 1;
  for (const [segment, track] of tracks) {
    const from = Math.min(upperColumn(segment), lowerColumn(segment));
    const to = Math.max(upperColumn(segment), lowerColumn(segment));
    for (let x = from; x <= to; x++) {
      put(canvas, row + 1 + track, x, segment.dashed ? "." : "-");
    }
  }
  // After the horizontals: where lines cross, the vertical one is on top.
  for (const segment of segments) {
    const turn = row + 1 + (tracks.get(segment) ?? 0);
    for (let y = row; y <= lastRow; y++) {
      const column = y < turn ? upperColumn(segment) : lowerColumn(segment);
      const corner = y === turn && tracks.has(segment);
      put(canvas, y, column, corner ? "+" : vertical(segment));
      if (corner) put(canvas, y, upperColumn(segment), "+");
    }
    drawHead(canvas, segment, segment.upwards ? row : lastRow);
  }
  return lastRow + 1;
}

function drawHead(canvas: Canvas, segment: Segment, row: number): void {
  const { upper, lower, upwards } = segment;
  if (upwards && upper.label !== undefined) put(canvas, row, upperColumn(segment), "^");
  if (!upwards && lower.label !== undefined) put(canvas, row, lowerColumn(segment), "v");
}

/** Gives each line that is not straight a row to turn in, apart from the others in that row. */
function assignTracks(segments: readonly Segment[]): {
  readonly tracks: ReadonlyMap<Segment, number>;
  readonly count: number;
} {
  const turning = segments.filter((s) => upperColumn(s) !== lowerColumn(s));
  // In this order lines that fan out from one box do not cross: the outermost turns first.
  const ordered = [
    ...turning
      .filter((s) => upperColumn(s) < lowerColumn(s))
      .toSorted((a, b) => upperColumn(b) - upperColumn(a)),
    ...turning
      .filter((s) => upperColumn(s) > lowerColumn(s))
      .toSorted((a, b) => upperColumn(a) - upperColumn(b)),
  ];
  const rows: Segment[][] = [];
  const tracks = new Map<Segment, number>();
  for (const segment of ordered) {
    let track = rows.findIndex((row) => row.every((other) => apart(segment, other)));
    if (track === -1) track = rows.push([]) - 1;
    rows[track]?.push(segment);
    tracks.set(segment, track);
  }
  return { tracks, count: rows.length };
}

function apart(a: Segment, b: Segment): boolean {
  const [aFrom, aTo] = [upperColumn(a), lowerColumn(a)].toSorted((x, y) => x - y);
  const [bFrom, bTo] = [upperColumn(b), lowerColumn(b)].toSorted((x, y) => x - y);
  return (aTo ?? 0) + 1 < (bFrom ?? 0) || (bTo ?? 0) + 1 < (aFrom ?? 0);
}
