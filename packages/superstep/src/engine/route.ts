import { describe, listNames } from "../errors/describe.ts";
import { InvalidUpdateError } from "../errors/errors.ts";
import { END, isSend, type Send, START } from "./command.ts";
import { tell } from "./emit.ts";
import { mergeOwn } from "./merge.ts";
import { addSend, addTarget } from "./outcome.ts";
import type { Router } from "./plan.ts";
import type { Run } from "./run.ts";
import type { Runtime } from "./runtime.ts";
import type { State } from "./state-view.ts";
import type { Task } from "./task.ts";

const stateless = new WeakSet<object>();

/** Marks a router that does not look at the state, so that none is made for it. */
export function withoutState<Route extends () => unknown>(route: Route): Route {
  stateless.add(route);
  return route;
}

/**
 * Asks each conditional edge of the task's node where to go. They read the state as this task
 * leaves it. Returns a promise only when one of them does.
 */
export function followRouters(run: Run, task: Task, runtime: Runtime): Promise<void> | undefined {
  const { routers } = task.node;
  const isRead = routers.some(({ route }) => !stateless.has(route));
  const state = isRead ? stateAfter(run, task) : run.view.current();
  for (let index = 0; index < routers.length; index++) {
    const result = routers[index]!.route(state, runtime);
    if (isThenable(result)) {
      return followLater(run, task, { result, index, state, runtime });
    }
    followAll(run, task, routers[index]!, result);
  }
  return undefined;
}

async function followLater(run: Run, task: Task, asked: Asked): Promise<void> {
  const { state, runtime, index } = asked;
  followAll(run, task, task.node.routers[index]!, await asked.result);
  for (const router of task.node.routers.slice(index + 1)) {
    if (task.status !== "running") return; // the run has ended without it
    followAll(run, task, router, await router.route(state, runtime));
  }
}

/** The router at `index` has been asked, those after it not yet. */
interface Asked {
  readonly result: PromiseLike<unknown>;
  readonly index: number;
  readonly state: State;
  readonly runtime: Runtime;
}

function followAll(run: Run, task: Task, router: Router, result: unknown): void {
  if (run.isTraced && !task.node.hidden) {
    const targets = new Set((Array.isArray(result) ? result : [result]).map(nameOf));
    tell(run, task, { type: "route", router: router.name, targets: [...targets] });
  }
  if (!Array.isArray(result)) return follow(run, task, router, result);
  for (const target of result as readonly unknown[]) follow(run, task, router, target);
}

function nameOf(target: unknown): string {
  return isSend(target) ? target.node : keyOf(target);
}

export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    (typeof value === "object" || typeof value === "function") &&
    value !== null &&
    "then" in value &&
    typeof value.then === "function"
  );
}

/** The state with this task's own writes only: what tasks beside it write is not known yet. */
function stateAfter(run: Run, task: Task): State {
  task.own = mergeOwn(run.plan, run.values, { number: run.step, tasks: [task] });
  return task.own.length > 0 ? run.view.with(task.own) : run.view.current();
}

function follow(run: Run, task: Task, router: Router, target: unknown): void {
  if (isSend(target)) {
    checkSend(task, router, target);
    return addSend(run, task, target);
  }
  if (router.targets) {
    const mapped = router.targets.get(keyOf(target));
    if (mapped === undefined) throw outOfRange(task, router, target, router.targets.keys());
    return addTarget(run, task, mapped);
  }
  if (typeof target === "string" && (target === END || run.plan.nodesByName.has(target))) {
    return addTarget(run, task, target);
  }
  throw outOfRange(task, router, target, [...run.plan.nodesByName.keys(), END]);
}

/** A path map may be keyed by booleans or numbers, which are strings as property names. */
function keyOf(target: unknown): string {
  return typeof target === "boolean" || typeof target === "number"
    ? `${target}`
    : (target as string);
}

function checkSend(task: Task, router: Router, send: Send): void {
  const { targets } = router;
  if (!targets) return;
  const range = new Set(targets.values());
  if (!range.has(send.node)) throw outOfRange(task, router, send, range);
}

function outOfRange(task: Task, router: Router, target: unknown, allowed: Iterable<string>): Error {
  const node = task.node.hidden ? START : task.node.name;
  const given = isSend(target) ? `a Send to ${describe(target.node)}` : describe(target);
  return new InvalidUpdateError(
    "ROUTE_OUT_OF_RANGE",
    `Conditional edge ${JSON.stringify(router.name)} of node ${JSON.stringify(node)} returned ${given}, which is not in its range.`,
    { fix: `Return one of ${listNames(allowed)}, a Send, or a list of them.` },
  );
}
