/// <reference lib="esnext.disposable" preserve="true" />
import { RunCancelledError } from "../errors/errors.ts";
import { cancel, type Chunk, type Run } from "./run.ts";
import { supersteps } from "./superstep.ts";

/**
 * The chunks of one run. Nothing runs until the first is asked for, and the run is never more than
 * one superstep ahead of its reader. Leaving the loop (`break`, `return`, an error) cancels the run
 * and waits until its tasks have ended. Can be read once.
 */
export class RunStream<Item> implements AsyncIterableIterator<Item, undefined> {
  readonly #open: () => Run;
  readonly #itemOf: (chunk: Chunk) => Item;
  #run: Run | undefined;
  #chunks: AsyncGenerator<Chunk, unknown, void> | undefined;
  #closed = false;
  #left = false;

  constructor(open: () => Run, itemOf: (chunk: Chunk) => Item) {
    this.#open = open;
    this.#itemOf = itemOf;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** The next chunk. Rejects with what ended the run: bad input, a node's error, a limit. */
  async next(): Promise<IteratorResult<Item, undefined>> {
    if (this.#closed) return { done: true, value: undefined };
    try {
      this.#run ??= this.#open();
      this.#chunks ??= supersteps(this.#run);
      const { done, value } = await this.#chunks.next();
      if (!done) return { done: false, value: this.#itemOf(value) };
    } catch (error) {
      this.#closed = true;
      if (!this.#left) throw error; // a reader that left knows why the run ended
    }
    this.#closed = true;
    return { done: true, value: undefined };
  }

  /** Cancels the run, and resolves when its tasks have ended or the grace is over. */
  async return(): Promise<IteratorResult<Item, undefined>> {
    if (this.#run && !this.#closed) {
      this.#left = true;
      cancel(this.#run, closedByReader());
    }
    this.#closed = true;
    try {
      // A `next` that is still waiting ends first; what it was waiting for is cancelled by now.
      await this.#chunks?.return(undefined);
    } catch {
      // The run's own end was reported to that `next`.
    }
    return { done: true, value: undefined };
  }

  async throw(error: unknown): Promise<IteratorResult<Item, undefined>> {
    await this.return();
    throw error;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }
}

function closedByReader(): Error {
  return new RunCancelledError("The reader left the stream before the run had ended.", {
    fix: "Read the stream to its end, or use invoke.",
  });
}
