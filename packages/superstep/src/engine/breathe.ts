const immediate = globalThis.setImmediate as typeof setImmediate | undefined;
const longest = 10;
let lastBreath = 0;

/** Whether the supersteps of this process have kept the event loop to themselves for 10 ms. */
export function isOutOfBreath(): boolean {
  return Date.now() - lastBreath > longest;
}

/**
 * Lets timers and input in. Nodes that never wait would otherwise keep the event loop busy, and
 * nothing, not even their own cancellation, could reach them.
 */
export function breathe(): Promise<void> {
  return new Promise((resolve) => {
    const resume = (): void => {
      lastBreath = Date.now();
      resolve();
    };
    if (immediate) immediate(resume);
    else setTimeout(resume, 0);
  });
}
