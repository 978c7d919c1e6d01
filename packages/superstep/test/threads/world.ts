import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Annotation, MemorySaver, type RunSaver, START, StateGraph } from "superstep";
import { SqliteSaver } from "superstep/sqlite";

/** Each saver, new for each call. */
export const savers: readonly (readonly [name: string, make: () => RunSaver])[] = [
  ["MemorySaver", () => new MemorySaver()],
  ["SqliteSaver", () => new SqliteSaver(":memory:")],
];

export function onThread(thread_id: string): { configurable: { thread_id: string } } {
  return { configurable: { thread_id } };
}

export const Log = Annotation.Root({
  log: Annotation<string[]>({ reducer: (all, more) => [...all, ...more], default: () => [] }),
  note: Annotation<unknown>(),
});

/** START -> first -> second -> third, each of which writes its name and may do more. */
export function chain(
  saver: RunSaver,
  bodies: Partial<Record<"first" | "second" | "third", () => unknown>> = {},
) {
  const node = (name: "first" | "second" | "third") => async () => {
    await bodies[name]?.();
    return { log: [name] };
  };
  return new StateGraph(Log)
    .addNode("first", node("first"))
    .addNode("second", node("second"))
    .addNode("third", node("third"))
    .addEdge(START, "first")
    .addEdge("first", "second")
    .addEdge("second", "third")
    .compile({ checkpointer: saver });
}

const body = (name: string, run: () => unknown) => async () => {
  await run();
  return { log: [name] };
};

/** START -> left and right, in parallel, -> end. */
export function diamond(saver: RunSaver, left: () => unknown, right: () => unknown) {
  return new StateGraph(Log)
    .addNode("left", body("left", left))
    .addNode("right", body("right", right))
    .addNode("end", () => ({ log: ["end"] }))
    .addEdge(START, "left")
    .addEdge(START, "right")
    .addEdge(["left", "right"], "end")
    .compile({ checkpointer: saver });
}

/** A folder that is gone when the test is over. */
export function temporaryFolder(): {
  readonly path: string;
  readonly [Symbol.dispose]: () => void;
} {
  const path = mkdtempSync(join(tmpdir(), "superstep-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}
