import { afterEach, beforeEach } from "vitest";

/** The warnings of the test that is running; they are given in the turn after their cause. */
export function watchWarnings(): () => Promise<readonly string[]> {
  let warnings: string[] = [];
  const onWarning = (warning: Error): void => {
    warnings.push(warning.message);
  };
  beforeEach(() => {
    warnings = [];
    process.on("warning", onWarning);
  });
  afterEach(() => process.off("warning", onWarning));
  return async () => {
    await new Promise((resolve) => setTimeout(resolve));
    return warnings;
  };
}
