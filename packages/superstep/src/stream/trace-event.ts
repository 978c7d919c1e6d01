/** One decision in the building of an agent's graph. */
export type BuildStep =
  | { readonly type: "node"; readonly node: string }
  /** Where the run begins, where each round begins and ends, and where the run ends. */
  | { readonly type: "entry" | "loopEntry" | "loopExit" | "exit"; readonly node: string }
  | { readonly type: "edge"; readonly source: string; readonly target: string }
  | {
      readonly type: "conditionalEdge";
      readonly source: string;
      readonly targets: readonly string[];
    }
  | { readonly type: "compile" };

/** A call of a tool, as the trace shows it. */
export interface TracedCall {
  readonly id: string;
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** What happens inside a task. `emit`ted by models, agents and tools through the task's context. */
export type TaskEvent =
  // The five gates of the model call, in their order.
  | {
      readonly type: "gate";
      readonly gate: "input";
      /** Which key the messages came from. */
      readonly source: "messages" | "llmInputMessages";
      readonly messages: number;
    }
  | {
      readonly type: "gate";
      readonly gate: "history";
      readonly rule: "refuse" | "repair";
      /** How many messages the repair added or removed. */
      readonly repaired: number;
    }
  | { readonly type: "gate"; readonly gate: "model"; readonly model: string }
  | { readonly type: "gate"; readonly gate: "name"; readonly name: string | undefined }
  | {
      readonly type: "gate";
      readonly gate: "steps";
      readonly remainingSteps: number;
      /** How many steps the answer needs; 0 for a final one. */
      readonly needed: number;
      /** Whether the answer was replaced by the sentence that the steps have run out. */
      readonly landed: boolean;
    }
  | {
      readonly type: "model_request";
      /** How many messages are sent, the system message included. */
      readonly messages: number;
      /** Their types, in order; of a long list those at both ends, with "..." between. */
      readonly types: readonly string[];
      /** The tools bound, the provider's own too, by name or else by type. */
      readonly tools: readonly string[];
      /** "auto" when none was set. */
      readonly toolChoice: string;
    }
  | {
      readonly type: "model_output";
      /** Characters of the text (code points). */
      readonly textLength: number;
      readonly toolCalls: number;
      /** Calls that cannot be executed. */
      readonly invalidToolCalls: number;
      /** Milliseconds from the request. */
      readonly duration: number;
    }
  | {
      readonly type: "decision";
      /** The name of the routing function. */
      readonly router: string;
      /** Tool calls of the last AI message, how many of them have a result, and the difference. */
      readonly toolCalls: number;
      readonly toolMessages: number;
      readonly pending: number;
      /** The node that the calls are sent to, or where the run goes without any. */
      readonly target: string;
    }
  | { readonly type: "tool_start"; readonly call: TracedCall }
  | {
      /** Without a start when the model's call could not be executed. */
      readonly type: "tool_end";
      readonly call: TracedCall;
      readonly status: "success" | "error";
      /** Milliseconds. */
      readonly duration: number;
      /** The message that answers the call, the command that the tool returned, or what it threw. */
      readonly result: unknown;
    };

/** What the engine tells of a run. */
export type RunEvent =
  | { readonly type: "build"; readonly build: BuildStep }
  | {
      readonly type: "run_start";
      readonly runId: string | undefined;
      readonly threadId: string | undefined;
      /** Whether it goes on where an earlier run, or this one before a crash, had ended. */
      readonly resumed: boolean;
    }
  | { readonly type: "step"; readonly nodes: readonly string[] }
  /** A task's result is there: what it wrote, before its conditional edges are asked. */
  | {
      readonly type: "update";
      readonly keys: readonly string[];
      readonly update: unknown;
    }
  /** A conditional edge was asked, or a `Command` named its targets. */
  | { readonly type: "route"; readonly router: string; readonly targets: readonly string[] }
  | { readonly type: "task_error"; readonly error: unknown }
  | {
      readonly type: "run_end";
      readonly status: "done" | "failed" | "cancelled";
      readonly error?: unknown;
    };

/** One event of a run, with where it came from. */
export type TraceEvent = (TaskEvent | RunEvent) & {
  /** Milliseconds since 1970. */
  readonly time: number;
  /** The superstep; 0 is the hidden one that takes the input. */
  readonly step: number;
  /** The node whose task it came from; `undefined` for the run's own. */
  readonly node: string | undefined;
};

/** Takes the events of a run, one after the other, while it goes on. Must not throw. */
export type TraceSubscriber = (event: TraceEvent) => void;
