import { describe } from "../errors/describe.ts";
import { SuperstepError } from "../errors/errors.ts";
import { toUuid } from "./uuid.ts";

// A UUID of version 7 (RFC 9562): 48 bits of milliseconds, a counter of 26 bits that goes on within
// a millisecond, 48 random bits. As text it sorts by time and counter.

const maxTime = 2 ** 48 - 1;
const maxCounter = 2 ** 26 - 1;
const layout = /^([0-9a-f]{8})-([0-9a-f]{4})-7([0-9a-f]{3})-([89ab])([0-9a-f]{3})-[0-9a-f]{12}$/;

let time = 0;
let counter = 0;

/**
 * A new id that sorts, as text, after every earlier one of this process and after `after`, whatever
 * the clocks of other processes said when they made that: a clock that is behind is not waited for.
 */
export function timeId(after?: string): string {
  const now = Math.min(Date.now(), maxTime);
  const last = after === undefined ? undefined : read(after);
  if (last && (last.time > time || (last.time === time && last.counter > counter))) {
    ({ time, counter } = last);
  }
  const [random, seed] = randomWords();
  if (now > time) {
    // With room to count: the upper half is never where a millisecond begins.
    [time, counter] = [now, seed & (maxCounter >> 1)];
  } else if (counter < maxCounter) counter++;
  else [time, counter] = [time + 1, 0];
  if (time > maxTime) throw invalidId(after, "is the last that there can be");
  return write(random, seed);
}

/** The part of the counter that is beside the version has 12 bits, the rest has 14. */
function write(random: number, seed: number): string {
  const upper = Math.floor(time / 2 ** 16);
  const middle = ((time % 2 ** 16) << 16) | (counter >>> 14);
  const lower = ((counter & 0x3fff) << 16) | (seed >>> 16);
  return toUuid([upper, middle, lower, random], 7);
}

function read(id: string): { time: number; counter: number } {
  const parts = layout.exec(id);
  if (!parts) throw invalidId(id, "is no id that sorts by time");
  const [, upper = "", middle = "", first = "", variant = "", second = ""] = parts;
  const low = ((Number.parseInt(variant, 16) & 3) << 12) | Number.parseInt(second, 16);
  return {
    time: Number.parseInt(upper + middle, 16),
    counter: (Number.parseInt(first, 16) << 14) | low,
  };
}

function invalidId(id: string | undefined, problem: string): SuperstepError {
  return new SuperstepError("INVALID_INPUT", `${describe(id)} ${problem}.`, {
    fix: "Give an id that this package made: a UUID of version 7, in small letters.",
  });
}

const pool = new Uint32Array(128);
let used = pool.length;

/** Two random words. Many are drawn at once, since each drawing has its price. */
function randomWords(): readonly [number, number] {
  if (used === pool.length) {
    crypto.getRandomValues(pool);
    used = 0;
  }
  used += 2;
  return [pool[used - 2] as number, pool[used - 1] as number];
}
