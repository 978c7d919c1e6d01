import { murmur128 } from "./murmur.ts";
import { toUuid } from "./uuid.ts";

/** Reused between calls; texts that need more get bytes of their own. */
const scratch = new Uint8Array(3072);

/**
 * A hash of 128 bits, 6 of them fixed so that it has the form of a UUID (version 8: made by an
 * application). The same text gives the same hash everywhere and for ever. Not for secrets: whoever
 * can choose texts can find two with one hash.
 */
export function hash128(text: string): string {
  const bytes = text.length * 3 <= scratch.length ? scratch : new Uint8Array(text.length * 3);
  return toUuid(murmur128(bytes, writeUtf8(text, bytes), 0), 8);
}

/**
 * Writes the text as UTF-8 and returns how many bytes that took. A surrogate without its partner is
 * written like any other unit (TextEncoder makes all of them the same character), so that different
 * texts are different bytes.
 */
function writeUtf8(text: string, bytes: Uint8Array): number {
  let length = 0;
  for (let index = 0; index < text.length; index++) {
    let code = text.charCodeAt(index);
    if (code < 0x80) {
      bytes[length++] = code;
      continue;
    }
    if ((code & 0xfc00) === 0xd800) {
      code = text.codePointAt(index) as number;
      if (code > 0xffff) index++;
    }
    length = writeSequence(code, bytes, length);
  }
  return length;
}

function writeSequence(code: number, bytes: Uint8Array, start: number): number {
  let length = start;
  if (code < 0x800) bytes[length++] = 0xc0 | (code >> 6);
  else {
    if (code < 0x10000) bytes[length++] = 0xe0 | (code >> 12);
    else {
      bytes[length++] = 0xf0 | (code >> 18);
      bytes[length++] = 0x80 | ((code >> 12) & 0x3f);
    }
    bytes[length++] = 0x80 | ((code >> 6) & 0x3f);
  }
  bytes[length++] = 0x80 | (code & 0x3f);
  return length;
}
