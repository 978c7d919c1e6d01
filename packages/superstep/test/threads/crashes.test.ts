import { Annotation, MemorySaver, type RunSaver, Send, START, StateGraph } from "superstep";
import { SqliteSaver } from "superstep/sqlite";
import { describe, expect, it } from "vitest";
import { onThread } from "./world.ts";

const changing = ["admit", "claim", "putWrites", "commit", "settle"] as const;

class Crash extends Error {}

/**
 * The saver as a process sees it that dies at its call number `at`: before it is carried out, or
 * after it and before the answer is read. The process that comes next has the saver itself.
 */
function dyingAt(saver: RunSaver, at: number, when: "before" | "after"): RunSaver {
  let calls = 0;
  let isDead = false;
  const dying: Record<string, unknown> = { newOwner: () => "this process" };
  for (const name of [...changing, "renew", "latest", "runs"] as const) {
    dying[name] = async (...args: never[]): Promise<unknown> => {
      if (isDead) throw new Crash("dead");
      const isHere = (changing as readonly string[]).includes(name) && calls++ === at;
      if (isHere) isDead = true;
      if (isHere && when === "before") throw new Crash("before");
      const result = await (saver[name] as (...a: never[]) => Promise<unknown>)(...args);
      if (isHere) throw new Crash("after");
      return result;
    };
  }
  return dying as unknown as RunSaver;
}

/** The next process has the same owner, so it need not wait for the lease of the dead one. */
function alive(saver: RunSaver): RunSaver {
  return dyingAt(saver, Number.POSITIVE_INFINITY, "before");
}

const State = Annotation.Root({
  log: Annotation<string[]>({ reducer: (all, more) => [...all, ...more], default: () => [] }),
  sum: Annotation<number>({ reducer: (a, b) => a + b, default: () => 0 }),
});

/** Parallel branches, a join, Sends and a loop; `ran` counts the bodies that came to their end. */
function build(checkpointer: RunSaver, ran: Map<string, number>) {
  const body = (name: string, sum: number) => (input: unknown) => {
    const key = `${name}${typeof input === "number" ? input : ""}`;
    ran.set(key, (ran.get(key) ?? 0) + 1);
    return { log: [key], sum };
  };
  return new StateGraph(State)
    .addNode("plan", body("plan", 1))
    .addNode("a", body("a", 2))
    .addNode("b", body("b", 4))
    .addNode("join", body("join", 8))
    .addNode("part", body("part", 16) as never)
    .addNode("last", body("last", 32))
    .addEdge(START, "plan")
    .addEdge("plan", "a")
    .addEdge("plan", "b")
    .addEdge(["a", "b"], "join")
    .addConditionalEdges("join", () => [1, 2, 3].map((n) => new Send("part", n)))
    .addEdge("part", "last")
    .compile({ checkpointer });
}

const expected = {
  log: ["q", "plan", "a", "b", "join", "part1", "part2", "part3", "last"],
  sum: 1 + 2 + 4 + 8 + 3 * 16 + 32,
};

const makers = [
  ["MemorySaver", () => new MemorySaver()],
  ["SqliteSaver", () => new SqliteSaver(":memory:")],
] as const;

/** How many calls a run makes that change something: it is let in, then records and commits. */
async function countCalls(): Promise<number> {
  const saver = new MemorySaver();
  let calls = 0;
  for (const name of changing) {
    const carryOut = saver[name].bind(saver) as (...args: never[]) => never;
    saver[name] = (...args: never[]) => {
      calls++;
      return carryOut(...args);
    };
  }
  await build(saver, new Map()).invoke({}, onThread("t"));
  return calls;
}

const total = await countCalls();
const moments = Array.from({ length: total }, (_, at) =>
  (["before", "after"] as const).map((when) => [at, when] as const),
).flat();

describe.each(makers)("a process that dies at a call of %s", (_name, make) => {
  // After the last call the run has ended and only the answer is lost.
  it.each(moments.slice(0, -1))(
    "number %i, %s it was carried out: asked again, the run ends as if nothing had happened",
    async (at, when) => {
      const saver = make();
      const ran = new Map<string, number>();
      const input = { log: ["q"] };
      const dying = build(dyingAt(saver, at, when), ran);
      await expect(dying.invoke(input, onThread("t"))).rejects.toThrow(/before|after|dead|failed/);
      const recorded = [...((await saver.latest("t"))?.records.keys() ?? [])];

      const again = new Map<string, number>();
      const state = await build(alive(saver), again).invoke(input, onThread("t"));
      expect(state).toEqual(expected);
      // What was recorded did not run again, and nothing ran twice in this process.
      for (const key of recorded) {
        const name = key.startsWith("pull:") ? key.slice(5) : `part${Number(key.slice(5)) + 1}`;
        expect(again.has(name)).toBe(false);
      }
      for (const [name, count] of again) expect(count, name).toBe(1);
      expect((await saver.threads())[0]).toMatchObject({
        isOrphaned: false,
        run: { status: "done" },
      });
    },
  );

  it("and is asked something else: the old run is finished first, then the new one", async () => {
    const saver = make();
    const ran = new Map<string, number>();
    const dying = build(dyingAt(saver, 3, "after"), ran);
    await expect(dying.invoke({ log: ["q"] }, onThread("t"))).rejects.toThrow(/after|dead|failed/);
    const { log } = await build(alive(saver), ran).invoke({ log: ["other"] }, onThread("t"));
    expect(log).toEqual([...expected.log, "other", ...expected.log.slice(1)]);
    const runs = await saver.runs("t");
    expect(runs.map(({ status }) => status)).toEqual(["done", "done"]);
  });

  it("in a node that the graph no longer has, and is asked something else: that begins", async () => {
    const saver = make();
    await expect(
      build(dyingAt(saver, 2, "before"), new Map()).invoke({ log: ["q"] }, onThread("t")),
    ).rejects.toThrow(Crash);
    const changed = new StateGraph(State)
      .addNode("renamed", () => ({ log: ["renamed"] }))
      .addEdge(START, "renamed")
      .compile({ checkpointer: alive(saver) });
    const { log } = await changed.invoke({ log: ["new"] }, onThread("t"));
    expect(log.slice(-2)).toEqual(["new", "renamed"]);
    expect((await saver.runs("t")).map(({ status }) => status)).toEqual(["done", "failed"]);
  });

  it("is fenced when it turns out to be alive after another has taken over", async () => {
    const saver = make();
    const { promise: gate, resolve: release } = Promise.withResolvers<void>();
    const slow = new StateGraph(State)
      .addNode("work", async () => {
        await gate;
        return { log: ["slow"] };
      })
      .addEdge(START, "work");
    const first = slow.compile({ checkpointer: alive(saver) }).invoke({}, onThread("t"));
    const end = first.catch((error: unknown) => error);
    await new Promise((resolve) => setTimeout(resolve, 10));
    const [run] = await saver.runs("t");
    // As if its lease had run out: the same owner may take over.
    expect(await saver.claim(run!.runId, { owner: "this process", leaseMs: 1_000 })).toBeDefined();
    release();
    expect(await end).toMatchObject({ code: "RUN_FENCED" });
    expect((await saver.latest("t"))?.checkpoint.step).toBe(0);
  });
});
