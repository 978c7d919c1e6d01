/** Four words of 32 bits as a UUID; the 6 bits of version and variant are overwritten. */
export function toUuid(words: readonly [number, number, number, number], version: 7 | 8): string {
  const [a, b, c, d] = words;
  const [v, w] = [hex((b & ~0xf000) | (version << 12)), hex((c & 0x3fffffff) | 0x80000000)];
  return `${hex(a)}-${v.slice(0, 4)}-${v.slice(4)}-${w.slice(0, 4)}-${w.slice(4)}${hex(d)}`;
}

function hex(word: number): string {
  return (word >>> 0).toString(16).padStart(8, "0");
}
