import { describe, expect, test, vi } from "vitest";
import * as v from "valibot";
import { z } from "zod";
import { z as z3 } from "zod3";
import { ToolMessage } from "../message/messages.ts";
import type { ToolCall } from "../message/types.ts";
import { withinTask } from "../stream/task-context.ts";
import { ToolInputParsingException } from "./errors.ts";
import type { ToolRuntime } from "./runtime.ts";
import { tool } from "./tool.ts";

const numbers = z.object({ a: z.number(), b: z.number().default(2) });
const add = tool(({ a, b }) => a + b, { name: "add", description: "Adds", schema: numbers });

function call(name: string, args: unknown, id = "call-1"): ToolCall {
  return { type: "tool_call", id, name, args: args as ToolCall["args"] };
}

describe("what a tool is made of", () => {
  test("item 66: the function is kept, the same object", () => {
    const func = (): string => "x";
    expect(tool(func, { name: "f" }).func).toBe(func);
  });

  test("item 42: a model gets name, description and JSON Schema", async () => {
    expect(add).toMatchObject({ name: "add", description: "Adds" });
    expect(await add.toJsonSchema()).toMatchObject({
      type: "object",
      properties: { a: { type: "number" }, b: { type: "number", default: 2 } },
      required: ["a"],
    });
  });

  test("the description falls back to the schema's, then to the name", () => {
    const described = z.object({ a: z.string() }).describe("From the schema");
    const json = { type: "object", description: "From JSON" };
    expect(tool(() => 1, { name: "f", schema: described }).description).toBe("From the schema");
    expect(tool(() => 1, { name: "f", schema: json }).description).toBe("From JSON");
    expect(tool(() => 1, { name: "f" }).description).toBe("f tool");
    expect(tool(() => 1, { name: "f", description: "" }).description).toBe("");
  });

  test("options are kept, and the tool is frozen", () => {
    const full = tool(() => ["x", 1] as const, {
      name: "full",
      responseFormat: "content_and_artifact",
      returnDirect: true,
      metadata: { team: "a" },
      extras: { anthropic: { cache_control: { type: "ephemeral" } } },
      effect: "once",
      verboseParsingErrors: true,
    });
    expect(full).toMatchObject({
      responseFormat: "content_and_artifact",
      returnDirect: true,
      metadata: { team: "a" },
      extras: { anthropic: { cache_control: { type: "ephemeral" } } },
      effect: "once",
      verboseParsingErrors: true,
    });
    expect(Object.isFrozen(full)).toBe(true);
    expect(add).toMatchObject({ returnDirect: false, responseFormat: "content" });
    expect(add.effect).toBeUndefined();
  });

  test.each(["a b", "ärger", "", "x".repeat(65), "a.b", undefined, 7])(
    "the name %j is refused",
    (name) => {
      expect(() => tool(() => 1, { name: name as string })).toThrow(
        expect.objectContaining({ code: "INVALID_TOOL" }),
      );
    },
  );

  test("the name in the error is the one that was given", () => {
    expect(() => tool(() => 1, { name: "my tool" })).toThrow(`A tool cannot be named "my tool".`);
  });

  test("what is no function, no schema or no option is refused", () => {
    const make = (func: unknown, fields: object) => () =>
      tool(func as () => string, fields as { name: string });
    expect(make("x", { name: "f" })).toThrow(expect.objectContaining({ code: "INVALID_TOOL" }));
    expect(make(() => 1, { name: "f", schema: { a: z.string() } })).toThrow(
      expect.objectContaining({ code: "INVALID_SCHEMA" }),
    );
    expect(make(() => 1, { name: "f", shema: numbers })).toThrow(
      expect.objectContaining({ code: "UNKNOWN_OPTION" }),
    );
    expect(make(() => 1, { name: "f", effect: "twice" })).toThrow(
      `Tool "f": effect cannot be "twice".`,
    );
  });

  test("a schema that cannot be shown to a model names the tool and the place", () => {
    const dated = tool(() => 1, { name: "dated", schema: z.object({ at: z.date() }) });
    expect(() => dated.toJsonSchema()).toThrow(/^Tool "dated": The schema at #\/properties\/at /);
  });
});

describe("item 67: arguments give the raw result, a call gives a message", () => {
  test("plain arguments", async () => {
    expect(await add.invoke({ a: 1 })).toBe(3);
    expect(await add.invoke({ a: 1, b: 5 })).toBe(6);
  });

  test("item 65: a call gives a message with content, id of the call, name and status", async () => {
    const message = await add.invoke(call("add", { a: 1 }));
    expect(message).toBeInstanceOf(ToolMessage);
    expect(message).toMatchObject({
      content: "3",
      tool_call_id: "call-1",
      name: "add",
      status: "success",
    });
    expect(message.id).toMatch(/^msg_/);
  });

  test("the arguments are not changed", async () => {
    const args = Object.freeze({ a: 1 });
    await add.invoke(args);
    await add.invoke(call("add", args));
    const json = tool((given: { a: number; b?: number }) => given.b, {
      name: "json",
      schema: { properties: { a: { type: "number" }, b: { type: "number", default: 9 } } },
    });
    expect(await json.invoke(args)).toBe(9);
    expect(args).toEqual({ a: 1 });
  });

  test("a call without an id is refused", async () => {
    await expect(add.invoke(call("add", { a: 1 }, ""))).rejects.toMatchObject({
      code: "INVALID_INPUT",
    });
  });
});

describe("what a result becomes", () => {
  const cases: readonly [string, unknown, unknown][] = [
    ["a text", "hi", "hi"],
    ["an empty text", "", ""],
    ["nothing", undefined, ""],
    ["null", null, "null"],
    ["false", false, "false"],
    ["zero", 0, "0"],
    ["a number that JSON has not", Number.NaN, "NaN"],
    ["a BigInt", 10n, "10"],
    ["an object", { a: 1 }, `{"a":1}`],
    ["a list of texts", ["a", "b"], `["a","b"]`],
    ["an empty list", [], "[]"],
    ["content blocks", [{ type: "text", text: "x" }], [{ type: "text", text: "x" }]],
    ["a BigInt within", { n: 1n, list: [2n] }, `{"n":"1","list":["2"]}`],
    ["a Map", new Map([["a", 1]]), `[["a",1]]`],
    ["a Set", new Set([1, 2]), "[1,2]"],
    ["a Date", new Date(0), `"1970-01-01T00:00:00.000Z"`],
    ["an error that is returned", new TypeError("no"), "TypeError: no"],
  ];
  test.each(cases)("%s", async (_, returned, content) => {
    const echo = tool(() => returned, { name: "echo" });
    expect((await echo.invoke(call("echo", {}))).content).toEqual(content);
  });

  test("TOO-11: a list of plain objects is JSON, not content blocks", async () => {
    const days = [
      { day: "mon", t: 3 },
      { day: "tue", t: 4 },
    ];
    const forecast = tool(() => days, { name: "forecast" });
    expect((await forecast.invoke(call("forecast", {}))).content).toBe(JSON.stringify(days));
    const mixed = tool(() => [{ type: "text", text: "x" }, { day: "mon" }], { name: "mixed" });
    expect((await mixed.invoke(call("mixed", {}))).content).toBe(
      `[{"type":"text","text":"x"},{"day":"mon"}]`,
    );
  });

  test("a cycle does not lose what the tool did", async () => {
    const ring: Record<string, unknown> = { a: 1 };
    ring["self"] = ring;
    const echo = tool(() => ring, { name: "echo" });
    expect((await echo.invoke(call("echo", {}))).content).toBe(`{"a":1,"self":"[circular]"}`);
  });

  test("a message passes as it is, and one for another call is refused", async () => {
    const own = new ToolMessage({ content: "x", tool_call_id: "call-1" });
    const echo = tool(() => own, { name: "echo" });
    expect(await echo.invoke(call("echo", {}))).toBe(own);
    await expect(echo.invoke(call("echo", {}, "call-2"))).rejects.toMatchObject({
      code: "INVALID_TOOL_OUTPUT",
      message: expect.stringContaining(`for call "call-1"`),
    });
  });

  test("a pair gives content and artifact; plain arguments give the content", async () => {
    const search = tool(() => ["2 hits", { hits: [1, 2] }], {
      name: "search",
      responseFormat: "content_and_artifact",
    });
    expect(await search.invoke("x")).toBe("2 hits");
    expect(await search.invoke(call("search", {}))).toMatchObject({
      content: "2 hits",
      artifact: { hits: [1, 2] },
    });
  });

  test("anything but a pair is refused with the result", async () => {
    const wrong = tool((() => "alone") as unknown as () => [string, string], {
      name: "wrong",
      responseFormat: "content_and_artifact",
    });
    await expect(wrong.invoke(call("wrong", {}))).rejects.toMatchObject({
      code: "INVALID_TOOL_OUTPUT",
      message:
        `Tool response format is "content_and_artifact" but the output was not a two-tuple.\n` +
        `Result: alone`,
    });
  });
});

describe("input", () => {
  test("without a schema the function takes a text", async () => {
    const shout = tool((text) => text.toUpperCase(), { name: "shout" });
    expect(await shout.invoke("hi")).toBe("HI");
    expect(await shout.invoke({ input: "hi" })).toBe("HI");
    expect((await shout.invoke(call("shout", { input: "hi" }))).content).toBe("HI");
    expect((await shout.invoke(call("shout", {}))).content).toBe("");
    await expect(shout.invoke(call("shout", { input: 5 }))).rejects.toThrow("expected string");
    await expect(shout.invoke(call("shout", { text: "hi" }))).rejects.toThrow(`"input"`);
    expect(await shout.toJsonSchema()).toEqual({
      type: "object",
      properties: { input: { type: "string" } },
    });
  });

  test.each([
    ["Zod 4", z.string().min(2)],
    ["Zod 3", z3.string().min(2)],
    ["Valibot", v.pipe(v.string(), v.minLength(2))],
    ["JSON Schema", { type: "string", minLength: 2 }],
  ])("with a schema for a text (%s) it takes a text that fits", async (_, schema) => {
    const shout = tool((text: unknown) => String(text).toUpperCase(), {
      name: "shout",
      schema: schema as z.ZodString,
    });
    expect(await shout.invoke("hi")).toBe("HI");
    expect((await shout.invoke(call("shout", { input: "hi" }))).content).toBe("HI");
    await expect(shout.invoke("x")).rejects.toBeInstanceOf(ToolInputParsingException);
    expect(await shout.toJsonSchema()).toMatchObject({
      type: "object",
      properties: { input: { type: "string", minLength: 2 } },
      required: ["input"],
    });
  });

  test.each(["", null, undefined, {}])(
    "TOO-04: %j as arguments is no arguments, and the tool runs once",
    async (args) => {
      const run = vi.fn<() => string>(() => "ran");
      const ping = tool(run, { name: "ping", schema: z.object({}) });
      expect((await ping.invoke(call("ping", args))).content).toBe("ran");
      expect(run).toHaveBeenCalledTimes(1);
      expect(run).toHaveBeenCalledWith({}, expect.anything());
    },
  );

  test("TOO-05: arguments that are still text are parsed", async () => {
    expect((await add.invoke(call("add", `{}{"a":4}`))).content).toBe("6");
  });

  test("arguments that do not fit are explained", async () => {
    const error: unknown = await add.invoke(call("add", { a: "x" })).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(ToolInputParsingException);
    expect(error).toMatchObject({
      code: "INVALID_TOOL_INPUT",
      name: "ToolInputParsingException",
      message:
        "Received tool input did not match expected schema\n\n" +
        "✖ Invalid input: expected number, received string\n  → at a",
      output: `{"a":"x"}`,
    });
  });

  test("verboseParsingErrors adds the issues as JSON", async () => {
    const verbose = tool(() => 1, { name: "v", schema: numbers, verboseParsingErrors: true });
    await expect(verbose.invoke({} as never)).rejects.toThrow(
      /schema\nDetails: \[\{.*"path":\["a"\]/,
    );
  });

  test("transforms run, and the function gets what the schema gives back", async () => {
    const schema = z.object({ at: z.string().transform((text) => text.length) });
    const seen = tool(({ at }) => at, { name: "seen", schema });
    expect(await seen.invoke({ at: "four" })).toBe(4);
  });

  test("SEC-15: __proto__ never reaches the function", async () => {
    const args: unknown = JSON.parse(
      String.raw`{"\u005f_proto__":{"x":1},"any":{"__proto__":{"x":1},"y":2}}`,
    );
    const schema = z.looseObject({ any: z.any() });
    const keep = tool((given) => given, { name: "keep", schema });
    const given = (await keep.invoke(args as { any: unknown })) as { any: object };
    expect(given).toEqual({ any: { y: 2 } });
    expect(Object.hasOwn(given.any, "__proto__")).toBe(false);
    expect(Object.getPrototypeOf(given.any)).toBe(Object.prototype);
    expect(({} as { x?: number }).x).toBeUndefined();
  });
});

describe("the runtime", () => {
  const spy = tool((_: string, runtime) => runtime, { name: "spy" });

  test("it has what the caller gave, and the call", async () => {
    const seen: ToolRuntime[] = [];
    const look = tool(
      (_: string, runtime) => {
        seen.push(runtime);
      },
      { name: "look" },
    );
    const writer = vi.fn<() => void>();
    const config = {
      signal: new AbortController().signal,
      state: { n: 1 },
      context: { user: "u" },
      store: {},
      writer,
      configurable: { thread_id: "t" },
      metadata: { m: 1 },
      tags: ["a"],
      idempotencyKey: "key",
    };
    const made = call("look", {});
    await look.invoke(made, config);
    expect(seen[0]).toEqual({ ...config, toolCall: made, toolCallId: "call-1" });
    expect(seen[0]!.signal).toBe(config.signal);
  });

  test("without a caller it is complete all the same", async () => {
    const runtime = await spy.invoke("x");
    expect(runtime.signal.aborted).toBe(false);
    expect(runtime).toMatchObject({ configurable: {}, metadata: {}, tags: [] });
    expect(runtime.toolCallId).toBeUndefined();
    expect(runtime.writer("nobody reads")).toBeUndefined();
  });

  test("inside a task its signal is the task's", async () => {
    const { signal } = new AbortController();
    const task = {
      signal,
      wantsMessages: false,
      emitMessage: () => undefined,
      silence: () => {},
      trace: undefined,
      tags: [],
    };
    const runtime = await withinTask(task, () => spy.invoke("x"));
    expect(runtime.signal).toBe(signal);
  });

  test("after an abort nothing begins", async () => {
    const run = vi.fn<() => string>(() => "x");
    const late = tool(run, { name: "late" });
    const reason = new Error("stop");
    await expect(late.invoke("x", { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(run).not.toHaveBeenCalled();
  });
});
