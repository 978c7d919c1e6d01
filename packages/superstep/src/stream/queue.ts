/**
 * Hands chunks from tasks that are running to the one reader of a run. `take` waits for the next
 * chunk as long as the work that produces them goes on.
 */
export class ChunkQueue<Chunk> {
  #chunks: Chunk[] = [];
  #head = 0;
  #working = false;
  #wake: (() => void) | undefined;

  push(chunk: Chunk): void {
    this.#chunks.push(chunk);
    this.#wake?.();
  }

  /** Lets `take` wait for chunks until `work` has ended; `work` must not reject. */
  openUntil(work: Promise<void>): void {
    this.#working = true;
    void work.then(() => this.#close());
  }

  #close(): void {
    this.#working = false;
    this.#wake?.();
  }

  /** The next chunk that is there. */
  shift(): Chunk | undefined {
    const chunk = this.#chunks[this.#head];
    if (chunk === undefined) {
      this.#chunks = [];
      this.#head = 0;
    } else {
      this.#head++;
    }
    return chunk;
  }

  /** The next chunk, or `undefined` when there is none left and the work has ended. */
  async take(): Promise<Chunk | undefined> {
    for (;;) {
      const chunk = this.shift();
      if (chunk !== undefined || !this.#working) return chunk;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = undefined;
    }
  }
}
