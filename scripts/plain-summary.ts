import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Reporter, SerializedError, TestModule, TestRunEndReason } from "vitest/node";

const saved = join(import.meta.dirname, "../node_modules/.superstep-test-summary");

/** Closes a run with one plain line, for readers that know no runner; `.ci/run` reads it again. */
export default class PlainSummary implements Reporter {
  onTestRunEnd(
    modules: readonly TestModule[],
    unhandled: readonly SerializedError[],
    reason: TestRunEndReason,
  ): void {
    const count = { passed: 0, failed: unhandled.length, skipped: 0, pending: 0 };
    for (const module of modules) {
      for (const test of module.children.allTests()) count[test.result().state]++;
      // A file that does not load or a hook that throws has no failed test of its own.
      if (module.errors().length > 0) count.failed++;
      for (const suite of module.children.allSuites()) {
        if (suite.errors().length > 0) count.failed++;
      }
    }
    // A test that never got its turn has not passed.
    let failed = count.failed + count.pending;
    if (reason !== "passed") failed = Math.max(failed, 1);
    const line = `${count.passed} passed, ${failed} failed, ${count.skipped} skipped`;
    mkdirSync(join(saved, ".."), { recursive: true });
    writeFileSync(saved, `${line}\n`);
    console.log(line);
  }
}
