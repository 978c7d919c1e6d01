import { messageId, messageMetadata } from "./emit.ts";
import type { Merged } from "./merge.ts";
import type { Run, RunStreamSink } from "./run.ts";
import type { Task } from "./task.ts";

/** Streams what a superstep did, once it is committed and in task order. */
export function announce(
  run: Run,
  stream: RunStreamSink,
  step: { readonly tasks: readonly Task[]; readonly merged: Merged },
): void {
  if (stream.modes.has("messages")) announceMessages(run, stream, step.tasks);
  if (stream.modes.has("updates")) {
    for (const task of step.tasks) {
      if (task.node.hidden) continue;
      stream.queue.push({ mode: "updates", payload: { [task.node.name]: updateOf(run, task) } });
    }
  }
  if (stream.modes.has("values") && step.merged.stateWritten) {
    stream.queue.push({ mode: "values", payload: run.view.output() });
  }
}

/** Messages that nodes wrote, but for those whose tokens were streamed and those of the input. */
function announceMessages(
  run: Run,
  { queue, streamed }: RunStreamSink,
  tasks: readonly Task[],
): void {
  for (const task of tasks) {
    for (const { channel, value } of task.writes) {
      for (const message of run.plan.channels[channel]!.channel.emit?.(value) ?? []) {
        const id = messageId(message);
        if (id !== undefined && streamed.has(id)) continue;
        if (id !== undefined) streamed.add(id);
        if (task.node.hidden) continue;
        queue.push({ mode: "messages", payload: [message, messageMetadata(run, task)] });
      }
    }
  }
}

/** What a task wrote to the state; a list of single writes when it wrote a key more than once. */
function updateOf(run: Run, task: Task): unknown {
  const writes: [key: string, value: unknown][] = [];
  for (const { channel, value } of task.writes) {
    const { name, isState } = run.plan.channels[channel]!;
    if (isState) writes.push([name, value]);
  }
  const update = Object.fromEntries(writes);
  if (Object.keys(update).length === writes.length) return update;
  return writes.map(([key, value]) => ({ [key]: value }));
}
