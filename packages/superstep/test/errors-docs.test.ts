import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  Annotation,
  Command,
  END,
  type ErrorCode,
  Send,
  START,
  StateGraph,
  SuperstepError,
} from "superstep";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { errorCodes } from "../src/errors/codes.ts";
import { agentPrograms } from "./error-programs.ts";
import { saverPrograms } from "./saver-error-programs.ts";

const page = readFileSync(join(import.meta.dirname, "../../../docs/errors.md"), "utf8");
const sections = page
  .split(/^## /m)
  .slice(1)
  .map((section) => {
    const [title = ""] = section.split("\n");
    const fences = section.matchAll(/^```text\n([^]*?)^```/gm);
    const messages = Array.from(fences, ([, body = ""]) => body.trimEnd()).join("\n");
    return { title, messages };
  });

const State = Annotation.Root({
  total: Annotation<number>(),
  list: Annotation<string[]>({ reducer: (all, more) => [...all, ...more], default: () => [] }),
});
type Node = (state: never) => unknown;

/** A builder without types, as a program in JavaScript sees it. */
const build = (): Untyped => new StateGraph(State);
interface Untyped {
  addNode(name: unknown, run?: unknown, options?: unknown): Untyped;
  addEdge(source: unknown, target: unknown): Untyped;
  addConditionalEdges(source: unknown, path: unknown, pathMap?: unknown): Untyped;
  compile(options?: unknown): {
    invoke(input: unknown, options?: unknown): Promise<unknown>;
    stream(input: unknown, options?: unknown): AsyncIterator<unknown>;
  };
}
const one = (run: Node, options?: object): ReturnType<Untyped["compile"]> =>
  build().addNode("work", run, options).addEdge(START, "work").compile();
const both = (first: Node, second: Node): ReturnType<Untyped["compile"]> =>
  build()
    .addNode("first", first)
    .addNode("second", second)
    .addEdge(START, "first")
    .addEdge(START, "second")
    .compile();
const nothing = (): void => {};
const failLater = async (reason: string): Promise<never> => {
  await Promise.resolve();
  throw new Error(reason);
};
const routed = (path: () => unknown, pathMap?: unknown): Promise<unknown> =>
  build()
    .addNode("work", nothing)
    .addEdge(START, "work")
    .addConditionalEdges("work", path, pathMap)
    .compile()
    .invoke({});

async function thrownBy(program: () => unknown): Promise<unknown> {
  try {
    await program();
  } catch (error) {
    return error;
  }
  return undefined;
}

/**
 * For each code, programs that run into it: one for each message that its section shows, in order.
 * Those for messages, models, tools and agents follow in `error-programs.ts`.
 */
const programs: Readonly<Partial<Record<ErrorCode, readonly (() => unknown)[]>>> = {
  AGGREGATE_TASK_FAILURE: [
    () =>
      both(
        () => failLater("too long"),
        () => failLater("too short"),
      ).invoke({}),
  ],
  DUPLICATE_NODE: [() => build().addNode("work", nothing).addNode("work", nothing)],
  EMPTY_INPUT: [
    () => one(nothing).invoke(null),
    () => one(nothing).invoke(new Command({ resume: "yes" })),
  ],
  GRAPH_RECURSION_LIMIT: [
    () =>
      build()
        .addNode("work", nothing)
        .addEdge(START, "work")
        .addEdge("work", "work")
        .compile()
        .invoke({}, { recursionLimit: 3 }),
  ],
  INVALID_CONCURRENT_GRAPH_UPDATE: [
    () =>
      both(
        () => ({ total: 1 }),
        () => ({ total: 2 }),
      ).invoke({}),
  ],
  INVALID_EDGE: [
    () => build().addEdge(END, "work"),
    () => build().addEdge("work", START),
    () => build().addEdge(undefined, "work"),
    () => build().addEdge([], "work"),
    () => build().addEdge(["work", "check"], END),
    () => build().addConditionalEdges("work", "check"),
    () => build().addConditionalEdges("work", () => END, "check"),
    () => build().addConditionalEdges("work", () => END, {}),
    () => build().addConditionalEdges("work", () => END, [START]),
  ],
  INVALID_GRAPH_NODE_RETURN_VALUE: [
    () => one(() => "done").invoke({}),
    () => one(() => [new Send("work", 1)]).invoke({}),
    () => one(() => new Command({ update: 5 as never })).invoke({}),
  ],
  INVALID_INPUT: [() => one(nothing).invoke("hello")],
  INVALID_NODE: [
    () => build().addNode("work", "a function"),
    () => build().addNode("work", nothing, { ends: "check" }),
  ],
  INVALID_NODE_NAME: [
    () => build().addNode("", nothing),
    () => build().addNode(START, nothing),
    () => build().addNode("team:work", nothing),
  ],
  INVALID_OPTION: [
    () => one(nothing).invoke({}, { recursionLimit: 0 }),
    () => one(nothing).invoke({}, { drainMs: -1 }),
    () => one(nothing).invoke({}, { signal: "stop" }),
    () => one(nothing).invoke({}, { tags: "nightly" }),
    () => one(nothing, [END]),
  ],
  INVALID_STATE: [
    () => new StateGraph({ total: 0 } as never),
    () => Annotation.Root({ total: Number as never }),
    () => Annotation.Root({ ["__proto__"]: Annotation<number>() }),
    // oxlint-disable-next-line unicorn/no-thenable -- the mistake that it is about
    () => Annotation.Root({ then: Annotation<number>() }),
    () => Annotation({ default: 0 as never }),
  ],
  MISSING_ENTRY_POINT: [() => build().addNode("work", nothing).compile()],
  ROUTE_OUT_OF_RANGE: [
    () => routed(() => "chekc"),
    () => routed(() => "no", { yes: END }),
    () => one(() => new Command({ goto: "work" }), { ends: [END] }).invoke({}),
  ],
  RUN_CANCELLED: [
    () => one(nothing).invoke({}, { signal: AbortSignal.abort("the user closed the tab") }),
  ],
  STATE_KEY_CONFLICT: [() => build().addNode("total", nothing)],
  UNKNOWN_NODE: [
    () => build().addNode("work", nothing).addEdge(START, "wrok").compile(),
    () => one(() => new Command({ goto: "chekc" })).invoke({}),
    () => one(nothing).invoke(new Command({ goto: "chekc" })),
  ],
  UNKNOWN_OPTION: [
    () => one(nothing).invoke({}, { recursionlimit: 50 }),
    () => build().addNode("work", nothing, { retries: 3 }),
    () => build().addNode("work", nothing).addEdge(START, "work").compile({ title: "Work" }),
    () => new Command({ graph: "__parent__" } as never),
    () => new StateGraph(State, { context: State } as never),
  ],
  UNKNOWN_STATE_KEY: [
    () => one(() => ({ totl: 1 })).invoke({}),
    () => one(nothing).invoke({ totl: 1 }),
  ],
  UNKNOWN_STREAM_MODE: [() => one(nothing).stream({}, { streamMode: "value" }).next()],
  UNREACHABLE_NODE: [
    () =>
      build().addNode("work", nothing).addNode("check", nothing).addEdge(START, "work").compile(),
  ],
};

describe("docs/errors.md", () => {
  it("has one section for each code, in order, and no other", () => {
    expect(sections.map(({ title }) => title)).toEqual(errorCodes);
  });
});

describe.each(errorCodes)("%s", (code) => {
  beforeEach(() => {
    for (const name of ["SUPERSTEP_MODEL", "OPENAI_BASE_URL"]) vi.stubEnv(name, "");
    return () => vi.unstubAllEnvs();
  });

  it("is thrown, with the messages that its section shows", async () => {
    const messages: string[] = [];
    for (const program of [programs, agentPrograms, saverPrograms].flatMap(
      (each) => each[code] ?? [],
    )) {
      const error = await thrownBy(program);
      expect(error).toBeInstanceOf(SuperstepError);
      const { message, ...rest } = error as SuperstepError;
      expect(rest).toMatchObject({ code, docs: `docs/errors.md#${code.toLowerCase()}` });
      messages.push(message);
    }
    expect(messages).not.toEqual([]);
    expect(sections.find(({ title }) => title === code)?.messages).toBe(messages.join("\n"));
  });
});
