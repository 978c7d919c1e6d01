import { buildSteps, createAgent, createReactAgent } from "superstep";
import { FakeChatModel } from "superstep/testing";
import { describe, expect, test } from "vitest";
import { type Agent, counted, factories, newAgent } from "./world.ts";

const model = new FakeChatModel({ responses: [] });
const work = counted("work").tool;
const direct = counted("direct", { returnDirect: true }).tool;
const hook = (): void => {};

/** Edges as "a -> b", conditional ones as "a ..> b". */
function edgesOf(agent: Pick<Agent, "getGraph">): string[] {
  return agent
    .getGraph()
    .edges.map(
      ({ source, target, conditional }) => `${source} ${conditional ? "..>" : "->"} ${target}`,
    )
    .toSorted();
}

const nodesOf = (agent: Pick<Agent, "getGraph">): string[] => Object.keys(agent.getGraph().nodes);

describe("the graph of createReactAgent", () => {
  test("items 11, 59: agent and tools, and the loop between them", () => {
    for (const version of ["v1", "v2"] as const) {
      const agent = createReactAgent({ llm: model, tools: [work], version, prompt: "x" });
      expect(nodesOf(agent)).toEqual(["__start__", "agent", "tools", "__end__"]);
      expect(edgesOf(agent)).toEqual([
        "__start__ -> agent",
        "agent ..> __end__",
        "agent ..> tools",
        "tools -> agent",
      ]);
    }
  });

  test("item 13: without tools one node", () => {
    const agent = createReactAgent({ llm: model, tools: [] });
    expect(nodesOf(agent)).toEqual(["__start__", "agent", "__end__"]);
    expect(edgesOf(agent)).toEqual(["__start__ -> agent", "agent -> __end__"]);
  });

  test("B.2: a tool that returns directly adds the way out of tools", () => {
    expect(edgesOf(createReactAgent({ llm: model, tools: [work, direct] }))).toEqual([
      "__start__ -> agent",
      "agent ..> __end__",
      "agent ..> tools",
      "tools ..> __end__",
      "tools ..> agent",
    ]);
  });

  test("B.2: with a hook before the model, tools return to it", () => {
    const agent = createReactAgent({ llm: model, tools: [work], preModelHook: hook });
    expect(nodesOf(agent).toSorted()).toEqual(
      ["__start__", "pre_model_hook", "agent", "tools", "__end__"].toSorted(),
    );
    expect(edgesOf(agent)).toEqual([
      "__start__ -> pre_model_hook",
      "agent ..> __end__",
      "agent ..> tools",
      "pre_model_hook -> agent",
      "tools -> pre_model_hook",
    ]);
  });

  test("B.2: with a hook after the model, it decides where to go", () => {
    expect(edgesOf(createReactAgent({ llm: model, tools: [work], postModelHook: hook }))).toEqual([
      "__start__ -> agent",
      "agent -> post_model_hook",
      "post_model_hook ..> __end__",
      "post_model_hook ..> agent",
      "post_model_hook ..> tools",
      "tools -> agent",
    ]);
  });

  test("B.2: with both hooks and a direct tool", () => {
    const agent = createReactAgent({
      llm: model,
      tools: [direct],
      preModelHook: hook,
      postModelHook: hook,
    });
    expect(edgesOf(agent)).toEqual([
      "__start__ -> pre_model_hook",
      "agent -> post_model_hook",
      "post_model_hook ..> __end__",
      "post_model_hook ..> pre_model_hook",
      "post_model_hook ..> tools",
      "pre_model_hook -> agent",
      "tools ..> __end__",
      "tools ..> pre_model_hook",
    ]);
  });

  test("B.2: hooks without tools stand in a row", () => {
    const agent = createReactAgent({ llm: model, preModelHook: hook, postModelHook: hook });
    expect(edgesOf(agent)).toEqual([
      "__start__ -> pre_model_hook",
      "agent -> post_model_hook",
      "post_model_hook -> __end__",
      "pre_model_hook -> agent",
    ]);
  });

  test("item 39: the name names the graph", () => {
    expect(createReactAgent({ llm: model, name: "ada" }).name).toBe("ada");
  });
});

describe("the graph of createAgent", () => {
  test("items 28, 34, 36, 37: model and tools, and the loop between them", () => {
    const agent = newAgent.create({ model, tools: [work] });
    expect(nodesOf(agent)).toEqual(["__start__", "model", "tools", "__end__"]);
    expect(edgesOf(agent)).toEqual([
      "__start__ -> model",
      "model ..> __end__",
      "model ..> tools",
      "tools ..> model",
    ]);
  });

  test("item 36: a tool that returns directly adds the way out of tools", () => {
    expect(edgesOf(newAgent.create({ model, tools: [work, direct] }))).toEqual([
      "__start__ -> model",
      "model ..> __end__",
      "model ..> tools",
      "tools ..> __end__",
      "tools ..> model",
    ]);
  });

  test("item 28: without tools one node", () => {
    const agent = newAgent.create({ model });
    expect(nodesOf(agent)).toEqual(["__start__", "model", "__end__"]);
    expect(edgesOf(agent)).toEqual(["__start__ -> model", "model -> __end__"]);
  });
});

describe.each(factories)("the drawings of $name", ({ create, node }) => {
  test("item 52: Mermaid and text show the loop", async () => {
    const graph = create({ model, tools: [work] }).getGraph();
    const mermaid = graph.drawMermaid();
    expect(mermaid).toContain(node);
    expect(mermaid).toMatch(new RegExp(`${node}.*-\\.->.*tools`));
    const ascii = await graph.drawAscii();
    for (const name of ["__start__", node, "tools", "__end__"]) expect(ascii).toContain(name);
  });
});

describe("how createAgent builds its graph", () => {
  const named = (agent: object): string[] =>
    buildSteps(agent).map((step) => {
      if (step.type === "edge") return `edge ${step.source} -> ${step.target}`;
      if (step.type === "conditionalEdge") return `${step.source} ..> [${step.targets.join(", ")}]`;
      return "node" in step ? `${step.type} ${step.node}` : step.type;
    });

  test("item 29: each decision can be read, in the order in which it was made", () => {
    expect(named(createAgent({ model, tools: [work] }))).toEqual([
      "node model",
      "node tools",
      "entry model",
      "loopEntry model",
      "loopExit model",
      "exit __end__",
      "edge __start__ -> model",
      "tools ..> [model]",
      "model ..> [tools, __end__]",
      "compile",
    ]);
  });

  test("item 36: with a tool that returns directly the tools may lead to the exit", () => {
    expect(named(createAgent({ model, tools: [direct] }))).toContain("tools ..> [model, __end__]");
  });

  test("without tools there is neither their node nor their edges", () => {
    expect(named(createAgent({ model }))).toEqual([
      "node model",
      "entry model",
      "loopEntry model",
      "loopExit model",
      "exit __end__",
      "edge __start__ -> model",
      "compile",
    ]);
  });

  test("other graphs have none", () => {
    expect(buildSteps(createReactAgent({ llm: model }))).toEqual([]);
  });
});
