import { describe, listNames } from "../errors/describe.ts";
import { InvalidUpdateError } from "../errors/errors.ts";
import { END, isSend, type Send, START } from "./command.ts";
import { mergeOwn } from "./merge.ts";
import { addSend, addTarget } from "./outcome.ts";
import type { Router } from "./plan.ts";
import { type Run, withManaged } from "./run.ts";
import type { Runtime } from "./runtime.ts";
import type { State } from "./state-view.ts";
import type { Task } from "./task.ts";

/** Asks each conditional edge of the task's node where to go. They read the state as this task leaves it. */
export async function followRouters(run: Run, task: Task, runtime: Runtime): Promise<void> {
  const state = stateAfter(run, task);
  for (const router of task.node.routers) {
    const result = await router.route(state, runtime);
    for (const target of Array.isArray(result) ? (result as unknown[]) : [result]) {
      follow(run, task, router, target);
    }
  }
}

/** The state with this task's own writes only: what tasks beside it write is not known yet. */
function stateAfter(run: Run, task: Task): State {
  const own = mergeOwn(run.plan, run.values, { number: run.step, tasks: [task] });
  return withManaged(run, own.length === 0 ? run.view.current() : run.view.with(own));
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
