import { textWidth } from "./text.ts";

/** An edge to draw; both ends are known nodes and differ. */
export interface Link {
  readonly source: string;
  readonly target: string;
  readonly conditional: boolean;
}

/** A box, or a place where a long line passes a layer. Columns are filled in by `place`. */
export interface Item {
  readonly label: string | undefined;
  readonly above: Segment[];
  readonly below: Segment[];
  index: number;
  width: number;
  x: number;
}

/** The part of a line between two neighbouring layers. Ports are columns within the items. */
export interface Segment {
  readonly upper: Item;
  readonly lower: Item;
  readonly line: number;
  readonly dashed: boolean;
  /** The arrow points up: the link leads back to an earlier layer. */
  readonly upwards: boolean;
  upperPort: number;
  lowerPort: number;
}

const rowWidth = 72;
const sweeps = 12;

/** Orders nodes so that only the links of cycles lead backwards, as a depth-first walk finds them. */
function walkOrder(ids: readonly string[], targets: ReadonlyMap<string, string[]>): string[] {
  const seen = new Set<string>();
  const finished: string[] = [];
  for (const root of ids) {
    const stack = seen.has(root) ? [] : [{ id: root, next: 0 }];
    seen.add(root);
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const target = targets.get(top.id)?.[top.next++];
      if (target === undefined) {
        finished.push(top.id);
        stack.pop();
      } else if (!seen.has(target)) {
        seen.add(target);
        stack.push({ id: target, next: 0 });
      }
    }
  }
  return finished.toReversed();
}

/** The layer of each node: the longest way to it, not counting links that lead backwards. */
export function assignLayers(
  ids: readonly string[],
  links: readonly Link[],
): ReadonlyMap<string, number> {
  const targets = new Map<string, string[]>(ids.map((id) => [id, []]));
  for (const { source, target } of links) targets.get(source)?.push(target);
  const order = walkOrder(ids, targets);
  const position = new Map(order.map((id, i) => [id, i]));
  const forward = (id: string, from: number): string[] =>
    (targets.get(id) ?? []).filter((target) => (position.get(target) ?? 0) > from);

  const layers = new Map(ids.map((id) => [id, 0]));
  for (const [i, id] of order.entries()) {
    const next = (layers.get(id) ?? 0) + 1;
    for (const target of forward(id, i)) {
      layers.set(target, Math.max(layers.get(target) ?? 0, next));
    }
  }
  // A node that nothing leads to moves down to just above its first target.
  for (const [i, id] of order.entries()) {
    const below = forward(id, i).map((target) => layers.get(target) ?? 0);
    if (layers.get(id) === 0 && id !== ids[0] && below.length > 0) {
      layers.set(id, Math.min(...below) - 1);
    }
  }
  return layers;
}

/** Rows for the nodes without any link, below the picture and no wider than a terminal. */
export function rowsOfLoners(
  loners: readonly string[],
  label: (id: string) => string,
  firstLayer: number,
): ReadonlyMap<string, number> {
  const layers = new Map<string, number>();
  let row = firstLayer;
  let used = 0;
  for (const id of loners) {
    const width = textWidth(label(id)) + 7;
    if (used > 0 && used + width > rowWidth) {
      row++;
      used = 0;
    }
    used += width;
    layers.set(id, row);
  }
  return layers;
}

/** Puts boxes in layers and threads each link through the layers between its ends. */
export function buildLayers(
  layerOf: ReadonlyMap<string, number>,
  links: readonly Link[],
  label: (id: string) => string,
): readonly (readonly Item[])[] {
  const layers: Item[][] = [];
  const boxes = new Map<string, Item>();
  const add = (layer: number, text: string | undefined): Item => {
    const item: Item = { label: text, above: [], below: [], index: 0, width: 1, x: 0 };
    (layers[layer] ??= []).push(item);
    return item;
  };
  for (const [id, layer] of layerOf) boxes.set(id, add(layer, label(id)));
  for (const [line, { source, target, conditional }] of links.entries()) {
    const from = layerOf.get(source) ?? 0;
    const to = layerOf.get(target) ?? 0;
    const upwards = to < from;
    const end = boxes.get(upwards ? source : target);
    let upper = boxes.get(upwards ? target : source);
    for (let layer = Math.min(from, to) + 1; layer <= Math.max(from, to); layer++) {
      const lower = layer === Math.max(from, to) ? end : add(layer, undefined);
      if (upper === undefined || lower === undefined) break;
      const shape = { line, dashed: conditional, upwards, upperPort: 0, lowerPort: 0 };
      const segment: Segment = { upper, lower, ...shape };
      upper.below.push(segment);
      lower.above.push(segment);
      upper = lower;
    }
  }
  orderLayers(layers);
  return layers;
}

/** Sorts each layer by the mean position of the neighbours, down and up, so that few lines cross. */
function orderLayers(layers: readonly Item[][]): void {
  for (const layer of layers) number(layer);
  for (let sweep = 0; sweep < sweeps; sweep++) {
    const downwards = sweep % 2 === 0;
    for (const layer of downwards ? layers : layers.toReversed()) {
      const key = new Map(layer.map((item) => [item, barycenter(item, downwards)]));
      layer.sort((a, b) => (key.get(a) ?? 0) - (key.get(b) ?? 0));
      number(layer);
    }
  }
}

function number(layer: readonly Item[]): void {
  for (const [i, item] of layer.entries()) item.index = i;
}

function barycenter(item: Item, downwards: boolean): number {
  const segments = downwards ? item.above : item.below;
  const sum = segments.reduce((total, { upper, lower }) => {
    return total + (downwards ? upper : lower).index;
  }, 0);
  return segments.length === 0 ? item.index : sum / segments.length;
}
