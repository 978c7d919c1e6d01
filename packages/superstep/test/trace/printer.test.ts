import fc from "fast-check";
import {
  MemorySaver,
  storedTrace,
  type TraceEvent,
  tracePrinter,
  type TracePrinterOptions,
} from "superstep";
import { describe, expect, test, vi } from "vitest";
import { expectRefusal, thrownBy } from "../scenarios/world.ts";
import { linesOf, mailAssistant, question } from "./world.ts";

/** An event as the engine would stamp it. */
function event(fields: object, node?: string): TraceEvent {
  return { time: 0, step: 1, node, ...fields } as TraceEvent;
}

function print(events: readonly TraceEvent[], options: TracePrinterOptions = {}): string[] {
  const lines: string[] = [];
  const printer = tracePrinter({ ...options, write: (line) => void lines.push(line) });
  for (const each of events) printer(each);
  return lines;
}

const start = event({ type: "run_start", runId: "r1", threadId: "t1", resumed: false });
const done = event({ type: "run_end", status: "done" });
const request = event(
  { type: "model_request", messages: 1, types: ["human"], tools: [], toolChoice: "auto" },
  "model",
);
const call = { id: "c1", name: "find", args: {} };

function result(content: unknown): TraceEvent[] {
  return [
    event({ type: "tool_start", call }, "tools"),
    event({ type: "update", keys: ["messages"], update: content }, "tools"),
  ];
}

describe("values in Chinese are printed as Python prints them", () => {
  const shown = (value: unknown): string => {
    const line = print(result(value), { lang: "zh" }).at(-1)!;
    return line.slice("{'tools': ".length, -1);
  };
  test.each<[unknown, string]>([
    ["plain", "'plain'"],
    ["it's", `"it's"`],
    [`it's "so"`, `'it\\'s "so"'`],
    ["back\\slash", "'back\\\\slash'"],
    ["a\nb\tc\r", "'a\\nb\\tc\\r'"],
    ["\u0000\u001b\u007f\u0085\u00a0", "'\\x00\\x1b\\x7f\\x85\\xa0'"],
    ["\u2028\u202e\u3000", "'\\u2028\\u202e\\u3000'"],
    ["\ud800", "'\\ud800'"],
    ["\u{e0001}", "'\\U000e0001'"],
    ["张三 👋", "'张三 👋'"],
    ["", "''"],
    [null, "None"],
    [true, "True"],
    [false, "False"],
    [0, "0"],
    [-0, "-0.0"],
    [1.5, "1.5"],
    [1e-7, "1e-07"],
    [0.00001, "1e-05"],
    [0.0001, "0.0001"],
    [1e21, "1e+21"],
    [Number.NaN, "nan"],
    [Number.NEGATIVE_INFINITY, "-inf"],
    [10n ** 20n, "100000000000000000000"],
    [[], "[]"],
    [{}, "{}"],
    [[1, [undefined]], "[1, [None]]"],
    [{ "a b": { c: [] }, 1: "x" }, "{'1': 'x', 'a b': {'c': []}}"],
    [new Map([[1, "x"]]), "{1: 'x'}"],
    [new Set(), "set()"],
    [new Set(["x"]), "{'x'}"],
    [new Date(0), "'1970-01-01T00:00:00.000Z'"],
    [new Uint8Array(3), "<Uint8Array of 3 bytes>"],
    [Symbol("s"), "<Symbol(s)>"],
    [new RangeError("no"), "RangeError('no')"],
    [{ type: "human", content: "hi", id: "h" }, "HumanMessage(content='hi', id='h')"],
    [{ type: "remove", content: "", id: "h" }, "RemoveMessage(id='h')"],
    [
      { type: "ai", content: "", tool_calls: [{ name: "f", args: { n: 1 }, id: "c" }] },
      "AIMessage(content='', tool_calls=[{'name': 'f', 'args': {'n': 1}, 'id': 'c'}])",
    ],
    [
      { type: "tool", content: "no", tool_call_id: "c", status: "error" },
      "ToolMessage(content='no', tool_call_id='c', status='error')",
    ],
  ])("%o is %s", (value, expected) => {
    expect(shown(value)).toBe(expected);
  });

  test("values that hold themselves, go deep or refuse to be read", () => {
    const loop: unknown[] = [];
    loop.push(loop, { loop });
    expect(shown(loop)).toBe("[[...], {'loop': [...]}]");
    let deep: unknown = 1;
    for (let i = 0; i < 10_000; i++) deep = [deep];
    expect(shown(deep)).toContain("[...]");
    const hostile = Object.defineProperty({}, "x", {
      enumerable: true,
      get: () => {
        throw new Error("no");
      },
    });
    expect(shown([hostile])).toBe("[<unreadable>]");
    expect(print(result({ hostile })).at(-1)).toContain("tools returned update: an object");
    expect(print(result({ n: 1n })).at(-1)).toBe('tools returned update: {"n":"1"}');
  });

  test("arguments whose names are no identifiers stand in a dict", () => {
    const args = { "a-b": 1, 名: 2 };
    const lines = print([event({ type: "tool_start", call: { ...call, args } })], { lang: "zh" });
    expect(lines).toEqual(["🛠️ 工具执行: find(**{'a-b': 1, '名': 2})"]);
    const own = print([event({ type: "tool_start", call: { ...call, args: { 名: 2 } } })], {
      lang: "zh",
    });
    expect(own).toEqual(["🛠️ 工具执行: find(名=2)"]);
  });
});

