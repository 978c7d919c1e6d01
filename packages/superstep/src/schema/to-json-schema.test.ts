import { toJsonSchema as valibotToJson } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import * as mini from "zod/mini";
import { z as z3 } from "zod3";
import { toJsonSchema } from "./to-json-schema.ts";
import type { JsonSchema } from "./types.ts";

const weather: JsonSchema = {
  type: "object",
  properties: { city: { type: "string" }, days: { type: "number" } },
  required: ["city"],
};

async function convert(schema: Parameters<typeof toJsonSchema>[0]): Promise<JsonSchema> {
  return await toJsonSchema(schema);
}

async function refusal(schema: Parameters<typeof toJsonSchema>[0]): Promise<Error> {
  try {
    await toJsonSchema(schema);
  } catch (error) {
    return error as Error;
  }
  throw new Error("The schema was converted.");
}

describe("each library's schema becomes the JSON Schema of its input", () => {
  test.each([
    ["Zod 4", z.object({ city: z.string(), days: z.number().default(3) })],
    ["Zod 3", z3.object({ city: z3.string(), days: z3.number().default(3) })],
    ["Valibot", v.object({ city: v.string(), days: v.optional(v.number(), 3) })],
    ["ArkType", type({ city: "string", "days?": "number" })],
    ["Zod mini", mini.object({ city: mini.string(), days: mini.optional(mini.number()) })],
  ])("%s", async (_, schema) => {
    expect(await convert(schema)).toMatchObject(weather);
  });

  test("Zod 4 and ArkType are converted without a promise", () => {
    expect(toJsonSchema(z.object({ a: z.string() }))).not.toBeInstanceOf(Promise);
    expect(toJsonSchema(type({ a: "string" }))).not.toBeInstanceOf(Promise);
  });

  test("what has a default is not required, and the default is told", () => {
    expect(toJsonSchema(z.object({ days: z.number().default(3) }))).toMatchObject({
      properties: { days: { type: "number", default: 3 } },
    });
    expect(toJsonSchema(z.object({ days: z.number().default(3) }))).not.toHaveProperty("required");
  });

  test("plain JSON Schema is handed back as it is", () => {
    expect(toJsonSchema(weather)).toBe(weather);
  });

  test("transforms and preprocessing are described from the input side", async () => {
    const zod = z.object({ n: z.string().transform(Number), p: z.preprocess(String, z.string()) });
    expect(await convert(zod)).toMatchObject({
      properties: { n: { type: "string" }, p: { type: "string" } },
    });
  });

  test("recursion becomes a reference", async () => {
    const node = z.object({
      name: z.string(),
      get children() {
        return z.array(node);
      },
    });
    expect(await convert(node)).toMatchObject({
      properties: { children: { items: { $ref: "#" } } },
    });
  });

  test("each schema is converted once", async () => {
    const zod = z.object({ a: z.string() });
    expect(toJsonSchema(zod)).toBe(toJsonSchema(zod));
    const zod3 = z3.object({ a: z3.string() });
    const first = await toJsonSchema(zod3);
    expect(toJsonSchema(zod3)).toBe(first);
  });

  test("the library of the test agrees with ours for Valibot", async () => {
    const schema = v.object({ a: v.union([v.string(), v.number()]) });
    expect(await convert(schema)).toEqual(valibotToJson(schema, { target: "draft-07" }));
  });
});

