import { deepFreeze, freezeNew, isPlain } from "../channels/freeze.ts";
import { describe, listNames } from "../errors/describe.ts";
import { InvalidUpdateError } from "../errors/errors.ts";
import { warnOnce } from "../errors/warn.ts";
import { type Command, END, isCommand, isSend, type Send } from "./command.ts";
import type { Run } from "./run.ts";
import type { Task } from "./task.ts";

/**
 * Turns what a node returned into the task's writes and sends. Nothing (also `""`, `0` and `false`,
 * as `condition && update` gives them) is no update; an object writes its keys; a `Command` writes
 * and routes; a list with a `Command` in it is taken one by one.
 */
export function collectReturn(run: Run, task: Task, returned: unknown): void {
  if (!returned) return;
  if (isCommand(returned)) {
    if (returned.resume !== undefined) throw misplacedResume(task);
    collectCommand(run, task, returned);
  } else if (Array.isArray(returned) && returned.some(isCommand)) {
    for (const item of returned) collectReturn(run, task, item);
  } else if (isPlain(returned) && !Array.isArray(returned)) {
    collectUpdate(run, task, returned as Readonly<Record<string, unknown>>);
  } else {
    throw new InvalidUpdateError(
      "INVALID_GRAPH_NODE_RETURN_VALUE",
      `Node ${JSON.stringify(task.node.name)} returned ${describe(returned)}, which is no update of the state.`,
      {
        fix: "Return an object with state keys, a Command, a list with a Command in it, or nothing.",
      },
    );
  }
}

function collectUpdate(run: Run, task: Task, update: Readonly<Record<string, unknown>>): void {
  for (const key of Object.keys(update)) collectWrite(run, task, key, update[key]);
}

/**
 * Writes one state key. A value of `undefined` is no write; nor is a list or record handed back as
 * it was read, and what the engine filled in.
 */
export function collectWrite(run: Run, task: Task, key: string, value: unknown): void {
  const channel = run.plan.stateKeys.get(key);
  if (channel === undefined) throw unknownKey(run, task, key);
  const current = run.values[channel];
  if (run.plan.managed.some((entry) => entry.channel === channel)) {
    if (value === undefined || Object.is(value, current)) return;
    throw unknownKey(run, task, key);
  }
  if (value === undefined || (typeof value === "object" && value === current && value !== null)) {
    return;
  }
  const { prepare, keepsWrites } = run.plan.channels[channel]!.channel;
  if (keepsWrites) deepFreeze(value, current);
  task.writes.push({ channel, value: prepare ? prepare(value) : value });
}

export function collectCommand(run: Run, task: Task, command: Command): void {
  for (const [key, value] of entriesOf(task, command.update)) collectWrite(run, task, key, value);
  if (command.goto.length === 0) return;
  const { node } = task;
  if (node.edges.length > 0 && !node.hidden) {
    warnOnce(
      node,
      `Node ${JSON.stringify(node.name)} returned a Command with goto and also has static edges: the targets of both run. Remove the edge if the goto should replace it.`,
    );
  }
  for (const target of command.goto) {
    const name = isSend(target) ? target.node : target;
    if (node.ends && !node.ends.has(name)) throw outOfEnds(task, name, node.ends);
    if (isSend(target)) addSend(run, task, target);
    else addTarget(run, task, target);
  }
}

type Entries = readonly (readonly [key: string, value: unknown])[];

/** The update of a `Command`: an object, or a list of pairs that may name a key twice. */
function entriesOf(task: Task, update: unknown): Entries {
  if (update === undefined || update === null) return [];
  if (Array.isArray(update)) {
    if (update.every((pair) => Array.isArray(pair) && pair.length === 2)) return update as Entries;
  } else if (isPlain(update)) {
    return Object.entries(update);
  }
  throw new InvalidUpdateError(
    "INVALID_GRAPH_NODE_RETURN_VALUE",
    `${source(task)} gave a Command the update ${describe(update)}.`,
    { fix: "Give an object with state keys, or a list of [key, value] pairs." },
  );
}

/** Makes the node `name` due in the next superstep. END leads nowhere. */
export function addTarget(run: Run, task: Task, name: string): void {
  if (name === END) return;
  const node = run.plan.nodesByName.get(name);
  if (!node) throw unknownNode(run, task, name);
  task.writes.push(node.wake);
}

export function addSend(run: Run, task: Task, send: Send): void {
  if (!run.plan.nodesByName.has(send.node)) throw unknownNode(run, task, send.node);
  freezeNew(send.args);
  task.sends.push(send);
}

function unknownKey(run: Run, task: Task, key: string): Error {
  const managed = run.plan.stateKeys.has(key);
  const keys = listNames(writableKeys(run));
  return new InvalidUpdateError(
    "UNKNOWN_STATE_KEY",
    managed
      ? `${source(task)} wrote to ${JSON.stringify(key)}, which the engine fills in.`
      : `${source(task)} wrote to ${JSON.stringify(key)}, which is no state key.`,
    { fix: `Write to one of ${keys}, or add the key to the state.` },
  );
}

/** The state keys that a node or an input may write. */
export function writableKeys(run: Run): readonly string[] {
  const filled = new Set(run.plan.managed.map(({ channel }) => channel));
  return [...run.plan.stateKeys].flatMap(([key, channel]) => (filled.has(channel) ? [] : [key]));
}

function misplacedResume(task: Task): Error {
  return new InvalidUpdateError(
    "INVALID_GRAPH_NODE_RETURN_VALUE",
    `${source(task)} returned a Command with resume, which answers an interrupt from outside.`,
    { fix: "Give the Command to invoke or stream instead." },
  );
}

function unknownNode(run: Run, task: Task, name: unknown): Error {
  return new InvalidUpdateError(
    "UNKNOWN_NODE",
    `${source(task)} leads to ${describe(name)}, which is no node.`,
    {
      fix: `Lead to one of ${listNames(run.plan.nodesByName.keys())}${name === END ? "; END takes no Send" : ", or END"}.`,
    },
  );
}

function outOfEnds(task: Task, name: unknown, ends: ReadonlySet<string>): Error {
  return new InvalidUpdateError(
    "ROUTE_OUT_OF_RANGE",
    `${source(task)} leads to ${describe(name)}, which is not among its declared ends.`,
    { fix: `Lead to one of ${listNames(ends)}, or add the target to the node's ends.` },
  );
}

/** Who wrote: a node, or the caller whose input the hidden first task takes. */
function source(task: Task): string {
  return task.node.hidden ? "The input" : `Node ${JSON.stringify(task.node.name)}`;
}
