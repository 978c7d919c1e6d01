import { describe } from "../errors/describe.ts";
import { RunCancelledError } from "../errors/errors.ts";

/** One signal out of several, which holds on to none of them once it is disposed. */
export class Abort implements Disposable {
  readonly #controller = new AbortController();
  readonly #sources: readonly AbortSignal[];
  #reject: ((error: unknown) => void) | undefined;

  constructor(...sources: readonly (AbortSignal | undefined)[]) {
    this.#sources = sources.filter((source) => source !== undefined);
    const aborted = this.#sources.find((source) => source.aborted);
    if (aborted) throw abortError(aborted.reason); // before any of them holds a listener
    for (const source of this.#sources) source.addEventListener("abort", this.#onAbort);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The promise's outcome, or a rejection as soon as the call is aborted. One at a time. */
  race<Value>(promise: Promise<Value>): Promise<Value> {
    if (this.#sources.length === 0) return promise;
    if (this.signal.aborted) {
      promise.catch(() => {}); // the abort has been reported in its place
      return Promise.reject(abortError(this.signal.reason));
    }
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      promise.then(resolve, reject);
    });
  }

  readonly #onAbort = (event: Event): void => {
    const { reason } = event.target as AbortSignal;
    this.#controller.abort(reason);
    this.#reject?.(abortError(reason));
  };

  /** Lets go of the sources. */
  [Symbol.dispose](): void {
    for (const source of this.#sources) source.removeEventListener("abort", this.#onAbort);
  }

  /** Stops the request when nobody waits for it any more. */
  stop(): void {
    this.#controller.abort();
  }
}

/** A reason that is an error is thrown itself. */
function abortError(reason: unknown): Error {
  if (reason instanceof Error) return reason;
  return new RunCancelledError(`The call of the model was aborted: ${describe(reason)}.`, {
    fix: "Nothing, if that was meant. The reason is what was given to abort().",
    cause: reason,
  });
}
