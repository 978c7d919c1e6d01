// A process of its own for the tests beside this folder. It does what it is told, one thing at a time.
import { SqliteSaver } from "superstep/sqlite";
import type { Claim, ClaimedRun, RunSaver } from "../../../src/checkpoint/saver.ts";
import { checkpointOf, newRun } from "../kit.ts";
import type { Order, Reply } from "./orders.ts";

const path = process.argv[2]!;
const saver: RunSaver & Required<Pick<RunSaver, "newOwner">> = new SqliteSaver(path);

function tell(reply: Reply): void {
  if (process.send) process.send(reply);
  else console.log(JSON.stringify(reply)); // oxlint-disable-line no-console -- the test reads it
}

async function begin(threadId: string, runId: string, leaseMs: number): Promise<ClaimedRun> {
  const by = { owner: saver.newOwner(), leaseMs };
  const admission = await saver.admit(newRun({ threadId, runId }), by);
  if (!admission.admitted || !admission.claimed) throw new Error(`${runId} was not let in`);
  return admission.claimed;
}

/** Commits that many supersteps, or goes on until it is killed. */
async function write(claim: Claim, count: number): Promise<void> {
  let parentId: string | undefined;
  for (let step = 0; step < count; step++) {
    await saver.putWrites(claim, "task", `record ${step}`);
    const id = `id-${String(step).padStart(6, "0")}`;
    const isSnapshot = step % 20 === 0;
    await saver.commit(
      claim,
      checkpointOf(claim, parentId, { id, step, isSnapshot, channels: id }),
    );
    parentId = id;
    tell({ stored: id });
  }
}

async function follow(order: Order): Promise<Reply> {
  if (order.do === "claim") {
    const claimed = await saver.claim(order.runId, { owner: saver.newOwner(), leaseMs: 60_000 });
    return { claimed: claimed !== undefined };
  }
  if (order.do === "become nobody") {
    process.seteuid?.(65_534);
    return { done: true };
  }
  if (order.do === "list") {
    await saver.threads();
    return { done: true };
  }
  const { claim } = await begin(order.threadId, order.runId, 3_600_000);
  await write(claim, order.count);
  if (order.do === "write") await saver.settle(claim, { status: "done" });
  return { done: true };
}

async function answer(order: Order): Promise<void> {
  try {
    tell(await follow(order));
  } catch (error) {
    const { code, fix, message } = error as Error & {
      readonly code?: string;
      readonly fix?: string;
    };
    tell({ error: { code, fix, message } });
  }
}

const order = process.argv[3];
if (order === undefined) {
  process.on("message", (given: Order) => void answer(given));
  process.on("disconnect", () => process.exit());
  tell({ done: true });
} else {
  await answer(JSON.parse(order) as Order);
  setInterval(() => undefined, 1_000); // lives until it is killed
}
