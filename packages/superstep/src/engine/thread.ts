import type { Claim, Outcome, RunSaver } from "../checkpoint/saver.ts";
import type { ChannelChange, OpenQuestion } from "../checkpoint/stored-state.ts";
import { describe } from "../errors/describe.ts";
import { SuperstepError } from "../errors/errors.ts";
import { warnOnce } from "../errors/warn.ts";
import type { RunSettings } from "./options.ts";
import type { Merged } from "./merge.ts";
import type { Plan } from "./plan.ts";
import type { Run } from "./run.ts";
import type { Task } from "./task.ts";

/** How runs are kept. Its parts say what they do where they stand. */
export interface Durability {
  readonly openThread: (
    run: Run,
    thread: RunThread,
    finish: (run: Run) => Promise<unknown>,
  ) => Promise<void>;
  readonly recordTask: (run: Run, thread: RunThread, task: Task) => Promise<void>;
  readonly storeStep: (
    run: Run,
    thread: RunThread,
    step: { readonly tasks: readonly Task[]; readonly merged: Merged },
  ) => Promise<void>;
  readonly closeThread: (
    run: Run,
    thread: RunThread,
    end: { readonly status: Outcome["status"]; readonly error?: unknown },
  ) => Promise<void>;
}

let loading: Promise<Durability> | undefined;

export function loadDurability(): Promise<Durability> {
  return (loading ??= import("./durable.ts").then(({ durability }) => durability));
}

/** What ties a run to a thread that a saver keeps. */
export interface RunThread {
  readonly saver: RunSaver;
  readonly threadId: string;
  /** Set before the run is let in. */
  durability: Durability | undefined;
  /** Set when the run was let in. */
  claim: Claim | undefined;
  /** The id of the last checkpoint. */
  head: string | undefined;
  /** What is stored since the last snapshot. */
  chain: Chain;
  /** The stored values of channels that were changed outside a superstep, by number. */
  readonly before: Map<number, unknown>;
  /** The question that is open: the encoded input of this run, or of the run that it goes on with. */
  asked: string;
  /** Whether that input is in a checkpoint. */
  isBegun: boolean;
  /** The question that was open when the run was let in: it stays so when this run's input is refused. */
  earlier: OpenQuestion | undefined;
  /** Stored values of keys that this graph does not have: another graph of the thread may. */
  foreign: readonly ChannelChange[];
  /** Whether tasks are at work, so that the claim has to be kept alive. */
  isWorking: boolean;
  isSettled: boolean;
  heartbeat: ReturnType<typeof setInterval> | undefined;
}

/** Sizes of texts, in characters. */
export interface Chain {
  readonly snapshot: number;
  readonly changes: number;
  readonly length: number;
}

/** The thread of a run with these settings; `undefined` without a saver, which is said once. */
export function threadOf(plan: Plan, settings: RunSettings): RunThread | undefined {
  const { checkpointer: saver, configurable } = settings;
  const threadId = configurable["thread_id"];
  if (!saver) {
    if (threadId === undefined) return undefined;
    warnOnce(
      plan,
      `Graph ${JSON.stringify(plan.name)} was given a thread_id and has no saver: nothing of the run is kept.`,
    );
    return undefined;
  }
  if (configurable["checkpoint_id"] !== undefined) {
    throw new SuperstepError(
      "INVALID_OPTION",
      "A run goes on from the last checkpoint of its thread and takes no checkpoint_id.",
      { fix: "Leave configurable.checkpoint_id out; getState reads earlier checkpoints." },
    );
  }
  return {
    saver,
    threadId: checkThreadId(threadId),
    durability: undefined,
    claim: undefined,
    head: undefined,
    chain: { snapshot: 0, changes: 0, length: 0 },
    before: new Map(),
    asked: "",
    isBegun: false,
    earlier: undefined,
    foreign: [],
    isWorking: false,
    isSettled: false,
    heartbeat: undefined,
  };
}

export function checkThreadId(threadId: unknown): string {
  if (typeof threadId === "string" && threadId !== "") return threadId;
  const given = threadId === undefined ? "there is none" : `it cannot be ${describe(threadId)}`;
  throw new SuperstepError(
    "MISSING_THREAD_ID",
    `The graph has a saver, which keeps threads by configurable.thread_id, and ${given}.`,
    { fix: 'Give a string that is not empty: { configurable: { thread_id: "..." } }.' },
  );
}
