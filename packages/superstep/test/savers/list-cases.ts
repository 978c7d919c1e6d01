import assert from "node:assert/strict";
import type { RunSaver, StoredThread } from "../../src/checkpoint/saver.ts";
import {
  begin,
  checkpointOf,
  claimant,
  commitMany,
  headOf,
  newRun,
  refusal,
  type SaverCase,
  sleep,
  take,
  unique,
} from "./kit.ts";

async function threadNamed(saver: RunSaver, threadId: string): Promise<StoredThread | undefined> {
  const all = await saver.threads({ limit: 100_000 });
  return all.find((thread) => thread.threadId === threadId);
}

export const listCases: readonly SaverCase[] = [
  {
    name: "a thread that nobody knows is empty, not an error",
    async run(saver) {
      const threadId = unique("thread");
      assert.equal(await saver.latest(threadId), undefined);
      assert.equal(await saver.at(threadId, "x"), undefined);
      assert.deepEqual(await saver.history(threadId), []);
      assert.deepEqual(await saver.runs(threadId), []);
    },
  },
  {
    name: "a checkpoint is found by its id on its own thread only",
    async run(saver) {
      const { claim } = await begin(saver);
      const { claim: other } = await begin(saver);
      const all = await commitMany(saver, claim, 3);
      for (const [index, checkpoint] of all.entries()) {
        const chain = all.slice(0, index + 1).map(({ channels }) => channels);
        assert.deepEqual(await saver.at(claim.threadId, checkpoint.id), { checkpoint, chain });
        assert.equal(await saver.at(other.threadId, checkpoint.id), undefined);
      }
    },
  },
  {
    name: "history is newest first, in pages",
    async run(saver) {
      const { claim } = await begin(saver);
      const newestFirst = (await commitMany(saver, claim, 7)).toReversed();
      const { threadId } = claim;
      assert.deepEqual(await saver.history(threadId), newestFirst);
      assert.deepEqual(await saver.history(threadId, { limit: 0 }), []);
      const pages: (typeof newestFirst)[] = [];
      for (let after: string | undefined; ; after = pages.at(-1)?.at(-1)?.id) {
        const page = await saver.history(threadId, { limit: 3, after });
        if (page.length === 0) break;
        pages.push([...page]);
      }
      assert.deepEqual(
        pages.map(({ length }) => length),
        [3, 3, 1],
      );
      assert.deepEqual(pages.flat(), newestFirst);
    },
  },
  {
    name: "the runs of a thread are newest first, in pages",
    async run(saver) {
      const threadId = unique("thread");
      const ids: string[] = [];
      for (let n = 0; n < 5; n++) {
        const { claim } = await begin(saver, { threadId });
        ids.unshift(claim.runId);
        await saver.settle(claim, { status: "done" });
      }
      const runs = await saver.runs(threadId);
      assert.deepEqual(
        runs.map(({ runId }) => runId),
        ids,
      );
      const rest = await saver.runs(threadId, { limit: 2, after: ids[1] });
      assert.deepEqual(
        rest.map(({ runId }) => runId),
        ids.slice(2, 4),
      );
      assert.deepEqual(await saver.runs(threadId, { after: ids[4] }), []);
    },
  },
  {
    name: "a page after something that is not in the list is refused, since empty would mean the end",
    async run(saver) {
      const { claim } = await begin(saver);
      const { claim: other } = await begin(saver);
      const [elsewhere] = await commitMany(saver, other, 1);
      const { threadId } = claim;
      await refusal("INVALID_OPTION", () => saver.history(threadId, { after: elsewhere?.id }));
      await refusal("INVALID_OPTION", () => saver.history(unique("thread"), { after: "x" }));
      await refusal("INVALID_OPTION", () => saver.runs(threadId, { after: other.runId }));
      await refusal("INVALID_OPTION", () => saver.threads({ after: unique("thread") }));
    },
  },
  {
    name: "limits that are no whole numbers and options that there are not are refused",
    async run(saver) {
      for (const limit of [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
        await refusal("INVALID_OPTION", () => saver.threads({ limit }));
        await refusal("INVALID_OPTION", () => saver.history("t", { limit }));
        await refusal("INVALID_OPTION", () => saver.runs("t", { limit }));
        await refusal("INVALID_OPTION", () => saver.stale(0, limit));
      }
      await refusal("INVALID_OPTION", () => saver.stale(-1, 1));
      const misspelt = { limits: 1 } as object;
      await refusal("UNKNOWN_OPTION", () => saver.history("t", misspelt));
    },
  },
  {
    name: "threads are in the order of their last activity, in pages",
    async run(saver) {
      const names = [unique("thread"), unique("thread"), unique("thread")] as const;
      const [a, b, c] = names;
      const { claim } = await begin(saver, { threadId: a });
      await saver.admit(newRun({ threadId: b }));
      const { claim: last } = await begin(saver, { threadId: c });
      await saver.settle(last, { status: "done" });
      const order = async (): Promise<readonly string[]> =>
        (await saver.threads({ limit: 3 })).map(({ threadId }) => threadId);
      assert.deepEqual(await order(), [c, b, a]);
      await saver.renew(claim);
      assert.deepEqual(await order(), [a, c, b]);
      const { claim: taken } = await take(saver, (await saver.runs(b))[0]?.runId ?? "");
      assert.deepEqual(await order(), [b, a, c]);
      await commitMany(saver, claim, 1);
      assert.deepEqual(await order(), [a, b, c]);
      await saver.settle(taken, { status: "failed" });
      assert.deepEqual(await order(), [b, a, c]);
      const found: string[] = [];
      for (let after: string | undefined; found.length < 3; after = found.at(-1)) {
        const [next] = await saver.threads({ limit: 1, after });
        found.push(next?.threadId ?? "none");
      }
      assert.deepEqual(found, [b, a, c]);
    },
  },
  {
    name: "a listed thread shows its last run and its head",
    async run(saver) {
      const { claim } = await begin(saver);
      assert.equal((await threadNamed(saver, claim.threadId))?.head, undefined);
      const last = checkpointOf(claim, undefined);
      await saver.commit(claim, last, { status: "done" });
      const thread = await threadNamed(saver, claim.threadId);
      assert.deepEqual(thread?.head, last);
      assert.equal(thread.run.status, "done");
      assert.equal(thread.isOrphaned, false);
    },
  },
  {
    name: "a thread is orphaned while its run is running and nobody holds it",
    async run(saver) {
      const run = newRun();
      const isOrphaned = async (): Promise<boolean | undefined> =>
        (await threadNamed(saver, run.threadId))?.isOrphaned;
      await saver.admit(run);
      assert.equal(await isOrphaned(), true);
      const { claim } = await take(saver, run.runId, { leaseMs: 250 });
      assert.equal(await isOrphaned(), false);
      await sleep(260);
      assert.equal(await isOrphaned(), true);
      await saver.renew(claim);
      assert.equal(await isOrphaned(), false);
      await saver.settle(claim, { status: "cancelled" });
      assert.equal(await isOrphaned(), false);
    },
  },
  {
    name: "stale runs are those that were silent for so long, the longest first",
    async run(saver) {
      const { claim: first } = await begin(saver);
      await saver.admit(newRun({ threadId: unique("thread") }));
      const { claim: third } = await begin(saver);
      const { claim: settled } = await begin(saver);
      await saver.settle(settled, { status: "done" });
      const mine = new Set([first.runId, third.runId, settled.runId]);
      const stale = async (ms: number): Promise<readonly string[]> =>
        (await saver.stale(ms, 100_000)).map(({ runId }) => runId).filter((id) => mine.has(id));
      assert.deepEqual(await stale(0), [first.runId, third.runId]);
      assert.deepEqual(await stale(60_000), []);
      await sleep(300);
      await saver.renew(first);
      assert.deepEqual(await stale(250), [third.runId]);
      assert.deepEqual(await stale(0), [third.runId, first.runId]);
      assert.equal((await saver.stale(0, 1)).length, 1);
      assert.deepEqual(await saver.stale(0, 0), []);
    },
  },
  {
    name: "what was read does not change with what is written later",
    async run(saver) {
      const { claim, run } = await begin(saver);
      await commitMany(saver, claim, 1);
      const head = await headOf(saver, claim.threadId);
      const { records } = head;
      const runs = await saver.runs(claim.threadId);
      await saver.putWrites(claim, "task", "record");
      await saver.settle(claim, { status: "failed" });
      assert.equal(records.size, 0);
      assert.equal(run.status, "running");
      assert.equal(runs[0]?.status, "running");
      await begin(saver, { threadId: claim.threadId }, claimant());
      assert.equal(runs.length, 1);
    },
  },
];
