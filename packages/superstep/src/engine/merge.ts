import { ConflictingWrites } from "../channels/channel.ts";
import { deepFreeze } from "../channels/freeze.ts";
import { listNames } from "../errors/describe.ts";
import { InvalidUpdateError } from "../errors/errors.ts";
import { attachLocation } from "../errors/location.ts";
import type { NodePlan, Plan, Write } from "./plan.ts";
import { locationOf, pullTask, pushTask, type Task } from "./task.ts";

/** What a superstep changes: the values to store and the tasks that are due next. */
export interface Merged {
  readonly changes: readonly Write[];
  readonly due: readonly Task[];
  /** Whether a state key was written. */
  readonly stateWritten: boolean;
}

/** The tasks of one superstep, in task order, and its number. */
export interface Superstep {
  readonly number: number;
  readonly tasks: readonly Task[];
}

/**
 * Applies the writes of a superstep's tasks, in task order, to `values`. Pure but for freezing:
 * nothing is stored, so an error in a reducer leaves the state as it was. The cost is that of the
 * channels written, not of all channels.
 */
export function merge(plan: Plan, values: readonly unknown[], step: Superstep): Merged {
  const changes: Write[] = [];
  const due: NodePlan[] = [];
  let stateWritten = false;
  for (const { channel, list } of writesByChannel(step.tasks)) {
    const { channel: rule, isState, subscribers } = plan.channels[channel]!;
    const current = values[channel];
    let value = ownValue(step, channel);
    if (value === undefined) value = applyChannel(plan, step, { channel, list, current });
    if (isState) stateWritten = true;
    if (subscribers.length > 0 && (rule.isReady?.(value) ?? true)) {
      for (const number of subscribers) due.push(plan.nodes[number]!);
      if (rule.consume) value = rule.consume(value);
    }
    if (value !== current) changes.push({ channel, value });
  }
  for (const channel of plan.ephemeral) {
    const isWritten = changes.some((change) => change.channel === channel);
    if (!isWritten && values[channel] !== undefined) changes.push({ channel, value: undefined });
  }
  return { changes, due: dueTasks(plan, due, step.tasks), stateWritten };
}

/** The state keys that one task writes, merged as if it were alone; conditional edges read these. */
export function mergeOwn(plan: Plan, values: readonly unknown[], step: Superstep): Write[] {
  const changes: Write[] = [];
  for (const { channel, list } of writesByChannel(step.tasks)) {
    if (!plan.channels[channel]!.isState) continue;
    const value = applyChannel(plan, step, { channel, list, current: values[channel] });
    changes.push({ channel, value });
  }
  return changes;
}

/** A task that was alone in its superstep may have its writes merged already, by `mergeOwn`. */
function ownValue({ tasks }: Superstep, channel: number): unknown {
  if (tasks.length > 1) return undefined;
  return tasks[0]!.own?.find((change) => change.channel === channel)?.value;
}

/** The values written to one channel, in task order. */
interface ChannelWrites {
  readonly channel: number;
  readonly list: unknown[];
}

/** A short list is searched faster than a Map is made. */
const searchLimit = 8;

function writesByChannel(tasks: readonly Task[]): readonly ChannelWrites[] {
  const all: ChannelWrites[] = [];
  let index: Map<number, ChannelWrites> | undefined;
  for (const task of tasks) {
    for (const { channel, value } of task.writes) {
      const known = index ? index.get(channel) : all.find((each) => each.channel === channel);
      if (known) {
        known.list.push(value);
        continue;
      }
      const writes = { channel, list: [value] };
      all.push(writes);
      if (index) index.set(channel, writes);
      else if (all.length > searchLimit) index = new Map(all.map((each) => [each.channel, each]));
    }
  }
  return all;
}

/** Applies one channel's rule and freezes the result; when it fails, says who wrote what. */
function applyChannel(
  plan: Plan,
  step: Superstep,
  writes: ChannelWrites & { readonly current: unknown },
): unknown {
  const { name, channel: rule, isState } = plan.channels[writes.channel]!;
  try {
    const value = rule.update(writes.current, writes.list);
    if (isState && !rule.freezesItself && !rule.keepsWrites) deepFreeze(value, writes.current);
    return value;
  } catch (error) {
    const writers = step.tasks.filter((task) =>
      task.writes.some((write) => write.channel === writes.channel),
    );
    if (error instanceof ConflictingWrites) throw conflict(name, error, writers);
    attachLocation(error, { ...locationOf(writers[0]!, step.number), key: name });
    throw error;
  }
}

function conflict(key: string, error: ConflictingWrites, writers: readonly Task[]): Error {
  const nodes = listNames(new Set(writers.map((task) => task.node.name)));
  return new InvalidUpdateError(
    "INVALID_CONCURRENT_GRAPH_UPDATE",
    `State key ${JSON.stringify(key)} takes one value a superstep and was given ${error.count}, by ${nodes}.`,
    {
      fix: "Give the key a reducer that merges them: Annotation({ reducer: (current, update) => ..., default: () => ... }).",
    },
  );
}

/** Nodes that edges made due, in order of their names, then the Sends in the order they were made. */
function dueTasks(plan: Plan, nodes: NodePlan[], tasks: readonly Task[]): Task[] {
  if (nodes.length > 1) nodes.sort((a, b) => a.number - b.number);
  const due: Task[] = [];
  for (let index = 0; index < nodes.length; index++) {
    if (nodes[index] !== nodes[index - 1]) due.push(pullTask(nodes[index]!));
  }
  let sent = 0;
  for (const task of tasks) {
    for (const send of task.sends) {
      due.push(pushTask(plan.nodesByName.get(send.node)!, sent++, send.args));
    }
  }
  return due;
}
