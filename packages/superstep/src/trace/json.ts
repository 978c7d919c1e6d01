import { describe } from "../errors/describe.ts";

/** A value as JSON, or a picture of one that has none. Never throws. */
export function json(value: unknown): string {
  try {
    return JSON.stringify(value, withoutBigInts) ?? describe(value);
  } catch {
    return describe(value); // circular, or a getter that throws
  }
}

function withoutBigInts(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? `${value}` : value;
}
