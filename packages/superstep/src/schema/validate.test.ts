import { type } from "arktype";
import fc from "fast-check";
import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { z as z3 } from "zod3";
import { issuePath, prettyIssues } from "./issues.ts";
import type { JsonSchema, Schema, Validation } from "./types.ts";
import { validate } from "./validate.ts";

async function valid(schema: Schema, value: unknown): Promise<unknown> {
  const result: Validation = await validate(schema, value);
  if (result.issues) throw new Error(prettyIssues(result.issues));
  return result.value;
}

async function issues(schema: Schema, value: unknown): Promise<string[]> {
  const result: Validation = await validate(schema, value);
  return (result.issues ?? []).map((issue) => `${issuePath(issue)}: ${issue.message}`);
}

describe("schemas of libraries give back what they make of a value", () => {
  test.each([
    ["Zod 4", z.object({ n: z.number().default(3) })],
    ["Zod 3", z3.object({ n: z3.number().default(3) })],
    ["Valibot", v.object({ n: v.optional(v.number(), 3) })],
    ["ArkType", type({ n: "number = 3" })],
  ])("%s", async (_name, schema) => {
    expect(await valid(schema, {})).toEqual({ n: 3 });
    expect(await issues(schema, { n: "x" })).toEqual([expect.stringMatching(/^n: .*number/)]);
  });

  test("a check that is asynchronous is awaited", async () => {
    const even = z.number().refine(async (n) => n % 2 === 0, "odd");
    expect(await valid(z.object({ even }), { even: 2 })).toEqual({ even: 2 });
    expect(await issues(z.object({ even }), { even: 3 })).toEqual(["even: odd"]);
  });

  test("a synchronous check gives no promise", () => {
    expect(validate(z.string(), "x")).toMatchObject({ value: "x" });
  });
});

describe("plain JSON Schema", () => {
  const schema: JsonSchema = {
    type: "object",
    properties: {
      city: { type: "string", minLength: 1 },
      unit: { enum: ["C", "F"], default: "C" },
      place: {
        type: "object",
        properties: { zip: { type: "string" }, country: { type: "string", default: "DE" } },
      },
      days: { type: "array", items: { $ref: "#/definitions/day" } },
    },
    required: ["city"],
    additionalProperties: false,
    definitions: { day: { type: "object", properties: { n: { type: "number", default: 1 } } } },
  };

  test("defaults are filled in, in objects, lists and through references", async () => {
    const value = { city: "Bonn", place: {}, days: [{}, { n: 2 }] };
    expect(await valid(schema, value)).toEqual({
      city: "Bonn",
      unit: "C",
      place: { country: "DE" },
      days: [{ n: 1 }, { n: 2 }],
    });
    expect(value).toEqual({ city: "Bonn", place: {}, days: [{}, { n: 2 }] });
  });

  test("explicit values win over defaults, falsy ones too", async () => {
    const falsy: JsonSchema = { properties: { a: { default: 1 }, b: { default: true } } };
    expect(await valid(falsy, { a: 0, b: false })).toEqual({ a: 0, b: false });
    expect(await valid(falsy, { a: null, b: "" })).toEqual({ a: null, b: "" });
  });

  test("a default is a fresh copy each time", async () => {
    const list: JsonSchema = { properties: { list: { type: "array", default: [] } } };
    const first = (await valid(list, {})) as { list: number[] };
    first.list.push(1);
    expect(await valid(list, {})).toEqual({ list: [] });
  });

  test("all issues are told, with their places", async () => {
    expect(await issues(schema, { city: "", unit: "K", days: [{ n: "x" }], more: 1 })).toEqual([
      expect.stringMatching(/^city: /),
      expect.stringMatching(/^unit: /),
      expect.stringMatching(/^days\[0\]\.n: /),
      expect.stringMatching(/^more: /),
    ]);
    expect(await issues(schema, {})).toEqual([expect.stringContaining("city")]);
    expect(await issues(schema, "text")).toHaveLength(1);
    expect(await issues(schema, undefined)).toHaveLength(1);
  });

  test("after the first time there is no promise", async () => {
    await validate(schema, {});
    expect(validate(schema, { city: "Bonn" })).not.toBeInstanceOf(Promise);
  });

  test("the schema stays as it was, also when it is frozen", async () => {
    const frozen: JsonSchema = Object.freeze({ type: "object", $id: "https://a.example/b" });
    expect(await valid(frozen, { a: 1 })).toEqual({ a: 1 });
    expect(Object.getOwnPropertyNames(frozen)).toEqual(["type", "$id"]);
  });

  test("names of Object.prototype are members only when they are there", async () => {
    const odd: JsonSchema = {
      properties: { constructor: { type: "string" }, toString: { type: "number" } },
      required: ["toString"],
    };
    expect(await issues(odd, {})).toEqual([expect.stringContaining("toString")]);
    expect(await valid(odd, { toString: 1 })).toEqual({ toString: 1 });
  });

  test("SEC-15: __proto__ is left out at every depth", async () => {
    const value: unknown = JSON.parse(
      String.raw`{"\u005f_proto__":{"x":1},"a":{"__proto__":{"x":1},"b":[{"__proto__":{}}]}}`,
    );
    const result = (await valid({ type: "object" }, value)) as { a: object };
    expect(result).toEqual({ a: { b: [{}] } });
    expect(Object.hasOwn(result, "__proto__")).toBe(false);
    expect(Object.hasOwn(result.a, "__proto__")).toBe(false);
    expect(({} as { x?: number }).x).toBeUndefined();
  });

  test("tuples of draft-07 and of 2020-12", async () => {
    const pair = [{ type: "string" }, { type: "number" }];
    const old = { $schema: "http://json-schema.org/draft-07/schema#", items: pair };
    expect(await issues(old, ["a", "b"])).toHaveLength(1);
    expect(await issues({ prefixItems: pair }, ["a", "b"])).toHaveLength(1);
    expect(await issues({ prefixItems: pair }, ["a", 1])).toEqual([]);
  });

  test("recursion without end is an error with a code", async () => {
    const endless = { $ref: "#/definitions/a", definitions: { a: { $ref: "#/definitions/a" } } };
    await expect(async () => validate(endless, {})).rejects.toMatchObject({
      code: "INVALID_SCHEMA",
    });
  });

  test("what is no schema at all is refused", async () => {
    await expect(async () => validate({ city: z.string() }, {})).rejects.toMatchObject({
      code: "INVALID_SCHEMA",
    });
  });

  test("any JSON value passes a schema that asks nothing, equal and unchanged", async () => {
    const harmless = fc.jsonValue().filter((value) => !JSON.stringify(value).includes("__proto__"));
    await fc.assert(
      fc.asyncProperty(harmless, async (value) => {
        const before = JSON.stringify(value);
        const result = await valid({}, value);
        expect(JSON.stringify(value)).toBe(before);
        expect(JSON.stringify(result)).toBe(before);
      }),
    );
  });
});

test("issues read as text for people and models", () => {
  expect(
    prettyIssues([
      { message: "Required", path: ["days", 0, { key: "first name" }] },
      { message: "No object" },
    ]),
  ).toBe(`✖ Required\n  → at days[0]["first name"]\n✖ No object`);
});
