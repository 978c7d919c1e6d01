type Words = [number, number, number, number];

/**
 * MurmurHash3_x86_128 by Austin Appleby (public domain), as in the SMHasher repository:
 * https://github.com/aappleby/smhasher/blob/master/src/MurmurHash3.cpp
 */
export function murmur128(bytes: Uint8Array, length: number, seed: number): Words {
  let [h1, h2, h3, h4] = [seed, seed, seed, seed];
  const end = length - (length % 16);
  for (let at = 0; at < end; at += 16) {
    h1 = Math.imul(rotate(h1 ^ scramble1(word(bytes, at)), 19) + h2, 5) + 0x561ccd1b;
    h2 = Math.imul(rotate(h2 ^ scramble2(word(bytes, at + 4)), 17) + h3, 5) + 0x0bcaa747;
    h3 = Math.imul(rotate(h3 ^ scramble3(word(bytes, at + 8)), 15) + h4, 5) + 0x96cd1c35;
    h4 = Math.imul(rotate(h4 ^ scramble4(word(bytes, at + 12)), 13) + h1, 5) + 0x32ac3b17;
  }
  h4 ^= scramble4(rest(bytes, end + 12, length));
  h3 ^= scramble3(rest(bytes, end + 8, length));
  h2 ^= scramble2(rest(bytes, end + 4, length));
  h1 ^= scramble1(rest(bytes, end, length));
  const words = mix(h1 ^ length, h2 ^ length, h3 ^ length, h4 ^ length);
  return mix(final(words[0]), final(words[1]), final(words[2]), final(words[3]));
}

const [c1, c2, c3, c4] = [0x239b961b, 0xab0e9789, 0x38b34ae5, 0xa1e38b93] as const;

function scramble1(k: number): number {
  return Math.imul(rotate(Math.imul(k, c1), 15), c2);
}
function scramble2(k: number): number {
  return Math.imul(rotate(Math.imul(k, c2), 16), c3);
}
function scramble3(k: number): number {
  return Math.imul(rotate(Math.imul(k, c3), 17), c4);
}
function scramble4(k: number): number {
  return Math.imul(rotate(Math.imul(k, c4), 18), c1);
}

function rotate(k: number, bits: number): number {
  return (k << bits) | (k >>> (32 - bits));
}

function word(bytes: Uint8Array, at: number): number {
  return (
    (bytes[at] as number) |
    ((bytes[at + 1] as number) << 8) |
    ((bytes[at + 2] as number) << 16) |
    ((bytes[at + 3] as number) << 24)
  );
}

/** A word of the last block, of which there may be less than four bytes. */
function rest(bytes: Uint8Array, start: number, length: number): number {
  let k = 0;
  for (let at = Math.min(length, start + 4) - 1; at >= start; at--) {
    k = (k << 8) | (bytes[at] as number);
  }
  return k;
}

function mix(a: number, b: number, c: number, d: number): Words {
  const sum = (a + b + c + d) | 0;
  return [sum, (b + sum) | 0, (c + sum) | 0, (d + sum) | 0];
}

function final(h: number): number {
  let k = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  k = Math.imul(k ^ (k >>> 13), 0xc2b2ae35);
  return k ^ (k >>> 16);
}
