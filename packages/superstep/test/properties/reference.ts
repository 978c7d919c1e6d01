// The laws of a superstep as plainly as they can be written: one task after another, no promises,
// everything copied. The engine must show the same to whoever looks.

/** Part of a graph's state that the tests use; `x`, `y` and `z` take one write a superstep. */
export interface State {
  readonly log: readonly string[];
  readonly ticks: number;
  readonly sum: number;
  readonly x?: Mark;
  readonly y?: Mark;
  readonly z?: Mark;
}
export interface Mark {
  readonly by: string;
}

/** What a node reads: the state, or what a Send brought. */
export type Input = State | SendArgs;
export interface SendArgs {
  readonly label: string;
  readonly ticks: number;
}

/** Leads on while fewer than `until` tasks have run; with it, cycles end. */
export interface Route {
  readonly source: string;
  readonly until: number;
  readonly targets: readonly string[];
  readonly sends: readonly string[];
}

export interface NodeSpec {
  readonly name: string;
  /** Writes nothing, in one of several ways, and has no routes. */
  readonly silent: boolean;
  readonly logs: number;
  readonly adds: number | undefined;
  readonly sets: "x" | "y" | "z" | undefined;
  /** Hands back all that it read, beside what it writes. */
  readonly echoes: boolean;
  readonly goto: Route | undefined;
  /** Throws when `ticks` leaves this rest on division by 4. */
  readonly fails: number | undefined;
}

export interface GraphSpec {
  readonly nodes: readonly NodeSpec[];
  readonly edges: readonly (readonly [source: string, target: string])[];
  readonly joins: readonly { readonly sources: readonly string[]; readonly target: string }[];
  readonly routes: readonly Route[];
}

export type Write = readonly [key: keyof State, value: unknown];
export interface SendSpec {
  readonly node: string;
  readonly args: SendArgs;
}

/** What one run of a node does. */
export interface Behaviour {
  readonly writes: readonly Write[];
  readonly targets: readonly string[];
  readonly sends: readonly SendSpec[];
  /** The message of what it throws instead. */
  readonly failure?: string;
}

function labelOf(input: Input): string {
  return "label" in input ? input.label : `${input.ticks}.${input.sum}.${input.log.length}`;
}

/** What a node does with its input; the same for the engine and for this interpreter. */
export function behave(node: NodeSpec, input: Input): Behaviour {
  const label = `${node.name}(${labelOf(input)})`;
  const nothing = { writes: [], targets: [], sends: [] };
  if (node.fails === input.ticks % 4) return { ...nothing, failure: label };
  if (node.silent) return nothing;
  const writes: Write[] = [["ticks", 1]];
  for (let entry = 0; entry < node.logs; entry++) writes.push(["log", [`${label}${entry}`]]);
  if (node.adds !== undefined) writes.push(["sum", node.adds]);
  if (node.sets !== undefined) writes.push([node.sets, { by: label }]);
  return { writes, ...follow(node.goto, input) };
}

/** Where a route leads from what it reads. */
export function follow(
  route: Route | undefined,
  read: Input,
): Pick<Behaviour, "targets" | "sends"> {
  if (!route || read.ticks >= route.until) return { targets: [], sends: [] };
  const args = (index: number): SendArgs => ({
    label: `${route.source}>${index}@${read.ticks}`,
    ticks: read.ticks + 1,
  });
  return {
    targets: route.targets,
    sends: route.sends.map((node, index) => ({ node, args: args(index) })),
  };
}

type Result =
  | { readonly kind: "done" }
  | { readonly kind: "limit" | "conflict" }
  | { readonly kind: "failed"; readonly messages: readonly string[] };

/** All that can be seen of a run. */
export interface Seen {
  readonly result: Result;
  /** The state after the last superstep that was committed. */
  readonly state: State;
  readonly values: readonly State[];
  readonly updates: readonly Readonly<Record<string, unknown>>[];
  /** The nodes that ran, superstep by superstep, in task order. */
  readonly steps: readonly (readonly string[])[];
}

interface Task {
  readonly node: string;
  readonly args?: SendArgs;
}
interface Done extends Behaviour {
  readonly task: Task;
}

