import { messageId, messageMetadata, updateOf } from "./emit.ts";
import type { Merged } from "./merge.ts";
import type { Chunk, Run, RunStreamSink } from "./run.ts";
import type { Task } from "./task.ts";

/** Streams what a superstep did, once it is committed and in task order. */
export function announce(
  run: Run,
  stream: RunStreamSink,
  step: {
    readonly tasks: readonly Task[];
    readonly merged: Merged;
    readonly messages: readonly Chunk[];
  },
): void {
  for (const chunk of step.messages) stream.queue.push(chunk);
  if (stream.modes.has("updates")) {
    for (const task of step.tasks) {
      if (task.node.hidden) continue;
      stream.queue.push({
        mode: "updates",
        payload: { [task.node.name]: updateOf(run.plan, task) },
      });
    }
  }
  if (stream.modes.has("values") && step.merged.stateWritten) {
    stream.queue.push({ mode: "values", payload: run.view.output() });
  }
}

/**
 * The messages that tasks wrote, for stream mode `messages`: not those that the state had already,
 * those of the input, nor those whose tokens were streamed. Read before the superstep is committed.
 */
export function newMessages(run: Run, tasks: readonly Task[]): readonly Chunk[] {
  if (!run.stream?.modes.has("messages")) return [];
  const { streamed } = run.stream;
  const chunks: Chunk[] = [];
  for (const task of tasks) {
    for (const { channel, value } of task.writes) {
      const { emit } = run.plan.channels[channel]!.channel;
      for (const message of emit?.(value, run.values[channel]) ?? []) {
        const id = messageId(message);
        if (id !== undefined && streamed.has(id)) continue;
        if (id !== undefined) streamed.add(id);
        if (task.node.hidden) continue;
        chunks.push({ mode: "messages", payload: [message, messageMetadata(run, task)] });
      }
    }
  }
  return chunks;
}
