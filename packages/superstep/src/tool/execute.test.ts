import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { brandSymbol } from "../errors/brand.ts";
import { ToolMessage } from "../message/messages.ts";
import type { ToolCall } from "../message/types.ts";
import { ToolInputParsingException } from "./errors.ts";
import { executeToolCall, type ToolCallRequest } from "./execute.ts";
import { checkHandleToolErrors, type HandleToolErrors } from "./handle-errors.ts";
import { isTool, type ToolLike, toTool, toolTable } from "./tool-like.ts";
import { tool } from "./tool.ts";

const weather = tool(({ city }) => `Sun in ${city}`, {
  name: "weather",
  schema: z.object({ city: z.string() }),
});

function failing(thrown: unknown): ToolLike {
  return tool(
    () => {
      throw thrown;
    },
    { name: "fails" },
  );
}

function call(name: string, args: object = {}): ToolCall {
  return { type: "tool_call", id: "c1", name, args: { ...args } };
}

async function run(
  name: string,
  tools: readonly unknown[],
  rest: Partial<ToolCallRequest> & { args?: object } = {},
): Promise<ToolMessage> {
  const { args, ...request } = rest;
  const answer = await executeToolCall({
    call: call(name, args),
    tools: toolTable(tools),
    ...request,
  });
  return answer as ToolMessage;
}

describe("item 64: an unknown tool is answered with the names there are", () => {
  test("the exact text", async () => {
    const other = tool(() => 1, { name: "other" });
    expect(await run("nope", [weather, other], { handleToolErrors: false })).toMatchObject({
      content: "Error: nope is not a valid tool, try one of [weather, other].",
      status: "error",
      tool_call_id: "c1",
      name: "nope",
    });
  });

  test.each(["__proto__", "constructor", "toString"])("%s is no tool either", async (name) => {
    expect((await run(name, [weather])).content).toBe(
      `Error: ${name} is not a valid tool, try one of [weather].`,
    );
  });
});

describe("item 74: what the model is told about errors", () => {
  test("wrong arguments", async () => {
    expect(await run("weather", [weather], { args: { city: 5 } })).toMatchObject({
      content:
        `Error invoking tool 'weather' with kwargs {"city":5} with error:\n ` +
        `Received tool input did not match expected schema\n\n` +
        `✖ Invalid input: expected string, received number\n  → at city\n` +
        ` Please fix the error and try again.`,
      status: "error",
    });
  });

  test("an error of the tool", async () => {
    expect(await run("fails", [failing(new TypeError("x is not a function"))])).toMatchObject({
      content: "Error: TypeError: x is not a function\n Please fix your mistakes.",
      status: "error",
      name: "fails",
    });
  });

  test("TOO-09: an argument error that was wrapped, twice, is told as one", async () => {
    const wrapped: ToolLike = {
      name: "weather",
      schema: {},
      async invoke(input: ToolCall) {
        try {
          return await weather.invoke(input);
        } catch (cause) {
          const inner = new Error("middleware", { cause });
          // oxlint-disable-next-line preserve-caught-error -- it is the cause of the cause
          throw new Error("middleware", { cause: inner });
        }
      },
    };
    expect((await run("weather", [wrapped])).content).toMatch(
      /^Error invoking tool 'weather' with kwargs \{\} with error:\n Received tool input/,
    );
  });

  test("G7: never a stack, not even one that the message quotes", async () => {
    const cause = new Error("inner");
    const { content } = await run("fails", [failing(new Error(`outer: ${cause.stack}`))]);
    expect(content).toBe("Error: Error: outer: Error: inner\n Please fix your mistakes.");
    expect(content).not.toContain(import.meta.dirname);
  });

  test.each([
    [undefined, "undefined"],
    [null, "null"],
    ["text", "text"],
    [{ a: 1 }, `{"a":1}`],
    [0, "0"],
    [{ name: "Odd", message: "no Error" }, "Odd: no Error"],
  ])("TOO-13: %j thrown keeps its reason", async (thrown, text) => {
    expect(await run("fails", [failing(thrown)])).toMatchObject({
      content: `Error: ${text}\n Please fix your mistakes.`,
      status: "error",
    });
  });

  test("a message that answers another call is refused", async () => {
    const wrong = tool(() => new ToolMessage({ content: "x", tool_call_id: "c2" }), {
      name: "wrong",
    });
    expect(await run("wrong", [wrong])).toMatchObject({
      status: "error",
      tool_call_id: "c1",
      content: expect.stringContaining(`answered call "c1" with a message for call "c2"`),
    });
  });
});

