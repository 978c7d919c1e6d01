import type { RunSaver, StoredCheckpoint, StoredRun } from "../checkpoint/saver.ts";
import {
  applyChannels,
  decodeError,
  decodeRecord,
  decodeTasks,
  type EndedTask,
  nodesSent,
} from "../checkpoint/stored-state.ts";
import { decode } from "../json/codec.ts";
// The classes, not only the guards: with them stored messages and Sends are known.
import { START } from "../engine/command.ts";
import { AIMessage, ToolMessage } from "../message/messages.ts";
import { unpackEvent } from "../stream/pack-event.ts";
import type { BuildStep, TraceEvent } from "../stream/trace-event.ts";

type Fields = Readonly<Record<string, unknown>>;
const pageSize = 500;

/**
 * The events of all runs of a thread, oldest first, as a `trace` subscriber was told of them: give
 * them to a `tracePrinter`. They come in task order, with the times of the checkpoints; a task that failed
 * told nothing that was kept but its error. Of plain updates only the keys were kept.
 *
 * Resolves with `[]` for a thread that does not exist; rejects with `CORRUPT_CHECKPOINT`,
 * `SAVER_ERROR`.
 */
export async function storedTrace(
  saver: RunSaver,
  threadId: string,
): Promise<readonly TraceEvent[]> {
  const runs = await all((after) => saver.runs(threadId, { limit: pageSize, after }), "runId");
  const checkpoints = await all(
    (after) => saver.history(threadId, { limit: pageSize, after }),
    "id",
  );
  const replay = new Replay();
  let next = 0;
  for (const run of runs) {
    let isFirst = true;
    for (; checkpoints[next]?.runId === run.runId; next++) {
      const checkpoint = checkpoints[next]!;
      if (isFirst) replay.begin(run, checkpoint.source === "loop");
      isFirst = false;
      replay.step(checkpoint);
    }
    if (isFirst) replay.begin(run, false);
    if (run === runs.at(-1)) {
      const head = await saver.latest(threadId);
      if (head) replay.records(head.checkpoint, head.records);
    }
    replay.end(run);
  }
  return replay.events;
}

/** All pages of a list that comes newest first, oldest first. */
async function all<Key extends string, Item extends { readonly [K in Key]: string }>(
  page: (after: string | undefined) => Promise<readonly Item[]>,
  key: Key,
): Promise<readonly Item[]> {
  const items: Item[] = [];
  for (;;) {
    const some = await page(items.at(-1)?.[key]);
    items.push(...some);
    if (some.length < pageSize) return items.toReversed();
  }
}

/** Goes through the checkpoints of a thread and says again what had been said. */
class Replay {
  readonly events: TraceEvent[] = [];
  readonly #values = new Map<string, unknown>();
  /** Calls and results by the id of the call, of all messages seen. */
  readonly #calls = new Map<string, unknown>();
  readonly #results = new Map<string, unknown>();
  readonly #seen = new WeakSet<object>();
  #step = 0;

  begin(run: StoredRun, resumed: boolean): void {
    const { build } = decode(run.graph) as { readonly build: readonly BuildStep[] };
    for (const each of build) this.#tell(run.createdAt, undefined, { type: "build", build: each });
    const { runId, threadId } = run;
    this.#tell(run.createdAt, undefined, { type: "run_start", runId, threadId, resumed });
  }

  step({ channels, isSnapshot, step, createdAt, tasks }: StoredCheckpoint): void {
    if (isSnapshot) this.#values.clear();
    applyChannels(this.#values, channels);
    for (const value of this.#values.values()) this.#readMessages(value);
    this.#step = step;
    this.#tellTasks(createdAt, decodeTasks(tasks));
  }

  /** Results of a superstep that has not come to its end, by the key of their task. */
  records({ step, createdAt, next }: StoredCheckpoint, records: ReadonlyMap<string, string>): void {
    this.#step = step + 1;
    const sent = nodesSent(next);
    for (const [key, text] of records) {
      const [kind, place = ""] = key.split(/:(.*)/s);
      const node = kind === "push" ? sent[Number(place)] : place;
      const { writes, events } = decodeRecord(text);
      for (const [, value] of writes) this.#readMessages(value);
      for (const packed of events) this.#tellPacked(createdAt, node, packed);
    }
  }

  end({ status, error, updatedAt }: StoredRun): void {
    if (status === "running") return;
    const reason = error === undefined ? {} : { error: asError(error) };
    this.#tell(updatedAt, undefined, { type: "run_end", status, ...reason });
  }

  #tellTasks(time: number, tasks: readonly EndedTask[]): void {
    const nodes = tasks.map(({ node }) => node);
    if (!nodes.includes(START)) this.#tell(time, undefined, { type: "step", nodes });
    for (const { node, events } of tasks) {
      for (const packed of events) this.#tellPacked(time, node, packed);
    }
  }

  /** Results of the tools that the task at hand ran. */
  #output: unknown[] = [];

  #tellPacked(time: number, node: string | undefined, packed: unknown): void {
    const event = unpackEvent(packed);
    if (!event) return;
    const { type, call } = event as { readonly type: string; readonly call?: { id: string } };
    if (type === "tool_start" || type === "tool_end") {
      const known = this.#calls.get(call!.id) ?? call;
      const result = this.#results.get(call!.id);
      if (type === "tool_end" && result !== undefined) this.#output.push(result);
      this.#tell(time, node, { ...event, call: known, ...(type === "tool_end" && { result }) });
    } else if (type === "update") {
      const update = this.#output.length > 0 ? { messages: this.#output } : undefined;
      this.#output = [];
      this.#tell(time, node, { ...event, update });
    } else {
      this.#tell(time, node, event);
    }
  }

  #tell(time: number, node: string | undefined, event: Fields): void {
    // What was packed had these types; a printer looks at what it needs.
    this.events.push({ ...event, time, step: this.#step, node } as unknown as TraceEvent);
  }

  /** New messages stand at the end of a list. */
  #readMessages(value: unknown): void {
    if (!Array.isArray(value)) return;
    for (let index = value.length - 1; index >= 0; index--) {
      const message: unknown = value[index];
      if (typeof message !== "object" || message === null || this.#seen.has(message)) return;
      this.#seen.add(message);
      if (ToolMessage.isInstance(message)) this.#results.set(message.tool_call_id, message);
      if (!AIMessage.isInstance(message)) continue;
      for (const call of message.tool_calls ?? []) this.#calls.set(call.id, call);
    }
  }
}

function asError(text: string): Error {
  const { name, message, code, fix } = decodeError(text);
  return Object.assign(new Error(message), { name, code, fix, stack: undefined });
}
