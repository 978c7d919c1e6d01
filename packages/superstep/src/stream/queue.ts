/** Below this it is not worth the while to make room. */
const compactAt = 1_024;

/**
 * Hands chunks from tasks that are running to the one reader of a run. `take` waits for the next
 * chunk as long as the work that produces them goes on.
 */
export class ChunkQueue<Chunk> {
  readonly #lead: number;
  #waiting: (() => void)[] = [];
  #chunks: (Chunk | undefined)[] = [];
  #head = 0;
  #working = false;
  #wake: (() => void) | undefined;

  /** `lead`: how far producers may be ahead, the chunk in the reader's hands included. */
  constructor(lead = 64) {
    this.#lead = lead;
  }

  push(chunk: Chunk): void {
    this.#chunks.push(chunk);
    this.#wake?.();
  }

  get #waits(): number {
    return this.#chunks.length - this.#head;
  }

  /** A promise to wait for when the reader has fallen behind by the lead; else `undefined`. */
  room(): Promise<void> | undefined {
    if (this.#waits < this.#lead - 1) return undefined;
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  /** Lets producers that wait for the reader go on: it will not come. */
  release(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resume of waiting) resume();
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
      this.#chunks[this.#head++] = undefined; // so that a reader that lags holds only what waits
      if (this.#head >= compactAt && this.#head * 2 >= this.#chunks.length) {
        this.#chunks = this.#chunks.slice(this.#head);
        this.#head = 0;
      }
    }
    if (this.#waiting.length > 0 && this.#waits < this.#lead - 1) this.release();
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
