import assert from "node:assert/strict";
import { begin, commitMany, headOf, newRun, refusal, type SaverCase, unique } from "./kit.ts";

const strange = [
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "*",
  "%",
  "_",
  "'",
  '"',
  "'); DROP TABLE superstep_run; --",
  "?1",
  "\u0001",
  " ",
  "\n",
  "../../etc/passwd",
  "a/b?x",
  "é",
  "e\u0301",
  "😀",
  "\ufeff",
  "1",
  "01",
  "1.0",
  "null",
  "x".repeat(100_000),
];

export const idCases: readonly SaverCase[] = [
  {
    name: "ids are any texts: none is taken for another, for a pattern or for a property",
    async run(saver) {
      const mark = unique("id");
      const before = JSON.stringify(Object.getOwnPropertyNames(Object.prototype));
      for (const text of strange) {
        // The same text alone is an id too, but the cases may share one database.
        for (const id of [text, `${text}${mark}`]) {
          await saver.deleteThread(id);
          const { claim } = await begin(saver, { threadId: id, runId: `${id}${mark}` });
          await saver.putWrites(claim, id, id);
          await commitMany(saver, claim, 1);
          await saver.putWrites(claim, id, id);
        }
      }
      const listed = new Set((await saver.threads({ limit: 100_000 })).map((t) => t.threadId));
      for (const id of strange) {
        assert(listed.has(id), JSON.stringify(id).slice(0, 40));
        const { checkpoint, records } = await headOf(saver, id);
        assert.equal(checkpoint.threadId, id);
        assert.deepEqual([...records], [[id, id]]);
        const runs = await saver.runs(id);
        assert.deepEqual(
          runs.map(({ runId }) => runId),
          [`${id}${mark}`],
        );
      }
      assert.equal(JSON.stringify(Object.getOwnPropertyNames(Object.prototype)), before);
      for (const id of strange) {
        await saver.deleteThread(id);
        assert.equal((await saver.history(`${id}${mark}`)).length, 1);
        await saver.deleteThread(`${id}${mark}`);
      }
    },
  },
  {
    name: "deleting by a pattern deletes nothing",
    async run(saver) {
      const { claim } = await begin(saver);
      for (const pattern of ["*", "%", "thread %", "thread *", "?", "_", ".*"]) {
        await saver.deleteThread(pattern);
      }
      assert.equal((await saver.runs(claim.threadId)).length, 1);
    },
  },
  {
    name: "ids that are no text, empty or half a character are refused by every method",
    async run(saver) {
      const { claim } = await begin(saver);
      const by = { owner: "o", leaseMs: 1_000 };
      for (const id of [
        "",
        "\0",
        "a\0b",
        "\ud800",
        "a\udfff",
        1,
        null,
        undefined,
        {},
      ] as string[]) {
        const calls = [
          () => saver.admit(newRun({ runId: id })),
          () => saver.admit(newRun({ threadId: id })),
          () => saver.claim(id, by),
          () => saver.claim(claim.runId, { ...by, owner: id }),
          () => saver.putWrites(claim, id, "x"),
          () => saver.latest(id),
          () => saver.at(id, "x"),
          () => saver.at(claim.threadId, id),
          () => saver.history(id),
          () => saver.runs(id),
          () => saver.deleteThread(id),
        ];
        for (const call of calls) await refusal("INVALID_OPTION", call);
      }
    },
  },
];