describe("item 73: the four forms of handleToolErrors", () => {
  const boom = new RangeError("boom");
  const content = async (handleToolErrors: HandleToolErrors, args?: object): Promise<unknown> => {
    const tools = [failing(boom), weather];
    const name = args ? "weather" : "fails";
    return (await run(name, tools, { handleToolErrors, ...(args && { args }) })).content;
  };
  const told = "Error: RangeError: boom\n Please fix your mistakes.";

  test("true: fed back; item 75: that is the default", async () => {
    expect(await content(true)).toBe(told);
    expect((await run("fails", [failing(boom)])).content).toBe(told);
  });

  test("false: the same error object passes, argument errors too", async () => {
    await expect(content(false)).rejects.toBe(boom);
    await expect(content(false, {})).rejects.toBeInstanceOf(ToolInputParsingException);
  });

  test("a text is what the model is told", async () => {
    expect(await content("Try later.")).toBe("Try later.");
    expect(await content("")).toBe("");
    expect(await content("Wrong.", {})).toBe("Wrong.");
  });

  test("a class, or a list of them: theirs are fed back, others pass", async () => {
    expect(await content(RangeError)).toBe(told);
    expect(await content([TypeError, RangeError])).toBe(told);
    expect(await content(Error)).toBe(told);
    await expect(content(TypeError)).rejects.toBe(boom);
    await expect(content([])).rejects.toBe(boom);
    expect(await content([ToolInputParsingException], {})).toMatch(/^Error invoking tool/);
    await expect(content([RangeError], {})).rejects.toBeInstanceOf(ToolInputParsingException);
  });

  test("a function decides: a text, a message, or undefined to let it pass", async () => {
    const handler = vi.fn<() => Promise<string>>(async () => "sorry");
    expect(await content(handler)).toBe("sorry");
    expect(handler).toHaveBeenCalledWith(boom, call("fails"));
    const message = new ToolMessage({ content: "own", tool_call_id: "c1" });
    expect(await content(() => message)).toBe("own");
    await expect(content(() => undefined)).rejects.toBe(boom);
    await expect(content(() => null as never)).rejects.toMatchObject({
      code: "INVALID_TOOL_OUTPUT",
    });
    const other = new ToolMessage({ content: "own", tool_call_id: "c9" });
    await expect(content(() => other)).rejects.toMatchObject({ code: "INVALID_TOOL_OUTPUT" });
  });

  test.each([5, null, {}, [5], [() => "x"], undefined])("%j is refused", (form) => {
    expect(() => checkHandleToolErrors(form)).toThrow(
      expect.objectContaining({ code: "INVALID_OPTION" }),
    );
  });
});

describe("what is never fed back", () => {
  test("control signals pass, whatever handleToolErrors says", async () => {
    const interrupt = { [brandSymbol("control")]: true };
    for (const handle of [true, "text", Error, () => "told"] as const) {
      await expect(run("fails", [failing(interrupt)], { handleToolErrors: handle })).rejects.toBe(
        interrupt,
      );
    }
  });

  test("an abort passes", async () => {
    const controller = new AbortController();
    const reason = new Error("cancelled");
    const slow = tool(
      (_: string, { signal }) =>
        new Promise<string>((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason as Error));
        }),
      { name: "slow" },
    );
    const running = run("slow", [slow], { config: { signal: controller.signal } });
    controller.abort(reason);
    await expect(running).rejects.toBe(reason);
  });

  test("a tool's own AbortError without an abort of the run is an error like others", async () => {
    expect((await run("fails", [failing(new DOMException("timeout", "AbortError"))])).content).toBe(
      "Error: AbortError: timeout\n Please fix your mistakes.",
    );
  });
});

