import type { RunSaver } from "../../src/checkpoint/saver.ts";
import { claimCases } from "./claim-cases.ts";
import { idCases } from "./id-cases.ts";
import { listCases } from "./list-cases.ts";
import { writeCases } from "./write-cases.ts";

/**
 * Tests what the `RunSaver` interface promises. `test` is that of a test runner; `open` gives the saver
 * to test, the same one each time or another: no case expects an empty one.
 */
export function saverConformance(
  test: (name: string, body: () => Promise<void>) => void,
  open: () => RunSaver | Promise<RunSaver>,
): void {
  for (const { name, run } of [...claimCases, ...writeCases, ...listCases, ...idCases]) {
    test(name, async () => run(await open()));
  }
}