describe("TOO-14: a member without JSON Schema is refused with its path, never dropped", () => {
  test.each([
    [
      "Zod 4",
      z.object({ a: z.union([z.string(), z.date()]) }),
      /#\/properties\/a\/anyOf\/1 .*Date/,
    ],
    [
      "Zod 4, deep",
      z.object({
        ops: z.array(z.discriminatedUnion("k", [z.object({ k: z.literal("x"), b: z.bigint() })])),
      }),
      /#\/properties\/ops\/items\/(oneOf|anyOf)\/0\/properties\/b .*BigInt/,
    ],
    [
      "Zod 3",
      z3.object({ a: z3.union([z3.string(), z3.function()]) }),
      /#\/properties\/a\/anyOf\/1 .*ZodFunction/,
    ],
    ["Zod 3, date", z3.object({ at: z3.date() }), /#\/properties\/at .*ZodDate/],
    [
      "Valibot",
      v.object({ a: v.union([v.string(), v.date()]) }),
      /#\/properties\/a\/anyOf\/1 .*date/,
    ],
    ["ArkType", type({ a: "string | Date" }), /#\/properties\/a\/anyOf\/1 .*date/],
  ])("%s", async (_, schema, place) => {
    const error = await refusal(schema);
    expect(error).toMatchObject({ code: "INVALID_SCHEMA" });
    expect(error.message).toMatch(place);
  });

  test("a union whose variant has a preprocess step keeps both variants", async () => {
    const schema = z.object({
      edit: z.discriminatedUnion("op", [
        z.object({ op: z.literal("insert"), text: z.string() }),
        z.object({ op: z.literal("replace"), text: z.preprocess((x) => x, z.string()) }),
      ]),
    });
    const { properties } = (await convert(schema)) as {
      properties: { edit: { oneOf: unknown[] } };
    };
    expect(properties.edit.oneOf).toHaveLength(2);
  });

  test("coerced dates of Zod 3 are text, as JSON has it", async () => {
    expect(await convert(z3.object({ at: z3.coerce.date() }))).toMatchObject({
      properties: { at: { type: "string" } },
    });
  });
});

describe("TOO-18: a very deep schema is refused with the limit", () => {
  test("120 chained references", async () => {
    const definitions: Record<string, unknown> = { d120: { type: "string" } };
    for (let i = 0; i < 120; i++) {
      definitions[`d${i}`] = {
        type: "object",
        properties: { next: { $ref: `#/definitions/d${i + 1}` } },
      };
    }
    const error = await refusal({ $ref: "#/definitions/d0", definitions });
    expect(error).toMatchObject({ code: "INVALID_SCHEMA" });
    expect(error.message).toContain("limit 100");
  });

  test.each([150, 10_000])("nesting %i deep, whatever the library", async (levels) => {
    let plain: JsonSchema = { type: "string" };
    let zod: z.ZodType = z.string();
    let zod3: z3.ZodTypeAny = z3.string();
    for (let i = 0; i < levels; i++) {
      plain = { type: "object", properties: { a: plain } };
      zod = z.object({ a: zod });
      zod3 = z3.object({ a: zod3 });
    }
    for (const schema of [plain, zod, zod3]) {
      const error = await refusal(schema as JsonSchema);
      expect(error).toMatchObject({ code: "INVALID_SCHEMA" });
      expect(error.message).toContain("limit 100");
    }
  });

  test("40 references that each occur twice cost no more than their number", () => {
    const definitions: Record<string, unknown> = { d40: { type: "string" } };
    for (let i = 0; i < 40; i++) {
      const next = { $ref: `#/definitions/d${i + 1}` };
      definitions[`d${i}`] = { type: "object", properties: { a: next, b: next } };
    }
    const schema = { $ref: "#/definitions/d0", definitions };
    expect(toJsonSchema(schema)).toBe(schema);
  });

  test("recursion through references is no depth", () => {
    const schema = {
      definitions: { list: { properties: { rest: { $ref: "#/definitions/list" } } } },
      properties: { list: { $ref: "#/definitions/list" }, self: { $ref: "#" } },
    };
    expect(toJsonSchema(schema)).toBe(schema);
  });

  test("an object that contains itself is refused", async () => {
    const schema: Record<string, unknown> = { type: "object" };
    schema["properties"] = { me: schema };
    expect((await refusal(schema)).message).toBe("The schema at #/properties/me contains itself.");
  });
});

describe("what is no schema is refused", () => {
  test.each([
    ["a text", "string" as never, "A schema cannot be"],
    ["a list", [] as never, "A schema cannot be"],
    ["an instance of another class", new Map() as never, "A schema cannot be a Map"],
    ["nothing", undefined as never, "A schema cannot be undefined"],
    ["an object of fields", { city: z.string() } as never, `member "city" is a schema`],
    ["a dangling reference", { $ref: "#/definitions/gone" }, `"#/definitions/gone"`],
    [
      "a library that offers no JSON Schema",
      {
        "~standard": { version: 1, vendor: "home-made", validate: (value: unknown) => ({ value }) },
      },
      "home-made",
    ],
  ] as const)("%s", async (_, schema, text) => {
    const error = await refusal(schema);
    expect(error).toMatchObject({ code: "INVALID_SCHEMA" });
    expect(error.message).toContain(text);
  });
});
