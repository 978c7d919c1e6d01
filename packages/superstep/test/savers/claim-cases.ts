import assert from "node:assert/strict";
import {
  admitted,
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

export const claimCases: readonly SaverCase[] = [
  {
    name: "an admitted run is there at once, running and claimed by nobody",
    async run(saver) {
      const run = newRun();
      const before = Date.now();
      assert.deepEqual(await saver.admit(run), { admitted: true, claimed: undefined });
      const [stored] = await saver.runs(run.threadId);
      assert(stored);
      const { createdAt, updatedAt, ...rest } = stored;
      assert.deepEqual(rest, {
        ...run,
        status: "running",
        error: undefined,
        owner: undefined,
        leaseUntil: undefined,
      });
      assert(createdAt >= before && createdAt <= Date.now() && updatedAt >= createdAt);
    },
  },
  {
    name: "a run that is admitted with a claimant belongs to it from the first moment",
    async run(saver) {
      const run = newRun();
      const by = claimant();
      const { claimed } = admitted(await saver.admit(run, by));
      assert(claimed);
      const { claim, previous, head, records } = claimed;
      assert.deepEqual(claim, {
        runId: run.runId,
        threadId: run.threadId,
        ...by,
        epoch: claim.epoch,
      });
      assert.deepEqual([previous, head, records.size], [undefined, undefined, 0]);
      assert.equal(claimed.run.owner, by.owner);
      assert((claimed.run.leaseUntil ?? 0) > Date.now());
      assert.equal(await saver.claim(run.runId, claimant()), undefined);
    },
  },
  {
    name: "a thread has one active run: the second is told which one it is, and leaves no trace",
    async run(saver) {
      const { claim } = await begin(saver);
      const second = newRun({ threadId: claim.threadId });
      const admission = await saver.admit(second, claimant());
      assert(!admission.admitted);
      assert.equal(admission.active.runId, claim.runId);
      assert.equal(admission.active.owner, claim.owner);
      assert.equal((await saver.runs(claim.threadId)).length, 1);
      assert.equal(await saver.claim(second.runId, claimant()), undefined);
      await saver.settle(claim, { status: "done" });
      assert((await saver.admit(second)).admitted);
    },
  },
  {
    name: "of many admissions to a thread at once one is let in",
    async run(saver) {
      const threadId = unique("thread");
      const all = await Promise.all(
        Array.from({ length: 8 }, () => saver.admit(newRun({ threadId }), claimant())),
      );
      assert.equal(all.filter((admission) => admission.admitted).length, 1);
    },
  },
  {
    name: "a run id that exists already is refused, on the same thread and on another",
    async run(saver) {
      const { claim } = await begin(saver);
      const again = newRun({ runId: claim.runId });
      const message = await refusal("INVALID_OPTION", () => saver.admit(again));
      assert(message.includes(claim.runId) && message.includes("exists already"), message);
      await saver.settle(claim, { status: "done" });
      await refusal("INVALID_OPTION", () =>
        saver.admit(newRun({ runId: claim.runId, threadId: claim.threadId })),
      );
      assert.deepEqual(await saver.runs(again.threadId), []);
    },
  },
  {
    name: "a claim is refused while another owner's lease goes on, and granted after it",
    async run(saver) {
      const { claim } = await begin(saver, {}, { leaseMs: 250 });
      assert.equal(await saver.claim(claim.runId, claimant()), undefined);
      await sleep(260);
      const { claim: next, run } = await take(saver, claim.runId, { owner: "next" });
      assert.equal(next.epoch, claim.epoch + 1);
      assert.equal(run.owner, "next");
    },
  },
  {
    name: "renewing and committing let the lease begin anew",
    async run(saver) {
      const { claim } = await begin(saver, {}, { leaseMs: 400 });
      await sleep(250);
      await saver.renew(claim);
      await sleep(250);
      assert.equal(await saver.claim(claim.runId, claimant()), undefined);
      await commitMany(saver, claim, 1);
      await sleep(250);
      assert.equal(await saver.claim(claim.runId, claimant()), undefined);
      await sleep(200);
      await take(saver, claim.runId);
    },
  },
  {
    name: "an owner may claim its own run again, and its earlier claim is over",
    async run(saver) {
      const { claim } = await begin(saver);
      const { claim: again } = await take(saver, claim.runId, { owner: claim.owner });
      assert.equal(again.epoch, claim.epoch + 1);
      await refusal("RUN_FENCED", () => saver.renew(claim));
      await saver.renew(again);
    },
  },
  {
    name: "a run that nobody knows or that is settled cannot be claimed",
    async run(saver) {
      assert.equal(await saver.claim(unique("run"), claimant()), undefined);
      for (const status of ["done", "failed", "cancelled"] as const) {
        const { claim } = await begin(saver);
        await saver.settle(claim, { status });
        assert.equal(await saver.claim(claim.runId, { ...claim }), undefined);
      }
    },
  },
  {
    name: "of many claims of an orphaned run at once one is granted",
    async run(saver) {
      const run = newRun();
      await saver.admit(run);
      const all = await Promise.all(
        Array.from({ length: 8 }, () => saver.claim(run.runId, claimant())),
      );
      assert.equal(all.filter((claimed) => claimed !== undefined).length, 1);
    },
  },
  {
    name: "a claim finds the head with its chain, the records, and the run before",
    async run(saver) {
      const first = await begin(saver);
      const { threadId } = first.claim;
      const [, head] = await commitMany(saver, first.claim, 2);
      await saver.putWrites(first.claim, "task", "record");
      await saver.settle(first.claim, { status: "failed", error: '{"name":"Error"}' });
      const { head: found, previous, records, claim } = await begin(saver, { threadId });
      assert.deepEqual(found, { checkpoint: head, chain: ["[0]", "[1]"] });
      assert.deepEqual([...records], [["task", "record"]]);
      assert.equal(previous?.runId, first.claim.runId);
      assert.equal(previous.status, "failed");
      assert.equal(previous.error, '{"name":"Error"}');
      assert(claim.epoch > first.claim.epoch);
    },
  },
  {
    name: "a claim that was taken over may write nothing any more",
    async run(saver) {
      const { claim: old } = await begin(saver, {}, { owner: "slow", leaseMs: 1 });
      const [head] = await commitMany(saver, old, 1);
      await sleep(5);
      const { claim } = await take(saver, old.runId, { owner: "quick" });
      const next = checkpointOf(old, head?.id);
      for (const write of [
        () => saver.putWrites(old, "task", "x"),
        () => saver.commit(old, next),
        () => saver.commit(old, next, { status: "done" }),
        () => saver.settle(old, { status: "failed" }),
        () => saver.renew(old),
      ]) {
        const message = await refusal("RUN_FENCED", write);
        for (const part of [old.runId, old.threadId, "quick"]) assert(message.includes(part));
      }
      const found = await headOf(saver, old.threadId);
      assert.equal(found.checkpoint.id, head?.id);
      assert.equal(found.records.size, 0);
      await saver.commit(claim, { ...next }, { status: "done" });
    },
  },
  {
    name: "a claim of a settled run is over, also while the next run waits to be claimed",
    async run(saver) {
      const { claim } = await begin(saver);
      await saver.settle(claim, { status: "cancelled" });
      const message = await refusal("RUN_FENCED", () => saver.settle(claim, { status: "done" }));
      assert(message.includes('"cancelled"'), message);
      const next = newRun({ threadId: claim.threadId });
      await saver.admit(next);
      const other = await refusal("RUN_FENCED", () => saver.putWrites(claim, "task", "x"));
      assert(other.includes(next.runId), other);
      await refusal("RUN_FENCED", () => saver.commit(claim, checkpointOf(claim, undefined)));
    },
  },
  {
    name: "leases and owners that make no sense are refused",
    async run(saver) {
      const run = newRun();
      for (const leaseMs of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
        await refusal("INVALID_OPTION", () => saver.admit(run, claimant({ leaseMs })));
        await refusal("INVALID_OPTION", () => saver.claim(run.runId, claimant({ leaseMs })));
      }
      await refusal("INVALID_OPTION", () => saver.admit(run, claimant({ owner: "" })));
      assert.deepEqual(await saver.runs(run.threadId), []);
      await begin(saver, {}, { leaseMs: Number.MAX_SAFE_INTEGER });
    },
  },
];
