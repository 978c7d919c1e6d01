import assert from "node:assert/strict";
import type {
  Admission,
  Claim,
  Claimant,
  ClaimedRun,
  NewRun,
  RunSaver,
  StoredCheckpoint,
  StoredHead,
} from "../../src/checkpoint/saver.ts";

/** One promise of the saver interface, as a test. */
export interface SaverCase {
  readonly name: string;
  readonly run: (saver: RunSaver) => Promise<void>;
}

let made = 0;

/** An id that no other case uses, so that all may share one database. */
export function unique(kind: string): string {
  return `${kind} ${++made}`;
}

export function newRun(over: Partial<NewRun> = {}): NewRun {
  return {
    runId: unique("run"),
    threadId: unique("thread"),
    input: '{"question":1}',
    graph: '{"name":"g"}',
    ...over,
  };
}

export function claimant(over: Partial<Claimant> = {}): Claimant {
  return { owner: unique("owner"), leaseMs: 60_000, ...over };
}

/** Admits and claims in one. */
export async function begin(
  saver: RunSaver,
  run: Partial<NewRun> = {},
  by: Partial<Claimant> = {},
): Promise<ClaimedRun> {
  const { claimed } = admitted(await saver.admit(newRun(run), claimant(by)));
  assert(claimed, "the run was admitted but not claimed");
  return claimed;
}

export function admitted(admission: Admission): Admission & { readonly admitted: true } {
  assert(admission.admitted, "the run was not admitted");
  return admission;
}

/** The claim must succeed. */
export async function take(
  saver: RunSaver,
  runId: string,
  by: Partial<Claimant> = {},
): Promise<ClaimedRun> {
  const claimed = await saver.claim(runId, claimant(by));
  assert(claimed, `${runId} could not be claimed`);
  return claimed;
}

/** Ids in the order in which they were asked for. */
function checkpointId(): string {
  return `id-${String(++made).padStart(12, "0")}`;
}

export function checkpointOf(
  claim: Claim,
  parentId: string | undefined,
  over: Partial<StoredCheckpoint> = {},
): StoredCheckpoint {
  return {
    id: checkpointId(),
    parentId,
    threadId: claim.threadId,
    runId: claim.runId,
    step: 0,
    source: "loop",
    counted: 0,
    createdAt: 1_700_000_000_000,
    isSnapshot: parentId === undefined,
    channels: '[["a",1]]',
    next: '["b"]',
    tasks: '["a"]',
    ...over,
  };
}

/** Commits that many supersteps after `parentId`, oldest first. */
export async function commitMany(
  saver: RunSaver,
  claim: Claim,
  count: number,
  parentId?: string,
): Promise<readonly StoredCheckpoint[]> {
  const all: StoredCheckpoint[] = [];
  for (let step = 0; step < count; step++) {
    const checkpoint = checkpointOf(claim, all.at(-1)?.id ?? parentId, {
      step,
      channels: `[${step}]`,
    });
    await saver.commit(claim, checkpoint);
    all.push(checkpoint);
  }
  return all;
}

export async function headOf(saver: RunSaver, threadId: string): Promise<StoredHead> {
  const head = await saver.latest(threadId);
  assert(head, `${threadId} has no head`);
  return head;
}

/** The message of the refusal; the call must not throw at once. */
export async function refusal(code: string, call: () => Promise<unknown>): Promise<string> {
  const promise = call();
  const error: unknown = await promise.then(
    () => assert.fail("the call was not refused"),
    (refused: unknown) => refused,
  );
  assert(error instanceof Error && "code" in error && "fix" in error, String(error));
  assert.equal(error.code, code, error.message);
  assert.equal(typeof error.fix, "string");
  return error.message;
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
