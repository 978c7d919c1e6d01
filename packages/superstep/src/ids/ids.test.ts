import fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import { hash128 } from "./hash.ts";
import { murmur128 } from "./murmur.ts";
import { timeId } from "./time-id.ts";

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-([78])[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe("hash128", () => {
  test("is MurmurHash3_x86_128: the verification value of SMHasher", () => {
    const hashes = new DataView(new ArrayBuffer(256 * 16));
    const key = new Uint8Array(256).map((_, index) => index);
    for (let length = 0; length < 256; length++) {
      const words = murmur128(key, length, 256 - length);
      for (const [at, word] of words.entries()) hashes.setUint32(length * 16 + at * 4, word, true);
    }
    const [first] = murmur128(new Uint8Array(hashes.buffer), hashes.byteLength, 0);
    expect((first >>> 0).toString(16)).toBe("b3ece62a");
  });

  test("stays what it is for ever", () => {
    expect(hash128("")).toBe("00000000-0000-8000-8000-000000000000");
    expect(hash128("a")).toBe("a794933c-5556-801b-9556-b01b5556b01b");
    expect(hash128("ü€😀")).toBe("8fcca08c-eb71-8b2f-92e7-338537e7fbfb");
  });

  test("CHK-22: matches the pattern of UUIDs, for every text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(uuid.exec(hash128(text))?.[1]).toBe("8");
        expect(hash128(text)).toBe(hash128(text));
      }),
    );
  });

  test("hashes the UTF-8 of the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 40 }), (text) => {
        const bytes = new TextEncoder().encode(text);
        const [word] = murmur128(bytes, bytes.length, 0);
        expect(hash128(text).slice(0, 8)).toBe((word >>> 0).toString(16).padStart(8, "0"));
      }),
    );
  });

  test("different texts have different hashes: paths, counters, lone surrogates", () => {
    const texts = new Set<string>(["\ud800", "\udc00", "\ufffd", "\ud800\ud800", "\udc00\ud800"]);
    for (let at = 0; at < 50_000; at++) {
      texts.add(`${at}`);
      texts.add(`run/ns|pull/node-${at}/0`);
      texts.add("a".repeat(at % 700) + at);
    }
    expect(new Set([...texts].map(hash128)).size).toBe(texts.size);
    expect(new Set([...texts].map((text) => hash128(text).slice(0, 18))).size).toBe(texts.size);
  });

  test("one bit of the text turns about half of the bits over", () => {
    const bits = (id: string) =>
      Array.from(id.replaceAll("-", ""))
        .map((c) => Number.parseInt(c, 16).toString(2).padStart(4, "0"))
        .join("");
    let turned = 0;
    const rounds = 2000;
    for (let at = 0; at < rounds; at++) {
      const base = `thread/checkpoint/task-${at}`;
      const place = at % base.length;
      const flipped = String.fromCharCode(base.charCodeAt(place) ^ (1 << (at % 6)));
      const [one, other] = [
        bits(hash128(base)),
        bits(hash128(base.slice(0, place) + flipped + base.slice(place + 1))),
      ];
      for (let bit = 0; bit < 128; bit++) if (one[bit] !== other[bit]) turned++;
    }
    expect(turned / rounds).toBeGreaterThan(59);
    expect(turned / rounds).toBeLessThan(63); // of 122 bits that are free
  });

  test("texts longer than the memory that is reused", () => {
    const long = "ü".repeat(5000);
    expect(hash128(long)).not.toBe(hash128(`${long}ü`));
    expect(hash128(long)).toBe(hash128("ü".repeat(5000)));
  });
});

describe("timeId", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  test("TTR-10: the order of a thousand ids as texts is the order in which they were made", () => {
    const ids = Array.from({ length: 1000 }, () => timeId());
    expect(ids.toSorted()).toEqual(ids);
    expect(new Set(ids).size).toBe(1000);
    for (const id of ids) expect(uuid.exec(id)?.[1]).toBe("7");
  });

  test("the time is in it", () => {
    vi.useFakeTimers({ now: Date.now() + 60_000 });
    const id = timeId();
    expect(Number.parseInt(id.replace("-", "").slice(0, 12), 16)).toBe(Date.now());
  });

  test("a clock that stands still or goes back", () => {
    const start = Date.now() + 120_000;
    vi.useFakeTimers({ now: start });
    const ids = [timeId(), timeId()];
    vi.setSystemTime(start - 50_000);
    ids.push(timeId(), timeId());
    vi.setSystemTime(start + 1);
    ids.push(timeId());
    expect(ids.toSorted()).toEqual(ids);
    expect(new Set(ids).size).toBe(5);
  });

  test("it sorts after the id of a process whose clock is ahead, and so do those that follow", () => {
    const ahead = (Date.now() + 3_600_000).toString(16).padStart(12, "0");
    const start = `${ahead.slice(0, 8)}-${ahead.slice(8)}`;
    const last = `${start}-7abc-bfff-ffffffffffff`;
    const ids = [last, timeId(last), timeId(), timeId(last), timeId()];
    expect(ids.toSorted()).toEqual(ids);
    expect(new Set(ids).size).toBe(5);
    expect(ids[1]?.slice(0, 13)).toBe(start);
  });

  test("an earlier id to sort after changes nothing", () => {
    const first = timeId();
    timeId();
    const ids = [timeId(), timeId(first), timeId()];
    expect(ids.toSorted()).toEqual(ids);
  });

  test("a counter that is used up goes on in the next millisecond", () => {
    const ahead = (Date.now() + 7_200_000).toString(16).padStart(12, "0");
    const last = `${ahead.slice(0, 8)}-${ahead.slice(8)}-7fff-bfff-ffffffffffff`;
    const id = timeId(last);
    expect(id > last).toBe(true);
    expect(id > timeId(id)).toBe(false);
    expect(uuid.test(id)).toBe(true);
  });

  test.each([
    "",
    "x",
    "1ef5c3a0-0000-6000-8000-000000000000",
    `${"0".repeat(8)}-0000-7000-8000-ABCDEFABCDEF`,
  ])("an id of another kind is refused: %j", (after) => {
    expect(() => timeId(after)).toThrow("is no id that sorts by time");
  });

  test("another process does not make the same ids in the same millisecond", () => {
    const random = new Set(Array.from({ length: 1000 }, () => timeId().slice(-12)));
    expect(random.size).toBe(1000);
  });
});
