import { describe, expect, test } from "vitest";
import { DrawableGraph } from "./drawable.ts";

const node = (id: string) => ({ id, name: id });

describe("DrawableGraph", () => {
  test("puts __start__ first and __end__ last", () => {
    const graph = new DrawableGraph(["__end__", "b", "a", "__start__"].map(node), []);
    expect(Object.keys(graph.nodes)).toEqual(["__start__", "b", "a", "__end__"]);
  });

  test("keeps the order of integer-like names where it can", () => {
    const graph = new DrawableGraph(["__start__", "b", "2", "1", "__end__"].map(node), []);
    const ids = graph.toJSON().nodes.map(({ id }) => id);
    expect(ids).toEqual(["__start__", "b", "2", "1", "__end__"]);
    expect(graph.drawMermaid()).toMatch(/__start__[^]*b\(b\)[^]*2\(2\)[^]*1\(1\)/);
  });

  test("takes names of Object.prototype for nodes", async () => {
    const names = ["__proto__", "constructor", "toString"];
    const edges = names.map((target) => ({ source: "__start__", target, conditional: false }));
    const graph = new DrawableGraph(["__start__", ...names].map(node), edges);
    expect(Object.keys(graph.nodes)).toEqual(["__start__", ...names]);
    expect(graph.nodes["__proto__"]).toEqual(node("__proto__"));
    expect(graph.nodes["hasOwnProperty"]).toBeUndefined();
    const picture = await graph.drawAscii();
    for (const name of names) expect(picture).toContain(`| ${name} |`);
  });

  test("is frozen and does not see later changes of what it was made from", () => {
    const edges = [{ source: "__start__", target: "__end__", conditional: false }];
    const graph = new DrawableGraph(["__start__", "__end__"].map(node), edges);
    edges.pop();
    expect(graph.edges).toHaveLength(1);
    expect(Object.isFrozen(graph.nodes) && Object.isFrozen(graph.edges)).toBe(true);
  });

  test("becomes plain data in JSON", () => {
    const nodes = [node("__start__"), { ...node("a"), metadata: { owner: "x" } }];
    const edges = [{ source: "__start__", target: "a", data: "yes", conditional: true }];
    expect(JSON.parse(JSON.stringify(new DrawableGraph(nodes, edges)))).toEqual({ nodes, edges });
  });
});
