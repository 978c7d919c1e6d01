let seed: string | undefined;
let minted = 0;

/**
 * A new id: the prefix, ten random characters that are the same for the whole process, and a
 * counter. Unique in the process for certain and beyond it for all practical purposes; short enough
 * and of letters, digits and `_` only, so that providers take it as the id of a tool call.
 */
export function mintId(prefix: "call" | "msg"): string {
  // Not at load time: some edge runtimes have no randomness before the first request.
  seed ??= randomText();
  return `${prefix}_${seed}${(minted++).toString(36)}`;
}

function randomText(): string {
  const [a = 0, b = 0] = crypto.getRandomValues(new Uint32Array(2));
  return (a * 2 ** 20 + (b >>> 12)).toString(36).padStart(10, "0").slice(-10);
}
