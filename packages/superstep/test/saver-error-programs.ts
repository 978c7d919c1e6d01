import {
  Annotation,
  type ErrorCode,
  MemorySaver,
  type RunSaver,
  START,
  StateGraph,
} from "superstep";
import { SqliteSaver } from "superstep/sqlite";
import { commandLine } from "../src/cli/arguments.ts";
import { loadGraph } from "../src/cli/load.ts";

const State = Annotation.Root({ note: Annotation<unknown>() });
const thread = { configurable: { thread_id: "order-7" }, runId: "run-1" };

function one(checkpointer: RunSaver, run: () => unknown) {
  return new StateGraph(State)
    .addNode("work", async () => ({ note: await run() }))
    .addEdge(START, "work")
    .compile({ checkpointer });
}

/** Does something while a run is at work on the thread; gives what comes of both. */
async function during(body: (saver: RunSaver) => unknown): Promise<unknown> {
  const saver = new MemorySaver();
  const { promise: gate, resolve: release } = Promise.withResolvers<void>();
  const { promise: atWork, resolve: begun } = Promise.withResolvers<void>();
  const graph = one(saver, () => {
    begun();
    return gate;
  });
  const run = graph.invoke({}, thread);
  await atWork;
  const other = body(saver);
  await Promise.allSettled([other]);
  release();
  return Promise.all([run, other]);
}

/** Reads a thread whose last stored text was altered. */
async function altered(change: (text: string) => string): Promise<unknown> {
  const saver = new MemorySaver();
  const graph = one(saver, () => 1);
  await graph.invoke({}, thread);
  const head = (await saver.latest("order-7"))!;
  saver.latest = () => Promise.resolve({ ...head, chain: head.chain.map(change) });
  return graph.getState(thread);
}

class Socket {
  readonly port = 80;
}

/** Programs that throw the errors of savers and threads, by code. */
export const saverPrograms: Partial<Record<ErrorCode, readonly (() => unknown)[]>> = {
  CORRUPT_CHECKPOINT: [() => altered((text) => `9${text.slice(1)}`), () => altered(() => "1{}")],
  INVALID_COMMAND_LINE: [
    () => commandLine(["runn", "agent.ts"]),
    () => commandLine(["run"]),
    () => commandLine(["run", "agent.ts", "How", "are", "you?"]),
    () => commandLine(["threads", "--bd", "threads.db"]),
    () => commandLine(["run", "agent.ts", "Hello", "--lang", "fr"]),
  ],
  INVALID_USER_FILE: [() => loadGraph("agnet.ts"), () => loadGraph("vitest.config.ts")],
  MISSING_THREAD_ID: [
    () => one(new MemorySaver(), () => 1).invoke({}),
    () => one(new MemorySaver(), () => 1).invoke({}, { configurable: { thread_id: 7 } }),
  ],
  RUN_FENCED: [() => during((saver) => saver.deleteThread("order-7"))],
  SAVER_ERROR: [() => one(new SqliteSaver("/dev/null/threads.db"), () => 1).invoke({}, thread)],
  THREAD_BUSY: [
    () => during((saver) => one(saver, () => 1).invoke({ note: 2 }, { ...thread, runId: "run-2" })),
  ],
  UNSTORABLE_VALUE: [
    () =>
      one(new MemorySaver(), () => ({ items: [1, { socket: new Socket() }] })).invoke({}, thread),
    () => one(new MemorySaver(), () => () => 1).invoke({}, thread),
    () => one(new MemorySaver(), () => 1).invoke({ note: Symbol("x") }, thread),
  ],
};
