import { checkSaver } from "../engine/options.ts";
import { type Command, END, type Send, START } from "../engine/command.ts";
import type { Runtime } from "../engine/runtime.ts";
import { describe } from "../errors/describe.ts";
import { SuperstepError } from "../errors/errors.ts";
import type { AnnotationRoot, StateDefinition, StateOf, UpdateOf } from "./annotation.ts";
import { compileGraph } from "./compile.ts";
import { type CompileOptions, CompiledStateGraph } from "./compiled.ts";
import type {
  BranchDefinition,
  EdgeDefinition,
  JoinDefinition,
  NodeDefinition,
} from "./definition.ts";
import { callsOf, checkBranch, checkEdge, checkJoin, checkNode } from "./validate.ts";

type MaybePromise<Value> = Value | Promise<Value>;

/** What a node may return: an update of the state, a `Command`, a list with both, or nothing. */
export type NodeReturn<Update> =
  | Update
  | Command<unknown, Update>
  | readonly (Update | Command<unknown, Update>)[]
  | undefined
  | null
  | void;

/** Refuses keys that the state does not have, in an update or in a `Command`'s. */
type KnownKeys<Update, Returned> = Returned extends readonly unknown[] | undefined | null | void
  ? unknown
  : Returned extends Command<unknown, infer Written>
    ? { readonly update?: NoOther<Update, Written> }
    : NoOther<Update, Returned>;
type NoOther<Update, Written> = string extends keyof Written
  ? unknown
  : { readonly [Key in Exclude<keyof Written, keyof Update>]?: never };
type Exact<Update, Returned> =
  Returned extends Promise<infer Value>
    ? Promise<KnownKeys<Update, Value>>
    : KnownKeys<Update, Returned>;

/** Before a chain of `addNode` calls has named the nodes, any name will do; `compile` checks. */
type AnyIfNone<Nodes extends string> = [Nodes] extends [never] ? string : Nodes;
type Source<Nodes extends string> = [Nodes] extends [never] ? string : Nodes | typeof START;
type Target<Nodes extends string> = [Nodes] extends [never] ? string : Nodes | typeof END;

/** What a conditional edge may return. */
export type Route<Name> = Name | Send | readonly (Name | Send)[];

/** An object that can stand as a node. */
export interface Invocable<Input, Output> {
  invoke(input: Input, runtime: Runtime): Output;
}

/** Options of a node. */
export interface NodeOptions {
  /** The nodes (or END) that the node's `Command`s may lead to: their legal range, and drawn. */
  readonly ends?: readonly string[];
  /**
   * Whether a superstep that runs this node counts against `recursionLimit`. Default true; false is
   * for hooks beside the work, which should not use up the steps of what they accompany.
   */
  readonly counted?: boolean;
  /** Kept with the node, for drawings and tools. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/**
 * Builds a graph: a state, nodes that read and update it, and edges that say which nodes run next.
 * Chained calls know the names of the nodes, so a misspelt one does not compile; `compile` checks
 * the rest.
 */
export class StateGraph<Keys extends StateDefinition, Nodes extends string = never> {
  readonly #keys: Keys;
  readonly #nodes = new Map<string, NodeDefinition>();
  readonly #edges: EdgeDefinition[] = [];
  readonly #joins: JoinDefinition[] = [];
  readonly #branches: BranchDefinition[] = [];

  /** Throws `INVALID_STATE` when `state` is not made by `Annotation.Root`. */
  constructor(state: AnnotationRoot<Keys>, ...rest: readonly never[]) {
    if (rest.length > 0) {
      throw new SuperstepError("UNKNOWN_OPTION", "StateGraph takes the state and nothing else.", {
        fix: "Give what nodes depend on as the run's option context.",
      });
    }
    if (typeof state?.spec !== "object" || state.spec === null) {
      throw new SuperstepError("INVALID_STATE", `A graph's state cannot be ${describe(state)}.`, {
        fix: "Give Annotation.Root({ ... }).",
      });
    }
    this.#keys = state.spec;
  }

