import { END, START } from "../engine/command.ts";
import { isPlain } from "../channels/freeze.ts";
import { brandSymbol, hasBrand } from "../errors/brand.ts";
import type { ErrorCode } from "../errors/codes.ts";
import { checkOptions } from "../errors/check-options.ts";
import { describe, listNames } from "../errors/describe.ts";
import { SuperstepError } from "../errors/errors.ts";
import type { StateDefinition } from "./annotation.ts";
import type {
  BranchDefinition,
  EdgeDefinition,
  JoinDefinition,
  NodeDefinition,
} from "./definition.ts";

// What can be said about one call of the builder. What concerns the whole graph is in check.ts.

export interface NodeCall {
  readonly name: string;
  readonly run: unknown;
  readonly options: Pick<NodeDefinition, "ends" | "counted" | "metadata"> | undefined;
}

/** The calls that `addNode({ name: function })` stands for. */
export function callsOf(nodes: unknown, ...rest: readonly unknown[]): readonly NodeCall[] {
  const isRecord = isPlain(nodes) && !Array.isArray(nodes) && Object.keys(nodes).length > 0;
  if (!isRecord || rest.some((value) => value !== undefined)) {
    throw problem(
      "INVALID_NODE",
      isRecord
        ? "addNode with an object of nodes takes nothing else."
        : `addNode cannot add ${describe(nodes)}.`,
      "Give a name and a function, or { name: function, ... } alone.",
    );
  }
  return Object.entries(nodes).map(([name, run]) => ({ name, run, options: undefined }));
}

const nodeOptions: ReadonlySet<string> = new Set(["ends", "counted", "metadata"]);

export function checkNode(
  nodes: ReadonlyMap<string, NodeDefinition>,
  keys: StateDefinition,
  { name, run, options }: NodeCall,
): NodeDefinition {
  checkName(name);
  if (nodes.has(name)) {
    throw problem(
      "DUPLICATE_NODE",
      `There is a node ${describe(name)} already.`,
      "Choose another name.",
    );
  }
  if (Object.hasOwn(keys, name)) {
    throw problem(
      "STATE_KEY_CONFLICT",
      `Node ${describe(name)} has the name of a state key.`,
      "Rename the node or the key: streamed updates name both.",
    );
  }
  if (isCompiledGraph(run)) {
    throw problem(
      "INVALID_NODE",
      `Node ${describe(name)} is a compiled graph.`,
      "Give a function that invokes it and returns what it should write.",
    );
  }
  const body = bodyOf(run);
  if (!body) {
    throw problem(
      "INVALID_NODE",
      `Node ${describe(name)} is ${describe(run)}.`,
      "Give a function of the state, or an object with invoke.",
    );
  }
  const { ends, counted, metadata } = checkOptions(`Node ${describe(name)}`, options, nodeOptions);
  if (metadata !== undefined && !isPlain(metadata)) {
    throw problem(
      "INVALID_OPTION",
      `The metadata of node ${describe(name)} is ${describe(metadata)}.`,
      "Give an object.",
    );
  }
  if (counted !== undefined && typeof counted !== "boolean") {
    throw problem(
      "INVALID_OPTION",
      `counted of node ${describe(name)} is ${describe(counted)}.`,
      "Give true or false.",
    );
  }
  if (
    ends !== undefined &&
    !(Array.isArray(ends) && ends.every((end) => typeof end === "string"))
  ) {
    throw problem(
      "INVALID_NODE",
      `The ends of node ${describe(name)} are ${describe(ends)}.`,
      "Give a list of node names.",
    );
  }
  return {
    run: body,
    ...(ends && { ends: [...ends] }),
    ...(counted !== undefined && { counted }),
    ...(metadata && { metadata: Object.freeze({ ...metadata }) }),
  };
}

function isCompiledGraph(run: unknown): boolean {
  return hasBrand(run, brandSymbol("CompiledStateGraph"));
}

