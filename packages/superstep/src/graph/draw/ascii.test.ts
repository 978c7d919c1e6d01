import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { drawAscii } from "./ascii.ts";
import type { DrawableEdge } from "./drawable.ts";
import { columns, displayName } from "./text.ts";

const nodes = (...ids: string[]) => ids.map((id) => ({ id, name: id }));

/** "a -> b" is an edge, "a ..> b" a conditional one, "a ..> b: yes" has a label. */
function edges(...texts: string[]): DrawableEdge[] {
  return texts.map((text) => {
    const [, source = "", arrow, target = "", data] =
      /^(.*) (->|\.\.>) ([^:]*)(?:: (.*))?$/.exec(text) ?? [];
    return { source, target, conditional: arrow === "..>", ...(data ? { data } : {}) };
  });
}

/** Reads a picture as a person would: follows each line from its box to its arrow head. */
function traceEdges(picture: string, names: readonly string[]): string[] {
  const grid = picture
    .split("\n")
    .map((line) => Array.from(line).flatMap((char) => (columns(char) === 2 ? [char, ""] : [char])));
  const at = (row: number, column: number): string => grid[row]?.[column] ?? " ";
  const boxes = names.map((name) => {
    const label = Array.from(displayName(name)).flatMap((c) => (columns(c) === 2 ? [c, ""] : [c]));
    const row = grid.findIndex((cells) => findBox(cells, label) !== undefined);
    const [left = 0, right = 0] = findBox(grid[row] ?? [], label) ?? [];
    return { name, row, left, right };
  });
  const boxAt = (row: number, column: number): string | undefined =>
    boxes.find((box) => Math.abs(box.row - row) <= 1 && box.left <= column && column <= box.right)
      ?.name;

  const follow = (startRow: number, startColumn: number, startDown: number): string => {
    let [row, column, down, right] = [startRow, startColumn, startDown, 0];
    for (;;) {
      const char = at(row, column);
      if (char === "v" || char === "^") return boxAt(row + down, column) ?? "nowhere";
      if (char === "+" && down !== 0) {
        right = "+-.".includes(at(row, column + 1)) ? 1 : -1;
        down = 0;
      } else if (char === "+") {
        right = 0;
        down = startDown;
      }
      row += down;
      column += right;
    }
  };
  return boxes.flatMap((box) =>
    [2, -2].flatMap((offset) =>
      Array.from({ length: box.right - box.left }, (_, i) => box.left + i).flatMap((column) => {
        const char = at(box.row + offset, column);
        if (char !== "|" && char !== ":") return [];
        const target = follow(box.row + offset, column, Math.sign(offset));
        return [`${displayName(box.name)} ${char === ":" ? "..>" : "->"} ${displayName(target)}`];
      }),
    ),
  );
}

function findBox(cells: readonly string[], label: readonly string[]): [number, number] | undefined {
  for (let i = 0; i + label.length <= cells.length; i++) {
    if (!label.every((char, j) => cells[i + j] === char)) continue;
    let [left, right] = [i - 1, i + label.length];
    while (cells[left] === " ") left--;
    while (cells[right] === " ") right++;
    // Spaces reach to the sides only if nothing else is in the box, so "n1" is not found in "n11".
    if (
      left < i - 1 &&
      right > i + label.length - 1 &&
      cells[left] === "|" &&
      cells[right] === "|"
    ) {
      return [left, right];
    }
  }
  return undefined;
}

/** All edges in the picture and in the notes below it, without labels, sorted. */
function readBack(text: string, names: readonly string[]): string[] {
  const [picture = "", notes = ""] = text.split(/\n\n(?=[^\n]*(?:->|\.\.>))/);
  const listed = notes.split("\n").map((line) => line.replace(/(?: \(loop\))?(?:: .*)?$/, ""));
  const all = [...traceEdges(picture, names), ...listed].filter((line) => line !== "");
  return [...new Set(all)].toSorted();
}

const show = ({ source, target, conditional }: DrawableEdge): string =>
  `${displayName(source)} ${conditional ? "..>" : "->"} ${displayName(target)}`;

function expectComplete(names: readonly string[], given: readonly DrawableEdge[]): string {
  const text = drawAscii(nodes(...names), given);
  expect(readBack(text, names)).toEqual([...new Set(given.map(show))].toSorted());
  return text;
}

