import * as v from "valibot";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import * as mini from "zod/mini";
import { z as z3 } from "zod3";
import type { Schema } from "./types.ts";

const packages = ["@cfworker/json-schema", "@valibot/to-json-schema", "zod-to-json-schema"];

beforeEach(() => {
  vi.resetModules();
  for (const name of [...packages, "zod/v4/core"]) {
    vi.doMock(name, () => {
      throw new Error(`Cannot find package '${name}'`);
    });
  }
});

afterEach(() => {
  for (const name of [...packages, "zod/v4/core"]) vi.doUnmock(name);
});

test.each<[name: string, schema: Schema]>([
  ["zod-to-json-schema", z3.object({})],
  ["@valibot/to-json-schema", v.object({})],
  ["zod", mini.object({})],
])("a conversion that needs %s says how to install it", async (name, schema) => {
  const { toJsonSchema } = await import("./to-json-schema.ts");
  const first = Promise.resolve(toJsonSchema(schema));
  await expect(first).rejects.toMatchObject({
    code: "MISSING_PACKAGE",
    message: expect.stringContaining(` needs the package ${name}.`),
    fix: `npm install ${name}`,
  });
  // It is asked for again the next time, since it may be there by then.
  vi.doUnmock("@valibot/to-json-schema");
  expect(toJsonSchema(schema)).not.toBe(first);
});

test("plain JSON Schema says how to install its validator", async () => {
  const { validate } = await import("./validate.ts");
  await expect(async () => validate({ type: "object" }, {})).rejects.toMatchObject({
    code: "MISSING_PACKAGE",
    fix: "npm install @cfworker/json-schema",
  });
});