describe("the title of a model call has its number", () => {
  const lines = (lang: "en" | "zh"): string[] =>
    print([start, ...Array.from({ length: 10_030 }, () => request)], { lang }).filter((line) =>
      line.startsWith("──"),
    );
  test("in English", () => {
    const titles = lines("en");
    expect(titles[0]).toBe("── phase 1: first model call");
    const ordinal = (n: number): string =>
      titles[n - 1]!.slice("── phase 4: ".length).split(" ")[0]!;
    expect([2, 3, 10, 11, 12, 13, 20, 21, 22, 23, 101, 111, 112].map(ordinal)).toEqual(
      "second third tenth 11th 12th 13th 20th 21st 22nd 23rd 101st 111th 112th".split(" "),
    );
  });
  test("in Chinese", () => {
    const titles = lines("zh");
    expect(titles[0]).toBe("── 第一阶段：初始模型调用");
    const numeral = (n: number): string => titles[n - 1]!.replace(/.*第(.*)次.*/, "$1");
    expect(numeral(2)).toBe("二");
    expect([10, 11, 20, 21, 100, 105, 110, 119].map(numeral)).toEqual(
      "十 十一 二十 二十一 一百 一百零五 一百一十 一百一十九".split(" "),
    );
    expect([1000, 1001, 1010, 1100, 10_000, 10_020].map(numeral)).toEqual(
      "一千 一千零一 一千零一十 一千一百 一万 一万零二十".split(" "),
    );
  });
});

describe("what a printer follows", () => {
  test("a run that is resumed does not say which call of the model it is", () => {
    const resumed = event({ type: "run_start", threadId: "t1", resumed: true });
    expect(print([resumed, request])).toEqual([
      "the run is resumed where it had stopped",
      "── phase 4: next model call",
      "model request: 1 message (human), no tools",
    ]);
    expect(print([resumed, request], { lang: "zh" })).toEqual([
      "⏯️ 从上次停下的地方继续运行",
      "── 第四阶段：再次模型调用",
      "📥 模型请求: 消息 1 条 (human)，无工具",
    ]);
  });

  test("a second run begins anew, with its build steps or without", () => {
    const entry = event({ type: "build", build: { type: "entry", node: "model" } });
    const run = [entry, start, request, done];
    const once = print(run);
    expect(print([...run, ...run])).toEqual([...once, ...once]);
    const bare = print([start, request, done]);
    expect(print([...run, start, request, done])).toEqual([...once, ...bare]);
  });

  test("item 89: a second decision that wants tools is the second phase again", () => {
    const decide = (pending: number): TraceEvent =>
      event(
        {
          type: "decision",
          router: "model_to_tools",
          toolCalls: pending,
          toolMessages: 0,
          pending,
          target: pending > 0 ? "tools" : "__end__",
        },
        "model",
      );
    const round = [request, decide(1), event({ type: "tool_start", call }, "tools")];
    const titles = print([start, ...round, ...round, request, decide(0), done]).filter((line) =>
      line.startsWith("──"),
    );
    expect(titles.map((title) => title.slice(3, 10))).toEqual(
      [1, 2, 3, 4, 2, 3, 4, 5].map((phase) => `phase ${phase}`),
    );
  });

  test("items 46 and 50: calls that are answered already do not lead to the tools", () => {
    const decision = (target: string): TraceEvent =>
      event(
        { type: "decision", router: "r", toolCalls: 2, toolMessages: 2, pending: 0, target },
        "agent",
      );
    expect(print([decision("__end__")], { lang: "zh" })).toEqual([
      "── 第五阶段：流程结束",
      "🧭 进入条件边决策函数r",
      "📨 最后AI消息的工具调用数: 2",
      "🔧 已处理的工具消息数: 2",
      "⏳ 待处理工具调用数: 0",
      "🔚 无待处理工具调用，流程结束，目标: __end__",
    ]);
    expect(print([decision("agent")]).slice(-2)).toEqual([
      "all tool calls are answered",
      "decision: back to agent",
    ]);
  });

  test("the route that a decision has told of is not printed again, another one is", () => {
    const route = event({ type: "route", router: "r", targets: ["x"] }, "a");
    const decision = event(
      {
        type: "decision",
        router: "r",
        toolCalls: 0,
        toolMessages: 0,
        pending: 0,
        target: "__end__",
      },
      "a",
    );
    const lines = print([decision, route, route]);
    expect(lines.filter((line) => line.includes("->"))).toHaveLength(1);
  });

  test("a stored run of which only the keys are known", () => {
    const unknown = event({ type: "update", keys: ["messages"], update: undefined }, "tools");
    const failed = event({ type: "tool_end", call, status: "error", duration: 1 }, "tools");
    expect(print([failed, unknown])).toEqual([
      "tool find failed",
      "tools returned update: [messages]",
    ]);
  });

  test("a stored run prints the lines of the run itself", async () => {
    const saver = new MemorySaver();
    for (const lang of ["en", "zh"] as const) {
      const configurable = { thread_id: lang };
      const lines = await linesOf(
        (trace) =>
          mailAssistant().invoke(
            { messages: question },
            { trace, checkpointer: saver, configurable },
          ),
        { lang },
      );
      expect(print(await storedTrace(saver, lang), { lang })).toEqual(lines);
    }
  });
});

