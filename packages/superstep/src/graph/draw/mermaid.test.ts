import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { DrawableEdge } from "./drawable.ts";
import { mermaidIds } from "./mermaid-text.ts";
import { drawMermaid } from "./mermaid.ts";

const nodes = (...ids: string[]) => ids.map((id) => ({ id, name: id }));
const edge = (source: string, target: string): DrawableEdge => ({
  source,
  target,
  conditional: false,
});
const branch = (source: string, target: string, data?: string): DrawableEdge => ({
  source,
  target,
  conditional: true,
  ...(data === undefined ? {} : { data }),
});
const lines = (text: string): string[] => text.split("\n").map((line) => line.trim());

const loopNodes = nodes("__start__", "agent", "tools", "__end__");
const loopEdges = [
  edge("__start__", "agent"),
  branch("agent", "tools", "yes"),
  branch("agent", "__end__"),
  edge("tools", "agent"),
];

describe("drawMermaid", () => {
  test("writes shapes, edges and classes", () => {
    expect(drawMermaid(loopNodes, loopEdges)).toBe(`%%{init: {'flowchart': {'curve': 'linear'}}}%%
graph TD;
	__start__([<p>__start__</p>]):::first
	agent(agent)
	tools(tools)
	__end__([<p>__end__</p>]):::last
	__start__ --> agent;
	agent -. &nbsp;yes&nbsp; .-> tools;
	agent -.-> __end__;
	tools --> agent;
	classDef default fill:#f2f0ff,line-height:1.2;
	classDef first fill-opacity:0;
	classDef last fill:#bfb6fc;
`);
  });

  test("writes only edges without styles, and nodes that edges do not define", () => {
    expect(drawMermaid(loopNodes, loopEdges.slice(0, 1), { withStyles: false })).toBe(
      "graph TD;\n\ttools(tools)\n\t__end__(<p>__end__</p>)\n\t__start__ --> agent;\n",
    );
    const text = drawMermaid(nodes("a b", "c"), [edge("a b", "c")], { withStyles: false });
    expect(text).toBe("graph TD;\n\ta_b(a b)\n\ta_b --> c;\n");
  });

  test("takes a curve, colors and a line width", () => {
    const text = drawMermaid(nodes("a", "b"), [{ ...edge("a", "b"), data: "one two three" }], {
      curveStyle: "basis",
      nodeColors: { default: "fill:#fff" },
      wrapLabelNWords: 2,
    });
    expect(text).toContain("'curve': 'basis'");
    expect(text).toContain("a -- &nbsp;one two&nbsp;<br>&nbsp;three&nbsp; --> b;");
    expect(text).toContain("classDef default fill:#fff;");
    expect(text).not.toContain("classDef first");
  });

  test("shows scalar metadata under the name", () => {
    const metadata = { owner: "me <x>", tags: ["a", 1], nested: {} };
    const text = drawMermaid([{ id: "a", name: "a", metadata }], []);
    expect(text).toContain("a(a<hr/><small><em>owner = me #60;x#62;\ntags = a,1</em></small>)");
  });

  test.each([
    ["end", "_end(end)"],
    ["__proto__", "___proto__(<p>__proto__</p>)"],
    ["end-point", "_end-point(end-point)"],
    ["endpoint", "endpoint(endpoint)"],
    ["my node", "my_node(my node)"],
    ["_private_", "_private_(<p>_private_</p>)"],
    ['say "hi"', 'say__hi_("say #34;hi#34;")'],
    ["f(x)[0]{}", 'f_x__0___("f#40;x#41;#91;0#93;#123;#125;")'],
    ["<b>&amp;", '_b__amp_("#60;b#62;#38;amp#59;")'],
    ["a--b", 'a__b("a#45;#45;b")'],
    ["1. item", '1__item("1#46; item")'],
    ["研究员", '___("研究员")'],
    ["direction TB", 'direction_TB("direction#32;TB")'],
    ["", '_(" ")'],
  ])("escapes the name %j", (name, line) => {
    expect(lines(drawMermaid(nodes(name), []))).toContain(line);
  });

  test("escapes labels of edges", () => {
    const text = drawMermaid(nodes("a", "b"), [branch("a", "b", "x .-> y; %% no")]);
    expect(lines(text)).toContain("a -. &nbsp;x #46;#45;#62; y#59; #37;#37; no&nbsp; .-> b;");
  });

  test("puts nested names into nested subgraphs", () => {
    const text = drawMermaid(nodes("__start__", "p:a", "p:b", "p:q:x", "p:lone", "__end__"), [
      edge("__start__", "p:a"),
      edge("p:a", "p:b"),
      edge("p:b", "p:q:x"),
      edge("p:a", "p:a"),
    ]);
    expect(lines(text).slice(2, -4)).toEqual([
      "__start__([<p>__start__</p>]):::first",
      "p_a(a)",
      "p_b(b)",
      "p_q_x(x)",
      "p_lone(lone)",
      "__end__([<p>__end__</p>]):::last",
      "__start__ --> p_a;",
      "subgraph p",
      "subgraph q",
      "p_q_x;",
      "end",
      "p_lone;",
      "p_a --> p_b;",
      "p_b --> p_q_x;",
      "p_a --> p_a;",
      "end",
    ]);
  });

  test("keeps apart subgraphs and nodes of the same name", () => {
    const text = drawMermaid(nodes("p", "p:a", "x:p:b"), []);
    expect(lines(text)).toEqual(
      expect.arrayContaining(["p(p)", 'subgraph p_2["p"]', 'subgraph p_3["p"]', "subgraph x"]),
    );
  });
});

describe("mermaidIds", () => {
  test("gives different names different ids made of harmless characters", () => {
    const name = fc.oneof(
      fc.string({ unit: "binary", maxLength: 4 }),
      fc
        .array(fc.constantFrom("a", "_", "-", " ", ":", "2", "end", "."), { maxLength: 4 })
        .map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(fc.uniqueArray(name), (names) => {
        const ids = mermaidIds(new Map(names.map((key) => [key, key])), new Set());
        expect(new Set(ids.values()).size).toBe(names.length);
        for (const id of ids.values()) expect(id).toMatch(/^\w+(?:-\w+)*$/);
        for (const key of names.filter((it) => /^a[_2]*$/.test(it))) expect(ids.get(key)).toBe(key);
      }),
    );
  });
});