  /** Adds several nodes, `{ name: function }`. */
  addNode<Name extends string>(
    nodes: Readonly<
      Record<
        Name,
        (state: StateOf<Keys>, runtime: Runtime) => MaybePromise<NodeReturn<UpdateOf<Keys>>>
      >
    >,
  ): StateGraph<Keys, Nodes | Name>;
  /** Adds a node that is an object with `invoke`, such as a `ToolNode` or a runnable. */
  addNode<Name extends string>(
    name: Name extends Nodes ? never : Name,
    node: Invocable<StateOf<Keys>, MaybePromise<NodeReturn<UpdateOf<Keys>>>>,
    options?: NodeOptions,
  ): StateGraph<Keys, Nodes | Name>;
  /**
   * Adds a node: a function of the state, called with a runtime as its second argument. A node that
   * only Sends lead to annotates its parameter with what they carry.
   *
   * Throws `DUPLICATE_NODE`, `INVALID_NODE_NAME`, `STATE_KEY_CONFLICT` or `INVALID_NODE`.
   */
  addNode<
    Name extends string,
    Returned extends MaybePromise<NodeReturn<UpdateOf<Keys>>>,
    // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- Input is inferred from an annotation
    Input = StateOf<Keys>,
  >(
    name: Name extends Nodes ? never : Name,
    run: (input: Input, runtime: Runtime) => Returned & Exact<UpdateOf<Keys>, Returned>,
    options?: NodeOptions,
  ): StateGraph<Keys, Nodes | Name>;
  addNode(
    nameOrNodes: string | Readonly<Record<string, unknown>>,
    run?: unknown,
    options?: NodeOptions,
  ): StateGraph<Keys, string> {
    const calls =
      typeof nameOrNodes === "object" && nameOrNodes !== null
        ? callsOf(nameOrNodes, run, options)
        : [{ name: nameOrNodes, run, options }];
    const checked = calls.map(
      (call) => [call.name, checkNode(this.#nodes, this.#keys, call)] as const,
    );
    for (const [name, node] of checked) this.#nodes.set(name, node); // all of them or none
    return this;
  }

  /**
   * Leads from one node to the next. With several sources the target waits until each has run.
   *
   * Throws `INVALID_EDGE`; names are checked by `compile`.
   */
  addEdge(source: Source<Nodes> | readonly Source<Nodes>[], target: Target<Nodes>): this {
    if (Array.isArray(source)) {
      this.#joins.push(checkJoin(source as readonly string[], target));
    } else {
      this.#edges.push(checkEdge(source as string, target));
    }
    return this;
  }

  /**
   * Lets `path` choose where to go when `source` has run. It reads the state as `source` leaves it
   * and returns a node's name, END, a `Send`, or a list of them. With `pathMap` it returns a key of
   * the map (or an element of the list) instead, and the map is its legal range.
   *
   * Throws `INVALID_EDGE`; names are checked by `compile`.
   */
  addConditionalEdges<Key extends string | number | boolean>(
    source: Source<Nodes>,
    path: (state: StateOf<Keys>, runtime: Runtime) => MaybePromise<Route<Key>>,
    pathMap: Readonly<Record<`${Key}`, Target<Nodes>>>,
  ): this;
  addConditionalEdges<const Targets extends readonly Target<Nodes>[]>(
    source: Source<Nodes>,
    path: (state: StateOf<Keys>, runtime: Runtime) => MaybePromise<Route<Targets[number]>>,
    pathMap: Targets,
  ): this;
  addConditionalEdges(
    source: Source<Nodes>,
    path: (state: StateOf<Keys>, runtime: Runtime) => MaybePromise<Route<Target<Nodes>>>,
  ): this;
  addConditionalEdges(
    source: string,
    path: (state: never, runtime: Runtime) => unknown,
    pathMap?: Readonly<Record<string, string>> | readonly string[],
  ): this {
    this.#branches.push(checkBranch(source, path, pathMap));
    return this;
  }

  /** The same as `addEdge(START, node)`. */
  setEntryPoint(node: Target<Nodes>): this {
    this.#edges.push(checkEdge(START, node));
    return this;
  }

  /** The same as `addEdge(node, END)`. */
  setFinishPoint(node: Source<Nodes>): this {
    this.#edges.push(checkEdge(node, END));
    return this;
  }

  /**
   * Checks the graph and makes it runnable. The compiled graph does not change when the builder
   * does.
   *
   * Throws `MISSING_ENTRY_POINT`, `UNKNOWN_NODE`, `UNREACHABLE_NODE` or `UNKNOWN_OPTION`.
   */
  compile(
    options?: CompileOptions,
  ): CompiledStateGraph<StateOf<Keys>, UpdateOf<Keys>, AnyIfNone<Nodes>> {
    const definition = {
      keys: this.#keys,
      nodes: new Map(this.#nodes),
      edges: [...this.#edges],
      joins: [...this.#joins],
      branches: [...this.#branches],
    };
    const plan = compileGraph(definition, options);
    return new CompiledStateGraph(definition, plan, checkSaver(options?.checkpointer));
  }
}