describe("drawAscii", () => {
  test("draws the empty graph", () => {
    const text = drawAscii(nodes("__start__", "__end__"), edges("__start__ -> __end__"));
    expect(text).toBe(
      `
+-----------+
| __start__ |
+-----------+
      |
      v
 +---------+
 | __end__ |
 +---------+`.slice(1),
    );
  });

  test("draws nothing for no nodes", () => {
    expect(drawAscii([], [])).toBe("");
  });

  test("draws the loop of an agent and its tools", () => {
    const text = drawAscii(
      nodes("__start__", "agent", "tools", "__end__"),
      edges("__start__ -> agent", "agent ..> tools: yes", "agent ..> __end__", "tools -> agent"),
    );
    expect(text).toBe(
      `
   +-----------+
   | __start__ |
   +-----------+
         |
         v
     +-------+
     | agent |
     +-------+
       : ^ :
   +...+ | +.....+
   : +---+       :
   v |           v
+-------+   +---------+
| tools |   | __end__ |
+-------+   +---------+

agent ..> tools: yes`.slice(1),
    );
  });

  test("draws lines side by side where branches meet", () => {
    const text = drawAscii(
      nodes("a", "b", "c", "d", "join"),
      edges("a -> b", "a -> c", "a -> d", "b -> join", "c -> join", "d -> join"),
    );
    expect(text).toBe(
      `
       +-----+
       |  a  |
       +-----+
        | | |
  +-----+ | +-----+
  v       v       v
+---+   +---+   +---+
| b |   | c |   | d |
+---+   +---+   +---+
  |       |       |
  +-----+ | +-----+
        v v v
       +------+
       | join |
       +------+`.slice(1),
    );
  });

  test("lists self loops, labels and edges to unknown nodes below the picture", () => {
    const text = drawAscii(
      nodes("a", "b"),
      edges("a -> b", "a -> a", "b ..> a: again", "b -> lost", "b ..> a: once more"),
    );
    expect(text.split("\n\n")[1]?.split("\n")).toEqual([
      "a -> a (loop)",
      "b ..> a (loop): again",
      "b -> lost",
      "b ..> a (loop): once more",
    ]);
  });

  test("draws parallel edges once for each kind", () => {
    expectComplete(["a", "b"], edges("a -> b", "a -> b", "a ..> b", "b -> a"));
  });

  test("sets nodes without edges in rows below", () => {
    const names = Array.from({ length: 20 }, (_, i) => `n${i}`);
    const text = expectComplete(["__start__", "__end__", ...names], edges("__start__ -> __end__"));
    expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThan(80);
  });

  test("counts wide characters as two columns and marks as none", () => {
    const names = ["研究员", "e\u0301a", "🎉"];
    const text = expectComplete(
      names,
      edges("研究员 -> e\u0301a", "e\u0301a ..> 🎉", "🎉 -> 研究员"),
    );
    expect(text).toMatch(/^ *\+--------\+\n *\| 研究员 \|\n *\+--------\+\n/);
    expect(text).toContain("| e\u0301a |");
  });

  test("draws hostile names on one line each", () => {
    const names = [
      "__proto__",
      "constructor",
      "",
      " ",
      "a\nb",
      "a -> b",
      '"a\\nb"',
      "a|b",
      "\u202Ex",
      "\uD800",
    ];
    const text = expectComplete(
      names,
      names.map((target) => ({ source: "__proto__", target, conditional: false })),
    );
    expect(text).toContain('"a\\nb"');
    expect(text).toContain('"\\u202ex"');
  });

  test("lists long edges when the picture would be too wide", () => {
    const names = Array.from({ length: 24 }, (_, i) => `node number ${i}`);
    const all = names.flatMap((source, i) =>
      names.slice(i + 1).map((target) => ({ source, target, conditional: false })),
    );
    const text = expectComplete(names, all);
    expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThan(121);
    expect(text).toContain("node number 0 -> node number 2");
  });

  test("draws a chain of a thousand nodes", () => {
    const names = Array.from({ length: 1000 }, (_, i) => `n${i}`);
    const chain = names
      .slice(1)
      .map((target, i) => edges(`n${i} -> ${target}`))
      .flat();
    expect(drawAscii(nodes(...names), chain).split("\n")).toHaveLength(5 * 999 + 3);
  });

  test("shows every node in one box and every edge, and always draws the same", () => {
    const graph = fc.integer({ min: 1, max: 30 }).chain((count) => {
      const node = fc.integer({ min: 0, max: count - 1 });
      return fc.record({
        names: fc.constant(
          Array.from({ length: count }, (_, i) => (i % 7 === 3 ? `节点${i}` : `n${i}`)),
        ),
        pairs: fc.array(fc.tuple(node, node, fc.boolean()), { maxLength: 60, size: "max" }),
      });
    });
    fc.assert(
      fc.property(graph, ({ names, pairs }) => {
        const given = pairs.map(([from, to, conditional]) => ({
          source: names[from] ?? "",
          target: names[to] ?? "",
          conditional,
        }));
        const text = expectComplete(names, given);
        for (const name of names) {
          expect(text.split(new RegExp(`\\| +${name} +\\|`))).toHaveLength(2);
        }
        expect(drawAscii(nodes(...names), given)).toBe(text);
      }),
      { numRuns: 200 },
    );
  }, 30_000);
});

test("a thicket of edges is listed under the picture instead of drawn without end", () => {
  const names = Array.from({ length: 80 }, (_, index) => `n${index}`);
  const given = names.flatMap((source) =>
    names.map((target): DrawableEdge => ({ source, target, conditional: true })),
  );
  const text = drawAscii(nodes(...names), given);
  expect(text).toContain("n0 ..> n79");
  expect(text).toContain("n79 ..> n0 (loop)");
  expect(text.length).toBeLessThan(1_000_000);
});
