import { setImmediate as nextTurn } from "node:timers/promises";
import { type ErrorCode, SuperstepError } from "superstep";
import { expect } from "vitest";

/** What `work` rejects with. Fails when it does not. */
export async function rejectionOf(work: PromiseLike<unknown>): Promise<unknown> {
  let result: unknown;
  try {
    result = await work;
  } catch (error) {
    return error;
  }
  return expect.unreachable(`It resolved with ${String(result)}.`);
}

/** What `call` throws. Fails when it does not. */
export function thrownBy(call: () => unknown): unknown {
  try {
    call();
  } catch (error) {
    return error;
  }
  return expect.unreachable("It threw nothing.");
}

/** An error of the package: its code, names that the message must hold, and names that the fix must hold. */
export interface Refusal {
  readonly code: ErrorCode;
  readonly message?: readonly string[];
  readonly fix?: readonly string[];
}

export function expectRefusal(error: unknown, { code, message = [], fix = [] }: Refusal): void {
  expect(error).toBeInstanceOf(SuperstepError);
  const refusal = error as SuperstepError;
  expect(refusal.code, refusal.message).toBe(code);
  expect(refusal.lc_error_code).toBe(code);
  expect(refusal.docs).toBe(`docs/errors.md#${code.toLowerCase()}`);
  expect(refusal.fix).not.toBe("");
  for (const part of message) expect(refusal.message).toContain(part);
  for (const part of fix) expect(refusal.fix).toContain(part);
}

/** The items of a stream, read to its end. */
export async function readAll<Item>(stream: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of stream) items.push(item);
  return items;
}

/** Lets everything run that can, without a clock. */
export async function turns(count = 5): Promise<void> {
  for (let turn = 0; turn < count; turn++) await nextTurn();
}

/** Waits until `condition` holds; a test that hangs is ended by the runner. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await nextTurn();
}

/** A promise that lasts until `signal` is aborted, and then rejects with the reason. */
export function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason as Error);
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });
}

/** How many of the pieces of work that it counts were under way at the same time. */
export class Gauge {
  peak = 0;
  started = 0;
  ended = 0;

  async during<Value>(work: () => Promise<Value>): Promise<Value> {
    this.started++;
    this.peak = Math.max(this.peak, this.started - this.ended);
    try {
      return await work();
    } finally {
      this.ended++;
    }
  }
}

/** Appends; for keys whose order shows. */
export function append<Item>(current: readonly Item[], update: readonly Item[]): readonly Item[] {
  return [...current, ...update];
}

/** The process warnings of our own that `work` gives. */
export async function warningsDuring(work: () => Promise<void>): Promise<readonly string[]> {
  const messages: string[] = [];
  const listen = ({ name, message }: Error): void => {
    if (name === "SuperstepWarning") messages.push(message);
  };
  await turns(); // those of earlier work are not meant
  process.on("warning", listen);
  try {
    await work();
    await turns();
  } finally {
    process.off("warning", listen);
  }
  return messages;
}
