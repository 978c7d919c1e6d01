import { describe, listNames } from "../errors/describe.ts";
import { SuperstepError } from "../errors/errors.ts";
import { isControlSignal } from "../errors/brand.ts";
import { coerceMessage } from "../message/coerce.ts";
import type { ToolMessage } from "../message/messages.ts";
import type { InvalidToolCall, ToolCall } from "../message/types.ts";
import { answerInvalidCall, executeToolCall } from "../tool/execute.ts";
import { checkHandleToolErrors, type HandleToolErrors, handlesAll } from "../tool/handle-errors.ts";
import { isToolCall } from "../tool/input.ts";
import { isCommandLike, type ToolOutput } from "../tool/result.ts";
import type { ToolConfig } from "../tool/runtime.ts";
import { type ExecutableTool, type ToolLike, toolTable } from "../tool/tool-like.ts";

/** One call with the state that it was made in: what a `Send` to the tools node carries. */
export interface ToolCallWithContext {
  readonly __type: "tool_call_with_context";
  readonly tool_call: ToolCall;
  readonly state: unknown;
}

/** What a tools node takes. */
export type ToolNodeInput =
  | readonly unknown[]
  | { readonly messages: readonly unknown[] }
  | ToolCallWithContext;

/** Options of a tools node. */
export interface ToolNodeOptions {
  /** Default "tools". */
  readonly name?: string | undefined;
  /** Default true: the model is told of errors. */
  readonly handleToolErrors?: HandleToolErrors | undefined;
  /** Added to the tags that the tools see. */
  readonly tags?: readonly string[] | undefined;
}

/** What a tools node writes to the state. */
export interface ToolNodeUpdate {
  readonly messages: readonly ToolMessage[];
}

const optionNames: ReadonlySet<string> = new Set<keyof ToolNodeOptions>([
  "name",
  "handleToolErrors",
  "tags",
]);

/**
 * A node that runs the tool calls of the last AI message, all at the same time, and gives their
 * results in the order of the calls. A call that has a result already is not run again; a call that
 * cannot be executed is answered with what is wrong with it.
 *
 * It takes a state with `messages` and gives `{ messages }`; it takes a list, of messages or of tool
 * calls, and gives a list; and it takes one call with its state, as a `Send` brings it, and gives
 * `{ messages }`. Commands that tools return stand in a list beside the update.
 *
 * With `handleToolErrors` letting errors pass, the first failure signals the other calls; they are
 * awaited, then the node fails with it.
 */
export class ToolNode {
  readonly name: string;
  readonly tools: readonly ExecutableTool[];
  readonly toolsByName: ReadonlyMap<string, ExecutableTool>;
  readonly handleToolErrors: HandleToolErrors;
  readonly tags: readonly string[];

  /**
   * `new ToolNode([search, add])` or `new ToolNode({ tools: [search, add], ...options })`.
   *
   * Throws `INVALID_TOOL`, `DUPLICATE_TOOL`, `UNKNOWN_OPTION` or `INVALID_OPTION`.
   */
  constructor(
    tools: readonly ToolLike[] | ({ readonly tools: readonly ToolLike[] } & ToolNodeOptions),
    options: ToolNodeOptions = {},
  ) {
    const { tools: list, ...own } = "tools" in tools ? tools : { tools };
    const {
      name = "tools",
      handleToolErrors = true,
      tags = [],
    } = checkOptions({ ...own, ...options });
    checkHandleToolErrors(handleToolErrors);
    this.name = name;
    this.toolsByName = toolTable(list);
    this.tools = Object.freeze([...this.toolsByName.values()]);
    this.handleToolErrors = handleToolErrors;
    this.tags = Object.freeze([...tags]);
    Object.freeze(this);
  }

  /**
   * Runs the calls that are due. `config` goes to the tools; a node's runtime fits.
   *
   * Rejects with `INVALID_INPUT` when the input is of no known form or holds no AI message, and with
   * what a tool threw where it may pass: see `handleToolErrors`, aborts and control signals.
   */
  invoke(input: readonly unknown[], config?: ToolConfig): Promise<readonly ToolOutput[]>;
  /** Where tools return commands it is a list, of the update and the commands. */
  invoke(
    input: { readonly messages: readonly unknown[] } | ToolCallWithContext,
    config?: ToolConfig,
  ): Promise<ToolNodeUpdate>;
  async invoke(input: ToolNodeInput, config: ToolConfig = {}): Promise<unknown> {
    const due = callsOf(input);
    const outputs = await this.#runAll(due.calls, this.#configFor(due.state, config));
    for (const call of due.invalid) outputs.push(answerInvalidCall(call));
    return combine(outputs, Array.isArray(input));
  }

