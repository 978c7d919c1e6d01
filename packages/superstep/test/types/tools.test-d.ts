import { describe, expectTypeOf, test } from "vitest";
import { type } from "arktype";
import * as v from "valibot";
import { z } from "zod";
import { z as z3 } from "zod3";
import type { BindableTool } from "../../src/model/types.ts";
import type { ToolMessage } from "../../src/message/messages.ts";
import type { ToolCall } from "../../src/message/types.ts";
import type { ExecutableTool, ToolLike } from "../../src/tool/tool-like.ts";
import type { ToolRuntime } from "../../src/tool/runtime.ts";
import { tool } from "../../src/tool/tool.ts";
import { ToolNode } from "../../src/agent/tool-node.ts";

const call: ToolCall = { type: "tool_call", id: "1", name: "x", args: {} };

describe("a tool's function knows its arguments from the schema", () => {
  test("TYP-02: an enum and two numbers", () => {
    const schema = z.object({
      op: z.enum(["add", "sub", "mul", "div"]),
      a: z.number(),
      b: z.number(),
    });
    const calculator = tool(
      (args) => {
        expectTypeOf(args).toEqualTypeOf<{
          op: "add" | "sub" | "mul" | "div";
          a: number;
          b: number;
        }>();
        return args.a + args.b;
      },
      { name: "calculator", schema },
    );
    expectTypeOf(calculator.invoke({ op: "add", a: 1, b: 2 })).resolves.toEqualTypeOf<number>();
    expectTypeOf(calculator.invoke(call)).resolves.toEqualTypeOf<ToolMessage>();
    // @ts-expect-error -- "pow" is not in the enum
    void calculator.invoke({ op: "pow", a: 1, b: 2 });
  });

  test("what the schema takes and what the function gets may differ", () => {
    const schema = z.object({ n: z.string().transform(Number), d: z.number().default(1) });
    const parse = tool(({ n, d }) => n + d, { name: "parse", schema });
    expectTypeOf(parse.invoke).toBeCallableWith({ n: "1" });
  });

  test("Zod 3, Valibot and ArkType", () => {
    const name = "t";
    tool((args) => expectTypeOf(args).toEqualTypeOf<{ a: string }>(), {
      name,
      schema: z3.object({ a: z3.string() }),
    });
    tool((args) => expectTypeOf(args).toEqualTypeOf<{ a: string }>(), {
      name,
      schema: v.object({ a: v.string() }),
    });
    tool((args) => expectTypeOf(args).toEqualTypeOf<{ a: string }>(), {
      name,
      schema: type({ a: "string" }),
    });
  });

  test("plain JSON Schema: unknown members, or what the function says", () => {
    const schema = { type: "object", properties: { a: { type: "string" } } } as const;
    tool((args) => expectTypeOf(args).toEqualTypeOf<Record<string, unknown>>(), {
      name: "t",
      schema,
    });
    interface Args {
      a: string;
    }
    const said = tool((args: Args) => args.a, { name: "t", schema });
    expectTypeOf(said.invoke({ a: "x" })).resolves.toEqualTypeOf<string>();
  });

  test("no schema: a text", () => {
    const echo = tool(
      async (text) => {
        expectTypeOf(text).toEqualTypeOf<string>();
        return text;
      },
      { name: "t" },
    );
    expectTypeOf(echo.invoke("x")).resolves.toEqualTypeOf<string>();
    expectTypeOf(echo.invoke({ input: "x" })).resolves.toEqualTypeOf<string>();
  });
});

describe("the runtime", () => {
  test("it is there without a word, and takes the types of state and context", () => {
    const schema = z.object({ a: z.string() });
    tool((_args, runtime) => expectTypeOf(runtime).toEqualTypeOf<ToolRuntime>(), {
      name: "t",
      schema,
    });
    tool(
      (_args, runtime: ToolRuntime<{ n: number }, { user: string }>) => {
        expectTypeOf(runtime.state.n).toEqualTypeOf<number>();
        return runtime.context.user;
      },
      { name: "t", schema },
    );
    // @ts-expect-error -- the second argument is a runtime
    tool((_args, runtime: string) => runtime, { name: "t", schema });
  });
});

describe("options", () => {
  test("content and artifact: a pair is asked for, the content comes back", () => {
    const search = tool(() => ["text", { hits: 1 }], {
      name: "t",
      responseFormat: "content_and_artifact",
    });
    expectTypeOf(search.invoke("x")).resolves.toEqualTypeOf<string>();
    const typed = tool(async ({ a }) => [a, 1], {
      name: "t",
      schema: z.object({ a: z.string() }),
      responseFormat: "content_and_artifact",
    });
    expectTypeOf(typed.invoke({ a: "x" })).resolves.toEqualTypeOf<string>();
  });

  test("an unknown option or effect does not compile", () => {
    // @ts-expect-error -- misspelt
    tool(() => 1, { name: "t", shema: {} });
    // @ts-expect-error -- not an effect
    tool(() => 1, { name: "t", effect: "twice" });
  });
});

test("a tool fits where tools are asked for", () => {
  const add = tool(({ a }) => a, { name: "add", schema: z.object({ a: z.number() }) });
  const text = tool(() => 1, { name: "text" });
  expectTypeOf(add).toExtend<ToolLike>();
  expectTypeOf(add).toExtend<BindableTool>();
  expectTypeOf<ExecutableTool>().toExtend<BindableTool>();
  const tools: ToolLike[] = [add, text];
  const node = new ToolNode(tools);
  expectTypeOf(node.tools).toExtend<readonly BindableTool[]>();
  expectTypeOf(node.invoke({ messages: [] })).resolves.toHaveProperty("messages");
});
