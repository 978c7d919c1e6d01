import { barrier } from "../channels/barrier.ts";
import type { Channel } from "../channels/channel.ts";
import { lastValue } from "../channels/last-value.ts";
import { trigger } from "../channels/trigger.ts";
import { END, START } from "../engine/command.ts";
import type { ChannelPlan, ManagedKey, NodePlan, Plan, Write } from "../engine/plan.ts";
import { describe } from "../errors/describe.ts";
import { SuperstepError } from "../errors/errors.ts";
import { checkOptions } from "../errors/check-options.ts";
import { checkGraph } from "./check.ts";
import type { CompileOptions } from "./compiled.ts";
import type { GraphDefinition, JoinDefinition, NodeDefinition } from "./definition.ts";

const compileOptions: ReadonlySet<string> = new Set<keyof CompileOptions>(["name", "checkpointer"]);

/** Checks a graph and turns it into the plan that runs it. */
export function compileGraph(graph: GraphDefinition, options: CompileOptions | undefined): Plan {
  const { name = "StateGraph" } = checkOptions("compile", options, compileOptions);
  if (typeof name !== "string") {
    throw new SuperstepError("INVALID_OPTION", `The name of a graph cannot be ${describe(name)}.`, {
      fix: "Give a string.",
    });
  }
  checkGraph(graph);
  return Object.freeze(numberGraph(graph, name));
}

function numberGraph(graph: GraphDefinition, name: string): Plan {
  const channels: ChannelPlan[] = [];
  const addChannel = (plan: ChannelPlan): number => channels.push(Object.freeze(plan)) - 1;
  const stateKeys = new Map<string, number>();
  const managed: ManagedKey[] = [];
  for (const [key, { channel, managed: value }] of Object.entries(graph.keys)) {
    const number = addChannel(stateChannel(key, channel ?? lastValue()));
    stateKeys.set(key, number);
    if (value) managed.push({ channel: number, value });
  }

  // Nodes are numbered in order of their names: the order in which their writes are applied.
  const names = [...graph.nodes.keys()].toSorted((a, b) => (a < b ? -1 : 1));
  const wakes = new Map<string, Write>();
  for (const [number, node] of names.entries()) {
    const channel = addChannel(control(`branch:to:${node}`, trigger, number));
    wakes.set(node, Object.freeze({ channel, value: true }));
  }
  const joins = graph.joins.map((join): JoinPlan => {
    const title = `join:${join.sources.join("+")}:${join.target}`;
    const number = names.indexOf(join.target);
    return { ...join, channel: addChannel(control(title, barrier(join.sources), number)) };
  });

  const planNode = (node: string, number: number): NodePlan => {
    const definition = graph.nodes.get(node);
    return Object.freeze({
      number,
      name: node,
      run: (definition?.run ?? (() => undefined)) as NodePlan["run"],
      hidden: node === START,
      counted: node !== START && definition?.counted !== false,
      wake: wakes.get(node) ?? { channel: -1, value: true },
      edges: staticWrites(graph, node, { wakes, joins }),
      routers: graph.branches.filter(({ source }) => source === node),
      ...endsOf(definition),
    });
  };
  const nodes = names.map(planNode);
  const nodesByName = new Map(nodes.map((node) => [node.name, node]));
  const ephemeral = [...stateKeys.values()].filter((c) => channels[c]!.channel.ephemeral);
  return {
    name,
    channels,
    stateKeys,
    managed,
    ephemeral,
    internal: new Set([...ephemeral, ...managed.map(({ channel }) => channel)]),
    nodes,
    nodesByName,
    start: planNode(START, -1),
  };
}

interface JoinPlan extends JoinDefinition {
  readonly channel: number;
}

function stateChannel(name: string, channel: Channel): ChannelPlan {
  return { name, channel, isState: true, subscribers: [] };
}

function control(name: string, channel: Channel, subscriber: number): ChannelPlan {
  return { name, channel, isState: false, subscribers: [subscriber] };
}

/** What the edges that leave `node` write: the wake of each target, and its name to each join. */
function staticWrites(
  graph: GraphDefinition,
  node: string,
  { wakes, joins }: { wakes: ReadonlyMap<string, Write>; joins: readonly JoinPlan[] },
): readonly Write[] {
  const targets = graph.edges.filter(({ source }) => source === node).map(({ target }) => target);
  const writes: Write[] = [];
  for (const target of new Set(targets)) if (target !== END) writes.push(wakes.get(target)!);
  for (const { sources, channel } of joins) {
    if (sources.includes(node)) writes.push(Object.freeze({ channel, value: node }));
  }
  return Object.freeze(writes);
}

function endsOf(definition: NodeDefinition | undefined): { ends?: ReadonlySet<string> } {
  return definition?.ends ? { ends: new Set(definition.ends) } : {};
}
