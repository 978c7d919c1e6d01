import { describe } from "../errors/describe.ts";
import { SuperstepError } from "../errors/errors.ts";
import type { BindableTool, ProviderTool } from "../model/types.ts";
import { isTool, type ToolLike } from "../tool/tool-like.ts";
import type { AgentTools } from "./binding.ts";
import { ToolNode } from "./tool-node.ts";

/** The tools of an agent: a list of tools and of the provider's own, or a `ToolNode`. */
export type ToolsInput = readonly (ToolLike | ProviderTool)[] | ToolNode;

export interface ResolvedTools extends AgentTools {
  /** Runs them; `undefined` when there is none to run. */
  readonly node: ToolNode | undefined;
  /** Names of the tools whose result is the answer. */
  readonly direct: ReadonlySet<string>;
}

/** Throws `INVALID_TOOL` for what is neither a tool nor a provider's, `DUPLICATE_TOOL`. */
export function resolveTools(input: ToolsInput = []): ResolvedTools {
  const builtin: ProviderTool[] = [];
  const own: ToolLike[] = [];
  if (!isToolNode(input)) {
    if (!Array.isArray(input)) throw notTools(input);
    for (const tool of input as readonly unknown[]) {
      if (isTool(tool)) own.push(tool);
      else if (typeof tool === "object" && tool !== null) builtin.push(tool as ProviderTool);
      else throw notTools(tool);
    }
  }
  const node = isToolNode(input) ? input : new ToolNode(own);
  const { tools } = node;
  return {
    node: tools.length > 0 ? node : undefined,
    names: tools.map(({ name }) => name),
    builtin,
    all: [...tools, ...builtin] as readonly BindableTool[],
    direct: new Set(tools.filter((tool) => tool.returnDirect).map(({ name }) => name)),
  };
}

function isToolNode(input: ToolsInput): input is ToolNode {
  return "toolsByName" in input;
}

function notTools(value: unknown): SuperstepError {
  return new SuperstepError("INVALID_TOOL", `${describe(value)} is not a tool.`, {
    fix: "Give a list of tools made with tool(fn, { name, description, schema }), or a ToolNode.",
  });
}