/** A node is a function, or an object with `invoke`, which is called as a method. */
function bodyOf(run: unknown): NodeDefinition["run"] | undefined {
  if (typeof run === "function") return run as NodeDefinition["run"];
  if (typeof run !== "object" || run === null || !("invoke" in run)) return undefined;
  const { invoke } = run;
  if (typeof invoke !== "function") return undefined;
  return (state, runtime) => invoke.call(run, state, runtime) as unknown;
}

function checkName(name: unknown): void {
  if (typeof name !== "string" || name === "" || name === "__proto__") {
    throw problem(
      "INVALID_NODE_NAME",
      `A node cannot be named ${describe(name)}.`,
      "Choose a name that is not empty.",
    );
  }
  if (name === START || name === END) {
    throw problem(
      "INVALID_NODE_NAME",
      `${describe(name)} stands for the ${name === START ? "beginning" : "end"} of the graph and cannot be added.`,
      "Choose another name.",
    );
  }
  if (/[|:]/.test(name)) {
    throw problem(
      "INVALID_NODE_NAME",
      `Node name ${describe(name)} has a "|" or ":" in it, which separate names in namespaces.`,
      "Choose a name without them.",
    );
  }
}

export function checkEdge(source: string, target: string): EdgeDefinition {
  checkEnd(source, END, `Nothing can follow END; ${describe(target)} was to.`);
  checkEnd(target, START, `Nothing can come before START; ${describe(source)} was to.`);
  return { source, target };
}

export function checkJoin(sources: readonly string[], target: string): JoinDefinition {
  if (sources.length === 0) {
    throw problem(
      "INVALID_EDGE",
      `An edge to ${describe(target)} has no source.`,
      "Name at least one node.",
    );
  }
  for (const source of sources) checkEdge(source, target);
  checkEnd(target, END, `An edge with several sources cannot lead to END: ${listNames(sources)}.`);
  return { sources: [...new Set(sources)], target };
}

export function checkBranch(
  source: string,
  path: unknown,
  pathMap: Readonly<Record<string, string>> | readonly string[] | undefined,
): BranchDefinition {
  checkEnd(source, END, "Nothing can follow END; a conditional edge was to.");
  if (typeof path !== "function") {
    throw problem(
      "INVALID_EDGE",
      `The conditional edge of ${describe(source)} is ${describe(path)}.`,
      "Give a function of the state that returns where to go.",
    );
  }
  const name = path.name || "path";
  const route = path as BranchDefinition["route"];
  if (pathMap === undefined) return { source, name, route };
  if (!isPlain(pathMap)) {
    throw problem(
      "INVALID_EDGE",
      `The path map of ${describe(source)} is ${describe(pathMap)}.`,
      "Give { returned: node } or a list of nodes.",
    );
  }
  const entries = Array.isArray(pathMap)
    ? (pathMap as readonly string[]).map((target) => [target, target] as const)
    : Object.entries(pathMap as Readonly<Record<string, string>>);
  if (entries.length === 0) {
    throw problem(
      "INVALID_EDGE",
      `The path map of ${describe(source)} is empty.`,
      "Name the nodes that it may lead to, or leave it out.",
    );
  }
  for (const [, target] of entries) {
    checkEnd(target, START, `The path map of ${describe(source)} leads back to START.`);
  }
  return { source, name, route, targets: new Map(entries) };
}

function checkEnd(name: unknown, forbidden: string, message: string): void {
  if (typeof name !== "string") {
    throw problem(
      "INVALID_EDGE",
      `An edge cannot begin or end at ${describe(name)}.`,
      "Give the name of a node.",
    );
  }
  if (name === forbidden)
    throw problem("INVALID_EDGE", message, "Name a node of the graph instead.");
}

function problem(code: ErrorCode, message: string, fix: string): SuperstepError {
  return new SuperstepError(code, message, { fix });
}
