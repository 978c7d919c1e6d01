import type { Item, Segment } from "./layers.ts";
import { textWidth } from "./text.ts";

type Layers = readonly (readonly Item[])[];

const rounds = 16;
/** A line that is off by no more than this is pulled straight. */
const snap = 3;

/** Gives every item its width, its ports and its column. */
export function place(layers: Layers): void {
  for (const item of layers.flat()) openPorts(item);
  for (const layer of layers) moveTo(layer, spread(layer, packed(layer)));
  for (let round = 0; round < rounds; round++) {
    for (const layer of round % 2 === 0 ? layers : layers.toReversed()) {
      moveTo(layer, spread(layer, layer.map(balanced)));
    }
  }
  for (const layer of layers) {
    moveTo(layer, spread(layer, layer.map(straightened)).map(Math.round));
    separate(layer);
  }
  const left = layers.flat().reduce((least, item) => Math.min(least, item.x), Infinity);
  for (const item of layers.flat()) item.x -= left;
}

export function upperColumn({ upper, upperPort }: Segment): number {
  return upper.x + upperPort;
}

export function lowerColumn({ lower, lowerPort }: Segment): number {
  return lower.x + lowerPort;
}

/** Lines meet a box two columns apart, in the order of where they come from. */
function openPorts(item: Item): void {
  const above = item.above.toSorted((a, b) => a.upper.index - b.upper.index || a.line - b.line);
  const below = item.below.toSorted((a, b) => a.lower.index - b.lower.index || a.line - b.line);
  if (item.label !== undefined) {
    const ports = Math.max(above.length, below.length);
    item.width = Math.max(textWidth(item.label) + 4, 2 * ports + 1);
  }
  const port = (i: number, count: number): number =>
    Math.floor((item.width - 2 * count + 1) / 2) + 2 * i;
  for (const [i, segment] of above.entries()) segment.lowerPort = port(i, above.length);
  for (const [i, segment] of below.entries()) segment.upperPort = port(i, below.length);
}

function moveTo(layer: readonly Item[], columns: readonly number[]): void {
  for (const [i, item] of layer.entries()) item.x = columns[i] ?? item.x;
}

/** The distance from the left side of an item to the left side of its right neighbour. */
function pitch(left: Item, right: Item): number {
  return left.width + (left.label !== undefined && right.label !== undefined ? 3 : 2);
}

/** Where each item would be if the layer were packed from column 0. */
function offsets(layer: readonly Item[]): number[] {
  let x = 0;
  return layer.map((item, i) => {
    const left = layer[i - 1];
    if (left !== undefined) x += pitch(left, item);
    return x;
  });
}

function packed(layer: readonly Item[]): number[] {
  const starts = offsets(layer);
  const width = (starts.at(-1) ?? 0) + (layer.at(-1)?.width ?? 0);
  return starts.map((x) => x - width / 2);
}

/**
 * The columns nearest to the wanted ones, by least squares, that keep order and pitch. Items that
 * push each other form a group, which stands at the mean of what its members want.
 */
function spread(layer: readonly Item[], wanted: readonly number[]): number[] {
  const starts = offsets(layer);
  const groups: { sum: number; count: number }[] = [];
  for (const [i, start] of starts.entries()) {
    let group = { sum: (wanted[i] ?? 0) - start, count: 1 };
    for (let left = groups.at(-1); left && mean(left) > mean(group); left = groups.at(-1)) {
      group = { sum: left.sum + group.sum, count: left.count + group.count };
      groups.pop();
    }
    groups.push(group);
  }
  const shifts = groups.flatMap((group) => Array<number>(group.count).fill(mean(group)));
  return starts.map((start, i) => start + (shifts[i] ?? 0));
}

function mean({ sum, count }: { readonly sum: number; readonly count: number }): number {
  return sum / count;
}

/** The column at which the lines of an item are straight on average. */
function balanced(item: Item): number {
  const lines = item.above.length + item.below.length;
  if (lines === 0) return item.x;
  const above = item.above.map((segment) => upperColumn(segment) - segment.lowerPort);
  const below = item.below.map((segment) => lowerColumn(segment) - segment.upperPort);
  return [...above, ...below].reduce((sum, x) => sum + x, 0) / lines;
}

function straightened(item: Item): number {
  const shifts = item.above.map((segment) => upperColumn(segment) - lowerColumn(segment));
  const [nearest = 0] = shifts.toSorted((a, b) => Math.abs(a) - Math.abs(b));
  return Math.abs(nearest) <= snap ? item.x + nearest : item.x;
}

/**
 * Moves items so that no line comes in at or beside a column where another line starts down:
 * then two lines never share a column, whichever rows they turn in.
 */
function separate(layer: readonly Item[]): void {
  const starts = new Map<number, Segment>();
  for (const segment of layer.flatMap((item) => item.above)) {
    starts.set(upperColumn(segment), segment);
  }
  const clashes = (item: Item, x: number): boolean =>
    item.above.some((segment) =>
      [-1, 0, 1].some((near) => {
        const other = starts.get(x + segment.lowerPort + near);
        return other !== undefined && other !== segment;
      }),
    );
  for (const [i, item] of layer.entries()) {
    const left = layer[i - 1];
    const least = left === undefined ? -Infinity : left.x + pitch(left, item);
    const wanted = Math.max(item.x, least);
    let distance = 0;
    while (clashes(item, wanted + distance)) {
      // 0, -1, 1, -2, 2, ... but not into the left neighbour.
      distance = distance < 0 ? -distance : -distance - 1;
      if (wanted + distance < least) distance = -distance;
    }
    item.x = wanted + distance;
  }
}