describe("a line", () => {
  test("has no line break and no control character, whatever a model has said", () => {
    const name = "rm\u001b[2J\r\n-rf\u202e\u009b";
    const error = Object.assign(new Error("a\n\n  b\u0007"), { fix: "c\u2029d" });
    const lines = print([
      event({ type: "tool_start", call: { ...call, name } }),
      event({ type: "run_end", status: "failed", error }),
    ]);
    expect(lines).toEqual([
      "tool execution: rm\\u001b[2J -rf\\u202e\\u009b({})",
      "run failed: Error: a b\\u0007",
      "fix: c d",
    ]);
  });

  test("is cut when it is very long", () => {
    const text = "👋".repeat(100_000);
    for (const lang of ["en", "zh"] as const) {
      const line = print(result({ text }), { lang }).at(-1)!;
      expect(line.length).toBeLessThan(10_010);
      expect(line.endsWith("...")).toBe(true);
      expect(line.isWellFormed()).toBe(true);
    }
  });

  test("goes to the console by default", () => {
    const log = vi.spyOn(console, "log").mockImplementation(() => {});
    tracePrinter()(event({ type: "task_error", error: 0 }, "a"));
    expect(log.mock.calls).toEqual([["node a failed: 0"]]);
    log.mockRestore();
  });
});

describe("a printer never disturbs the run", () => {
  test("that its write throws is told once, as a warning, and the run goes on", async () => {
    const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    const trace = tracePrinter({
      write: () => {
        throw new Error("the pipe is closed");
      },
    });
    const { messages } = await mailAssistant().invoke({ messages: question }, { trace });
    expect(messages).toHaveLength(4);
    expect(warn).toHaveBeenCalledExactlyOnceWith(
      expect.stringContaining("the pipe is closed"),
      "SuperstepWarning",
    );
    warn.mockRestore();
  });

  test("events of any kind, whole or in pieces, do not make it throw", () => {
    const types = ["build", "gate", "decision", "tool_start", "tool_end", "update", "route", "x"];
    const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    fc.assert(
      fc.property(
        fc.array(
          fc.record(
            {
              type: fc.constantFrom(...types, "step", "run_start", "run_end", "model_request"),
              gate: fc.constantFrom("input", "steps", "other"),
              node: fc.string(),
              call: fc.anything(),
              update: fc.anything(),
              result: fc.anything(),
              error: fc.anything(),
              targets: fc.array(fc.string()),
            },
            { requiredKeys: ["type"] },
          ),
        ),
        fc.constantFrom("en" as const, "zh" as const),
        (events, lang) => {
          for (const line of print(events as never, { lang, verbose: true })) {
            expect(line).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
          }
        },
      ),
    );
    warn.mockRestore();
  });

  test("its options are checked", () => {
    expectRefusal(
      thrownBy(() => tracePrinter({ lang: "de" } as never)),
      { code: "INVALID_OPTION", message: ["lang", '"de"'], fix: ['"en" or "zh"'] },
    );
    expectRefusal(
      thrownBy(() => tracePrinter({ verbose: 1 } as never)),
      { code: "INVALID_OPTION", message: ["verbose", "1"] },
    );
    expectRefusal(
      thrownBy(() => tracePrinter({ write: "x" } as never)),
      { code: "INVALID_OPTION", message: ["write"] },
    );
    expectRefusal(
      thrownBy(() => tracePrinter({ language: "zh" } as never)),
      { code: "UNKNOWN_OPTION", message: ["language"], fix: ["lang", "verbose", "write"] },
    );
  });
});