  #configFor(state: unknown, config: ToolConfig): ToolConfig {
    const tags = this.tags.length > 0 ? [...(config.tags ?? []), ...this.tags] : config.tags;
    return { ...config, state, tags };
  }

  async #runAll(calls: readonly ToolCall[], config: ToolConfig): Promise<ToolOutput[]> {
    const { toolsByName: tools, handleToolErrors } = this;
    if (calls.length === 1) {
      return [await executeToolCall({ call: calls[0]!, tools, config, handleToolErrors })];
    }
    // Only where an error may pass can one call concern the others.
    const siblings = handlesAll(handleToolErrors) ? undefined : linkedAbort(config.signal);
    const shared = siblings ? { ...config, signal: siblings.signal } : config;
    let failed = false;
    let failure: unknown;
    const run = async (call: ToolCall): Promise<ToolOutput> => {
      try {
        return await executeToolCall({ call, tools, config: shared, handleToolErrors });
      } catch (error) {
        if (!failed && !isControlSignal(error)) {
          failed = true;
          failure = error;
          siblings?.abort(error);
        }
        throw error;
      }
    };
    const results = await Promise.allSettled(calls.map(run));
    siblings?.unlink();
    if (failed) throw failure;
    return results.map((result) => {
      if (result.status === "rejected") throw result.reason; // a control signal
      return result.value;
    });
  }
}

interface LinkedAbort {
  readonly signal: AbortSignal;
  readonly abort: (reason: unknown) => void;
  readonly unlink: () => void;
}

/** A controller that follows `parent` until it is unlinked; `AbortSignal.any` would never let go. */
function linkedAbort(parent: AbortSignal | undefined): LinkedAbort {
  const controller = new AbortController();
  const follow = (): void => controller.abort(parent?.reason);
  if (parent?.aborted) follow();
  parent?.addEventListener("abort", follow);
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    unlink: () => parent?.removeEventListener("abort", follow),
  };
}

interface DueCalls {
  readonly calls: readonly ToolCall[];
  readonly invalid: readonly InvalidToolCall[];
  readonly state: unknown;
}

function callsOf(input: ToolNodeInput): DueCalls {
  if (isCallWithContext(input)) {
    return { calls: [input.tool_call], invalid: [], state: input.state };
  }
  if (Array.isArray(input)) {
    if (input.length > 0 && input.every(isToolCall)) {
      return { calls: input, invalid: [], state: input };
    }
    return pendingCalls(input, input);
  }
  const messages: unknown = (input as { readonly messages?: unknown } | undefined)?.messages;
  if (!Array.isArray(messages)) {
    throw new SuperstepError(
      "INVALID_INPUT",
      "ToolNode only accepts BaseMessage[] or { messages: BaseMessage[] } as input.",
      { fix: `Give it messages; it was given ${describe(input)}.` },
    );
  }
  return pendingCalls(messages, input);
}

/** The calls of the last AI message that no later message answers. */
function pendingCalls(messages: readonly unknown[], state: unknown): DueCalls {
  const answered = new Set<string>();
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = coerceMessage(messages[index]);
    if (message.type === "tool") answered.add(message.tool_call_id);
    if (message.type !== "ai") continue;
    return {
      calls: message.tool_calls.filter(({ id }) => !answered.has(id)),
      invalid: message.invalid_tool_calls.filter(({ id = "" }) => !answered.has(id)),
      state,
    };
  }
  throw new SuperstepError("INVALID_INPUT", "ToolNode only accepts AIMessages as input.", {
    fix: `Let an AI message come before it; there is none among ${messages.length} messages.`,
  });
}

function isCallWithContext(input: unknown): input is ToolCallWithContext {
  const { __type } = (input ?? {}) as Partial<ToolCallWithContext>;
  return __type === "tool_call_with_context";
}

function combine(outputs: readonly ToolOutput[], asList: boolean): unknown {
  if (asList) return outputs;
  const messages = outputs.filter((output) => !isCommandLike(output)) as readonly ToolMessage[];
  if (messages.length === outputs.length) return { messages };
  const commands = outputs.filter(isCommandLike);
  return messages.length === 0 ? commands : [{ messages }, ...commands];
}

function checkOptions(options: ToolNodeOptions): ToolNodeOptions {
  for (const name of Object.keys(options)) {
    if (optionNames.has(name)) continue;
    throw new SuperstepError("UNKNOWN_OPTION", `ToolNode has no option ${JSON.stringify(name)}.`, {
      fix: `Use ${listNames(optionNames)}.`,
    });
  }
  return options;
}
