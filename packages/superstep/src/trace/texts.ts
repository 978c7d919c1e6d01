import type { RunEvent, TaskEvent, TracedCall } from "../stream/trace-event.ts";

/** An event of a type; of a gate, by the gate. */
export type Told<Type extends (TaskEvent | RunEvent)["type"]> = Extract<
  TaskEvent | RunEvent,
  { readonly type: Type }
>;
export type Gate<Name extends Told<"gate">["gate"]> = Extract<
  Told<"gate">,
  { readonly gate: Name }
>;

/** What the trace says, in one language. Each text is one line, or a list of lines. */
export interface TraceTexts {
  // How the graph was built.
  readonly addedNode: (node: string) => string;
  readonly entry: (node: string) => string;
  readonly loopEntry: (node: string) => string;
  readonly loopExit: (node: string) => string;
  readonly exit: (node: string) => string;
  readonly edge: (source: string, target: string) => string;
  readonly conditionalEdge: (source: string, targets: readonly string[]) => string;
  readonly compiled: () => string;

  // Titles.
  /** The n-th call of the model; without a number, one of a run whose beginning was not told. */
  readonly callTitle: (n: number | undefined) => string;
  readonly decisionTitle: () => string;
  readonly toolsTitle: () => string;
  readonly endTitle: () => string;
  readonly stepTitle: (step: number, nodes: readonly string[]) => string;

  // The call of the model.
  readonly inputGate: (gate: Gate<"input">) => string;
  readonly historyGate: (gate: Gate<"history">) => string;
  readonly modelGate: (gate: Gate<"model">) => string;
  readonly nameGate: (gate: Gate<"name">) => string;
  readonly stepsGate: (gate: Gate<"steps">) => string;
  readonly repaired: (gate: Gate<"history">) => string;
  readonly landed: (gate: Gate<"steps">) => string;
  readonly request: (request: Told<"model_request">) => string;
  readonly output: (output: Told<"model_output">) => string;
  readonly modelTime: (milliseconds: number) => string;

  // Decisions and tools.
  readonly decision: (decision: Told<"decision">) => readonly string[];
  readonly toolStart: (call: TracedCall) => string;
  readonly toolError: (tool: string, text: string | undefined) => string;
  readonly toolTime: (tool: string, milliseconds: number) => string;

  // Nodes and the run.
  /** What a node that called a model wrote, by the keys. */
  readonly modelUpdate: (node: string, keys: readonly string[]) => string;
  readonly update: (node: string, keys: readonly string[]) => string;
  /** What a node that ran tools wrote. */
  readonly result: (node: string, update: unknown) => string;
  readonly route: (router: string, targets: readonly string[]) => string;
  readonly taskError: (node: string, error: string) => string;
  readonly started: (runId: string | undefined, threadId: string | undefined) => string;
  readonly resumed: () => string;
  readonly step: (step: number, nodes: readonly string[]) => string;
  readonly endWithoutCalls: () => string;
  readonly endWithTools: () => string;
  readonly ended: (steps: number) => string;
  readonly failed: (error: string) => string;
  readonly cancelled: (reason: string) => string;
  readonly fix: (fix: string) => string;
}
