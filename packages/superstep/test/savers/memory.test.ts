import { describe, it } from "vitest";
import { MemorySaver } from "../../src/checkpoint/memory-saver.ts";
import { saverConformance } from "./conformance.ts";

describe("MemorySaver", () => {
  const saver = new MemorySaver();
  saverConformance(it, () => saver);
});
