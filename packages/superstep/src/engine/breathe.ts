const immediate = globalThis.setImmediate as typeof setImmediate | undefined;

/**
 * Lets timers and input in. A loop of nodes that never wait would otherwise keep the event loop to
 * itself, and nothing, not even its own cancellation, could reach it.
 */
export function breathe(): Promise<void> {
  return new Promise((resolve) => {
    if (immediate) immediate(resolve);
    else setTimeout(resolve, 0);
  });
}