describe("what can stand where a tool is asked for", () => {
  class ForeignTool {
    readonly name = "foreign";
    readonly description = "From elsewhere";
    readonly schema = z.object({ n: z.number() });
    seen: unknown[] = [];

    async invoke(input: unknown, config: unknown): Promise<unknown> {
      this.seen.push(input, config);
      const { id } = input as ToolCall;
      return { getType: () => "tool", content: "done", tool_call_id: id, name: this.name };
    }
  }

  test("a tool of LangChain's shape runs, and its message becomes ours", async () => {
    const foreign = new ForeignTool();
    const config = { configurable: { user: 1 } };
    const message = await run("foreign", [foreign], { args: { n: 1 }, config });
    expect(message).toBeInstanceOf(ToolMessage);
    expect(message).toMatchObject({ content: "done", tool_call_id: "c1", name: "foreign" });
    expect(foreign.seen).toEqual([call("foreign", { n: 1 }), config]);
  });

  test("what it returns beside messages is wrapped", async () => {
    const raw: ToolLike = { name: "raw", schema: {}, invoke: () => ({ ok: true }) };
    expect(await run("raw", [raw])).toMatchObject({ content: `{"ok":true}`, status: "success" });
  });

  test("a model can bind it", async () => {
    const bound = toTool(new ForeignTool());
    expect(bound).toMatchObject({ name: "foreign", description: "From elsewhere" });
    expect(await bound.toJsonSchema()).toMatchObject({ properties: { n: { type: "number" } } });
  });

  test("the same object is adopted once, and our own tools are taken as they are", () => {
    const foreign = new ForeignTool();
    expect(toTool(foreign)).toBe(toTool(foreign));
    expect(toTool(weather)).toBe(weather);
  });

  test("the guard goes by shape", () => {
    expect(isTool(weather)).toBe(true);
    expect(isTool(new ForeignTool())).toBe(true);
    expect(isTool({ name: "graph", invoke: () => 1 })).toBe(false);
    expect(isTool({ type: "web_search" })).toBe(false);
    expect(isTool(null)).toBe(false);
    expect(isTool(() => 1)).toBe(false);
  });

  test("what is no tool, or has a name that providers refuse, is refused", () => {
    expect(() => toolTable([{ type: "web_search" }])).toThrow(
      expect.objectContaining({ code: "INVALID_TOOL" }),
    );
    expect(() => toolTable([{ name: "a b", schema: {}, invoke: () => 1 }])).toThrow(`"a b"`);
  });

  test("item 63: two tools of one name are refused", () => {
    const second = tool(() => 1, { name: "weather" });
    expect(() => toolTable([weather, second])).toThrow(
      expect.objectContaining({
        code: "DUPLICATE_TOOL",
        message: expect.stringContaining("weather"),
      }),
    );
  });
});

test("a call from JSON without its type is a call", async () => {
  const { type: _, ...bare } = call("weather", { city: "Bonn" });
  const answer = await executeToolCall({ call: bare as ToolCall, tools: toolTable([weather]) });
  expect(answer).toMatchObject({ content: "Sun in Bonn", tool_call_id: "c1" });
});

test("item 71: tools run one call at a time each, without knowing of the others", async () => {
  const order: string[] = [];
  const slow = tool(
    async (text: string) => {
      order.push(`begin ${text}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
      order.push(`end ${text}`);
    },
    { name: "slow" },
  );
  await Promise.all(["a", "b"].map((input) => run("slow", [slow], { args: { input } })));
  expect(order).toEqual(["begin a", "begin b", "end a", "end b"]);
});
