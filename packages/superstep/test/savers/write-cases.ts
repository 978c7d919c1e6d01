import assert from "node:assert/strict";
import type { StoredCheckpoint } from "../../src/checkpoint/saver.ts";
import {
  begin,
  checkpointOf,
  commitMany,
  headOf,
  newRun,
  refusal,
  type SaverCase,
  take,
} from "./kit.ts";

export const writeCases: readonly SaverCase[] = [
  {
    name: "the first record of a task wins, and the second caller gets it",
    async run(saver) {
      const { claim } = await begin(saver);
      assert.equal(await saver.putWrites(claim, "a", "first"), "first");
      assert.equal(await saver.putWrites(claim, "a", "second"), "first");
      assert.equal(await saver.putWrites(claim, "b", ""), "");
      assert.equal(await saver.putWrites(claim, "b", "not empty"), "");
      const { records } = await take(saver, claim.runId, { owner: claim.owner });
      assert.deepEqual(Object.fromEntries(records), { a: "first", b: "" });
    },
  },
  {
    name: "records before the first checkpoint belong to the empty head, and go with it",
    async run(saver) {
      const { claim } = await begin(saver);
      await saver.putWrites(claim, "task", "record");
      assert.equal(await saver.latest(claim.threadId), undefined);
      await commitMany(saver, claim, 1);
      assert.equal((await headOf(saver, claim.threadId)).records.size, 0);
      assert.equal(await saver.putWrites(claim, "task", "of the next step"), "of the next step");
    },
  },
  {
    name: "records outlive the run that made them, until the head moves",
    async run(saver) {
      const { claim } = await begin(saver);
      const { threadId } = claim;
      const [head] = await commitMany(saver, claim, 1);
      await saver.putWrites(claim, "task", "record");
      await saver.settle(claim, { status: "failed" });
      assert.deepEqual([...(await headOf(saver, threadId)).records], [["task", "record"]]);
      const next = await begin(saver, { threadId });
      assert.equal(await saver.putWrites(next.claim, "task", "again"), "record");
      await saver.commit(next.claim, checkpointOf(next.claim, head?.id));
      assert.equal((await headOf(saver, threadId)).records.size, 0);
    },
  },
  {
    name: "a commit moves the head, and every field comes back as it was given",
    async run(saver) {
      const { claim } = await begin(saver);
      const first = checkpointOf(claim, undefined, { source: "input", step: 7, counted: 3 });
      await saver.commit(claim, first);
      assert.deepEqual(await headOf(saver, claim.threadId), {
        checkpoint: first,
        chain: [first.channels],
        records: new Map(),
      });
      const second = checkpointOf(claim, first.id, { createdAt: 5, channels: "", next: "" });
      await saver.commit(claim, second);
      const { checkpoint, chain } = await headOf(saver, claim.threadId);
      assert.deepEqual(checkpoint, second);
      assert.deepEqual(chain, [first.channels, ""]);
    },
  },
  {
    name: "what was committed does not change with the object that was given",
    async run(saver) {
      const { claim } = await begin(saver);
      const given: { -readonly [Key in keyof StoredCheckpoint]: StoredCheckpoint[Key] } =
        checkpointOf(claim, undefined);
      await saver.commit(claim, given);
      const { channels } = given;
      given.channels = "changed";
      assert.equal((await headOf(saver, claim.threadId)).checkpoint.channels, channels);
    },
  },
  {
    name: "the chain begins at the last snapshot",
    async run(saver) {
      const { claim } = await begin(saver);
      let parentId: string | undefined;
      for (let step = 0; step < 7; step++) {
        const isSnapshot = step % 3 === 0;
        const next = checkpointOf(claim, parentId, { step, isSnapshot, channels: `${step}` });
        await saver.commit(claim, next);
        parentId = next.id;
        const { chain } = await headOf(saver, claim.threadId);
        const start = step - (step % 3);
        assert.deepEqual(chain, ["0", "1", "2", "3", "4", "5", "6"].slice(start, step + 1));
      }
    },
  },
  {
    name: "a commit whose parent is not the head is refused and stores nothing",
    async run(saver) {
      const { claim } = await begin(saver);
      const [first, second] = await commitMany(saver, claim, 2);
      await saver.putWrites(claim, "task", "record");
      for (const parent of [undefined, first?.id, "ic-unknown"]) {
        const message = await refusal("RUN_FENCED", () =>
          saver.commit(claim, checkpointOf(claim, parent), { status: "done" }),
        );
        assert(message.includes(claim.threadId) && message.includes(second?.id ?? "-"), message);
      }
      const { checkpoint, records } = await headOf(saver, claim.threadId);
      assert.deepEqual([checkpoint, records.size], [second, 1]);
      const { claim: fresh } = await begin(saver);
      await refusal("RUN_FENCED", () => saver.commit(fresh, checkpointOf(fresh, "ic-unknown")));
      assert.equal(await saver.latest(fresh.threadId), undefined);
    },
  },
  {
    name: "of two commits from one head at once one is stored",
    async run(saver) {
      const { claim } = await begin(saver);
      const [head] = await commitMany(saver, claim, 1);
      const both = await Promise.allSettled([
        saver.commit(claim, checkpointOf(claim, head?.id)),
        saver.commit(claim, checkpointOf(claim, head?.id)),
      ]);
      assert.equal(both.filter(({ status }) => status === "fulfilled").length, 1);
      assert.equal((await saver.history(claim.threadId)).length, 2);
    },
  },
  {
    name: "a commit of another run or thread than that of the claim is refused",
    async run(saver) {
      const { claim } = await begin(saver);
      const { claim: other } = await begin(saver);
      await refusal("INVALID_OPTION", () => saver.commit(claim, checkpointOf(other, undefined)));
      assert.equal(await saver.latest(claim.threadId), undefined);
      assert.equal(await saver.latest(other.threadId), undefined);
    },
  },
  {
    name: "a checkpoint id that does not sort after its parent, or is not ASCII, is refused",
    async run(saver) {
      const { claim } = await begin(saver);
      const [head] = await commitMany(saver, claim, 1);
      for (const id of [head?.id ?? "", "", "a b", "é", "ia-000000000001"]) {
        await refusal("INVALID_OPTION", () =>
          saver.commit(claim, checkpointOf(claim, head?.id, { id })),
        );
      }
      assert.equal((await saver.history(claim.threadId)).length, 1);
    },
  },
  {
    name: "the last commit settles the run with it",
    async run(saver) {
      const { claim } = await begin(saver);
      const last = checkpointOf(claim, undefined);
      await saver.commit(claim, last, { status: "done" });
      const [run] = await saver.runs(claim.threadId);
      assert.equal(run?.status, "done");
      assert.equal(run.owner, claim.owner);
      assert.equal((await headOf(saver, claim.threadId)).checkpoint.id, last.id);
      assert((await saver.admit(newRun({ threadId: claim.threadId }))).admitted);
    },
  },
  {
    name: "a run that is done drops its input; one that failed or was cancelled keeps it",
    async run(saver) {
      for (const status of ["done", "failed", "cancelled"] as const) {
        const { claim, run } = await begin(saver);
        const error = status === "done" ? undefined : '{"name":"Error","message":"no"}';
        await saver.settle(claim, { status, error });
        const [stored] = await saver.runs(claim.threadId);
        assert.equal(stored?.status, status);
        assert.equal(stored.input, status === "done" ? "" : run.input);
        assert.equal(stored.error, error);
        assert.equal(stored.graph, run.graph);
      }
      const { claim } = await begin(saver);
      const wrong = { status: "running" } as unknown as { readonly status: "done" };
      await refusal("INVALID_OPTION", () => saver.settle(claim, wrong));
    },
  },
  {
    name: "long texts and texts with any character come back as they were",
    async run(saver) {
      const texts = ["", "\u0001\n", "é 😀 \u2028 \uffff", "'); DROP TABLE x; --", "x".repeat(3e6)];
      for (const text of texts) {
        const { claim } = await begin(saver, { input: text, graph: text });
        await saver.commit(
          claim,
          checkpointOf(claim, undefined, { channels: text, next: text, tasks: text }),
        );
        assert.equal(await saver.putWrites(claim, "task", text), text);
        const { checkpoint, chain, records } = await headOf(saver, claim.threadId);
        assert(checkpoint.channels === text && checkpoint.next === text, "the checkpoint");
        assert(checkpoint.tasks === text && chain[0] === text, "the chain");
        assert(records.get("task") === text, "the record");
        await saver.settle(claim, { status: "failed", error: text });
        const [run] = await saver.runs(claim.threadId);
        assert(run?.input === text && run.graph === text && run.error === text, "the run");
      }
    },
  },
  {
    name: "a text that a database may not give back as it was is refused",
    async run(saver) {
      const { claim } = await begin(saver);
      for (const text of ["\ud800", "a\0b", "\0"]) {
        const broken = checkpointOf(claim, undefined, { channels: text });
        const end = { status: "failed", error: text } as const;
        await refusal("INVALID_OPTION", () => saver.putWrites(claim, "task", text));
        await refusal("INVALID_OPTION", () => saver.commit(claim, broken));
        await refusal("INVALID_OPTION", () => saver.admit(newRun({ input: text })));
        await refusal("INVALID_OPTION", () => saver.settle(claim, end));
      }
    },
  },
  {
    name: "deleting a thread removes all of it, fences its run, and leaves the others",
    async run(saver) {
      const { claim } = await begin(saver);
      const { claim: other } = await begin(saver);
      const [head] = await commitMany(saver, claim, 3);
      await commitMany(saver, other, 1);
      await saver.putWrites(claim, "task", "record");
      await saver.deleteThread(claim.threadId);
      await saver.deleteThread(claim.threadId);
      assert.equal(await saver.latest(claim.threadId), undefined);
      assert.equal(await saver.at(claim.threadId, head?.id ?? ""), undefined);
      assert.deepEqual(await saver.history(claim.threadId), []);
      assert.deepEqual(await saver.runs(claim.threadId), []);
      assert.equal(await saver.claim(claim.runId, { ...claim }), undefined);
      const message = await refusal("RUN_FENCED", () => saver.renew(claim));
      assert(message.includes("deleted"), message);
      assert.equal((await saver.history(other.threadId)).length, 1);
      await saver.renew(other);
    },
  },
  {
    name: "a claim from before a thread was deleted never fits a thread of the same name",
    async run(saver) {
      const { claim, run } = await begin(saver);
      await saver.deleteThread(claim.threadId);
      const again = await begin(saver, run, { owner: claim.owner });
      assert(again.claim.epoch > claim.epoch);
      await refusal("RUN_FENCED", () => saver.putWrites(claim, "task", "x"));
      await saver.putWrites(again.claim, "task", "y");
    },
  },
];
