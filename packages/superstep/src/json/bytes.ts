// Bytes as base64. Elements of more than a byte are stored as they lie in memory, which on every
// platform in use is little-endian.

interface BufferClass {
  readonly prototype: object;
  from(bytes: ArrayBufferLike, offset?: number, length?: number): Uint8Array & BufferText;
  from(text: string, encoding: "base64"): Uint8Array;
}
interface BufferText {
  toString(encoding: "base64"): string;
}

/** Node's Buffer, where the platform has it. */
export function bufferClass(): BufferClass | undefined {
  return (globalThis as { readonly Buffer?: BufferClass }).Buffer;
}

/** A length that is a multiple of three gives text without padding. */
const chunk = 24_576;

export function toBase64(bytes: Uint8Array): string {
  const buffer = bufferClass();
  if (buffer) {
    return buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
  }
  let text = "";
  for (let at = 0; at < bytes.length; at += chunk) {
    text += btoa(String.fromCharCode(...bytes.subarray(at, at + chunk)));
  }
  return text;
}

/** The bytes in memory of their own; `undefined` when the text is not base64. */
export function fromBase64(text: unknown): Uint8Array<ArrayBuffer> | undefined {
  if (typeof text !== "string" || text.length % 4 !== 0) return undefined;
  const padding = text.endsWith("==") ? 2 : Number(text.endsWith("="));
  if (/[^A-Za-z0-9+/]/.test(text.slice(0, text.length - padding))) return undefined;
  const bytes = new Uint8Array((text.length / 4) * 3 - padding);
  const buffer = bufferClass();
  if (buffer) bytes.set(buffer.from(text, "base64"));
  else {
    const binary = atob(text);
    for (let at = 0; at < bytes.length; at++) bytes[at] = binary.charCodeAt(at);
  }
  return bytes;
}