/** Runs a graph on `input`, one task after another. */
export function interpret(graph: GraphSpec, input: Partial<State>, limit: number): Seen {
  const given = Object.entries(input) as unknown as Write[];
  let state = applied({ log: [], ticks: 0, sum: 0 }, given)!;
  const values: State[] = given.length > 0 ? [state] : [];
  const updates: Record<string, unknown>[] = [];
  const steps: string[][] = [];
  const joins = graph.joins.map((join) => ({ ...join, seen: new Set<string>() }));
  const end = (result: Result): Seen => ({ result, state, values, updates, steps });

  const entry = { task: { node: "__start__" }, writes: [], ...routed(graph, "__start__", state) };
  let due = successors(graph, joins, [entry]);
  while (due.length > 0) {
    if (steps.length === limit) return end({ kind: "limit" });
    steps.push(due.map(({ node }) => node));
    const done = due.map((task) => runTask(graph, task, state));
    const messages = done.flatMap(({ failure }) => failure ?? []);
    if (messages.length > 0) return end({ kind: "failed", messages });
    const writes = done.flatMap((each) => each.writes);
    const next = applied(state, writes);
    if (next === undefined) return end({ kind: "conflict" });
    state = next;
    for (const { task, writes: own } of done) updates.push({ [task.node]: chunkOf(own) });
    if (writes.length > 0) values.push(state);
    due = successors(graph, joins, done);
  }
  return end({ kind: "done" });
}

function runTask(graph: GraphSpec, task: Task, state: State): Done {
  const node = graph.nodes.find(({ name }) => name === task.node)!;
  const behaviour = behave(node, task.args ?? state);
  if (behaviour.failure !== undefined) return { task, ...behaviour };
  const routes = routed(graph, task.node, applied(state, behaviour.writes)!);
  return {
    task,
    writes: behaviour.writes,
    targets: [...behaviour.targets, ...routes.targets],
    sends: [...behaviour.sends, ...routes.sends],
  };
}

/** Where the conditional edges of a node lead, reading the state as the node leaves it. */
function routed(graph: GraphSpec, source: string, state: State) {
  const all = graph.routes.filter((route) => route.source === source);
  const followed = all.map((route) => follow(route, state));
  return {
    targets: followed.flatMap(({ targets }) => targets),
    sends: followed.flatMap(({ sends }) => sends),
  };
}

/** The next tasks: nodes by name, each once, then the Sends as they were made. */
function successors(
  graph: GraphSpec,
  joins: readonly { sources: readonly string[]; target: string; seen: Set<string> }[],
  done: readonly Done[],
): Task[] {
  const names = new Set<string>();
  for (const { task, targets } of done) {
    for (const target of targets) names.add(target);
    for (const [source, target] of graph.edges) if (source === task.node) names.add(target);
    for (const join of joins) if (join.sources.includes(task.node)) join.seen.add(task.node);
  }
  for (const join of joins) {
    if (join.sources.every((source) => join.seen.has(source))) {
      names.add(join.target);
      join.seen.clear();
    }
  }
  names.delete("__end__");
  const pulls = [...names].toSorted().map((node) => ({ node }));
  return [...pulls, ...done.flatMap(({ sends }) => sends)];
}

/** The state with `writes` in it, or `undefined` when a key that takes one write was given two. */
function applied(state: State, writes: readonly Write[]): State | undefined {
  const next: { -readonly [Key in keyof State]: State[Key] } = { ...state };
  const marked = new Set<string>();
  for (const [key, value] of writes) {
    if (key === "log") next.log = [...next.log, ...(value as string[])];
    else if (key === "ticks" || key === "sum") next[key] += value as number;
    else if (marked.has(key)) return undefined;
    else {
      marked.add(key);
      next[key] = value as Mark;
    }
  }
  return next;
}

/** One object, or a list of single writes when a key was written more than once. */
function chunkOf(writes: readonly Write[]): unknown {
  const keys = new Set(writes.map(([key]) => key));
  return keys.size === writes.length
    ? Object.fromEntries(writes)
    : writes.map(([key, value]) => ({ [key]: value }));
}
