/**
 * How the writes of one superstep meet the value of one state key or control signal.
 *
 * A channel is a rule and holds no value itself: the run holds the values, so one compiled graph
 * serves any number of runs. `undefined` is the empty channel; every other value, falsy ones
 * included, is a value.
 */
export interface Channel {
  readonly kind: string;
  /** The value of a channel that was never written; called once per thread, never shared. */
  readonly initial?: () => unknown;
  /**
   * The value after the writes of one superstep. `writes` has at least one element, in task order.
   * Throws `ConflictingWrites` when this rule cannot take so many.
   */
  readonly update: (current: unknown, writes: readonly unknown[]) => unknown;
  /** Whether subscribed nodes are due when the channel was written. Default: always. */
  readonly isReady?: (value: unknown) => boolean;
  /** The value that stays once subscribed nodes are due. Default: all of it. */
  readonly consume?: (value: unknown) => unknown;
  /**
   * The value lasts for one superstep: it is cleared when the next one does not write it again, and
   * is no part of what a run gives out.
   */
  readonly ephemeral?: boolean;
  /** The value is the write itself, so it is frozen as soon as a task hands it in. */
  readonly keepsWrites?: boolean;
  /** The channel keeps its own values immutable, so the engine need not freeze them. */
  readonly freezesItself?: boolean;
  /**
   * The form in which a write is stored, streamed and given to `update`. Called once, when a task
   * hands in the write; the result must be frozen.
   */
  readonly prepare?: (write: unknown) => unknown;
  /** The messages that a prepared write adds to `current`, for stream mode `messages`. */
  readonly emit?: (write: unknown, current?: unknown) => readonly object[];
}

/** Thrown by `Channel.update`; the engine adds the names and makes it an `InvalidUpdateError`. */
export class ConflictingWrites extends Error {
  readonly count: number;

  constructor(count: number) {
    super(`${count} writes in one superstep to a channel that takes one.`);
    this.name = "ConflictingWrites";
    this.count = count;
  }
}
