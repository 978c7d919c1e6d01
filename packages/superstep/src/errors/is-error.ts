/** Whether `value` is an error, of this realm or another; never throws. */
export function isError(value: unknown): value is Error {
  try {
    return value instanceof Error || Object.prototype.toString.call(value) === "[object Error]";
  } catch {
    return false; // a revoked proxy
  }
}

/** Whether `value` is how an abort is told; never throws. */
export function isAbortError(value: unknown): boolean {
  try {
    return isError(value) && value.name === "AbortError";
  } catch {
    return false; // a getter that throws
  }
}
