import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MemorySaver } from "../../src/checkpoint/memory-saver.ts";
import type { Claim, RunSaver } from "../../src/checkpoint/saver.ts";
import { SqliteSaver } from "../../src/sqlite.ts";
import { checkpointOf } from "./kit.ts";

type Step =
  | { readonly do: "admit"; readonly run: number; readonly thread: number; readonly by: number }
  | { readonly do: "claim"; readonly run: number; readonly by: number }
  | { readonly do: "put"; readonly claim: number; readonly task: number }
  | {
      readonly do: "commit";
      readonly claim: number;
      readonly parent: number;
      readonly end: boolean;
    }
  | { readonly do: "settle"; readonly claim: number; readonly status: "done" | "failed" }
  | { readonly do: "renew"; readonly claim: number }
  | { readonly do: "delete"; readonly thread: number };

const few = fc.nat({ max: 2 });
const some = fc.nat({ max: 5 });
const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant("admit" as const), run: some, thread: few, by: few }),
    fc.record({ do: fc.constant("claim" as const), run: some, by: few }),
    fc.record({ do: fc.constant("put" as const), claim: some, task: few }),
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant("commit" as const),
        claim: some,
        parent: some,
        end: fc.boolean(),
      }),
    },
    fc.record({
      do: fc.constant("settle" as const),
      claim: some,
      status: fc.constantFrom("done" as const, "failed" as const),
    }),
    fc.record({ do: fc.constant("renew" as const), claim: some }),
    fc.record({ do: fc.constant("delete" as const), thread: few }),
  ),
  { maxLength: 60, size: "max" },
);

/** One saver, the claims that it has granted (old ones too), and the ids that it was given. */
class Side {
  readonly saver: RunSaver;
  readonly claims: Claim[] = [];
  readonly #ids: string[] = [];

  constructor(saver: RunSaver) {
    this.saver = saver;
  }

  async take(step: Step): Promise<unknown> {
    const { saver } = this;
    if (step.do === "admit") {
      const run = { runId: `run ${step.run}`, threadId: `thread ${step.thread}` };
      const by = step.by === 0 ? undefined : ownerOf(step.by);
      const answer = await saver.admit({ ...run, input: "i", graph: "g" }, by);
      return this.#keep(answer.admitted ? answer.claimed?.claim : undefined, answer);
    }
    if (step.do === "claim") {
      const claimed = await saver.claim(`run ${step.run}`, ownerOf(step.by));
      return this.#keep(claimed?.claim, claimed);
    }
    if (step.do === "delete") return saver.deleteThread(`thread ${step.thread}`);
    // Mostly the newest claim, sometimes one that was taken over.
    const claim = this.claims.at(step.claim > 2 ? -1 : -1 - step.claim);
    return claim && this.#write(step, claim);
  }

  async #write(
    step: Exclude<Step, { readonly do: "admit" | "claim" | "delete" }>,
    claim: Claim,
  ): Promise<unknown> {
    const { saver } = this;
    if (step.do === "put") {
      return saver.putWrites(claim, `task ${step.task}`, `${this.#ids.length} ${claim.runId}`);
    }
    if (step.do === "renew") return saver.renew(claim);
    if (step.do === "settle") return saver.settle(claim, { status: step.status, error: "e" });
    const head = (await saver.latest(claim.threadId))?.checkpoint.id;
    const parent = step.parent > 0 ? head : this.#ids.at(-1);
    const id = `id-${String(this.#ids.length).padStart(6, "0")}`;
    this.#ids.push(id);
    const isSnapshot = step.parent === 1;
    const checkpoint = checkpointOf(claim, parent, { id, isSnapshot, channels: id });
    return saver.commit(claim, checkpoint, step.end ? { status: "done" } : undefined);
  }

  #keep<T>(claim: Claim | undefined, answer: T): T {
    if (claim) this.claims.push(claim);
    return answer;
  }

  async everything(): Promise<unknown> {
    const { saver } = this;
    const threads = await saver.threads();
    const details = threads.map(async ({ threadId }) => [
      await saver.latest(threadId),
      await saver.history(threadId),
      await saver.history(threadId, { limit: 2 }),
      await saver.runs(threadId),
    ]);
    return [threads, await saver.stale(0, 100), ...(await Promise.all(details))];
  }
}

function ownerOf(by: number): { readonly owner: string; readonly leaseMs: number } {
  return { owner: `owner ${by}`, leaseMs: 1_000_000 };
}

function byText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

const times = new Set(["createdAt", "updatedAt", "leaseUntil"]);

/** Without times, and with errors as texts. */
async function plain(promise: Promise<unknown>): Promise<string> {
  const value = await promise.catch((error: Error & { readonly code: string }) => ({
    refused: `${error.code} ${error.message}`,
  }));
  return (
    JSON.stringify(value, (key, part: unknown) => {
      if (times.has(key)) return typeof part;
      return part instanceof Map
        ? Object.entries(Object.fromEntries(part)).map(String).toSorted(byText)
        : part;
    }) ?? "undefined"
  );
}

describe("MemorySaver and SqliteSaver", () => {
  it("answer alike to any calls in any order", async () => {
    const seen = new Set<string>();
    const property = fc.asyncProperty(steps, async (calls) => {
      using sqlite = new SqliteSaver(":memory:");
      const [a, b] = [new Side(new MemorySaver()), new Side(sqlite)];
      for (const step of calls) {
        const answer = await plain(b.take(step));
        expect(await plain(a.take(step))).toBe(answer);
        seen.add(`${step.do} ${/"refused":"(\w+)/u.exec(answer)?.[1] ?? "ok"}`);
      }
      expect(await plain(a.everything())).toBe(await plain(b.everything()));
    });
    await fc.assert(property, { numRuns: 500 });
    const reached = ["commit ok", "commit RUN_FENCED", "put RUN_FENCED", "renew RUN_FENCED"];
    for (const outcome of reached) expect(seen).toContain(outcome);
  }, 20_000);
});
