import { describe } from "../errors/describe.ts";
import { SuperstepError } from "../errors/errors.ts";
import { toPrompt } from "./ai-sdk-prompt.ts";
import type { AiSdkRequest, AiSdkTool } from "./ai-sdk-shapes.ts";
import type { Target } from "./family.ts";
import type { ModelRequest } from "./port.ts";
import { nameOfTool, resolveToolChoice } from "./tools.ts";
import type { ModelSettings, ProviderTool, ToolDefinition } from "./types.ts";

type Fields = Readonly<Record<string, unknown>>;

// Our name of a setting and AI SDK's.
const settingNames: readonly (readonly [keyof ModelSettings, string])[] = [
  ["temperature", "temperature"],
  ["maxTokens", "maxOutputTokens"],
  ["topP", "topP"],
  ["topK", "topK"],
  ["presencePenalty", "presencePenalty"],
  ["frequencyPenalty", "frequencyPenalty"],
  ["stop", "stopSequences"],
  ["seed", "seed"],
  ["headers", "headers"],
];

/** A request in AI SDK's form. A setting that nobody set has no key in it. */
export function toAiSdkRequest(request: ModelRequest, to: Target): AiSdkRequest {
  const { settings, tools, signal } = request;
  const options: Record<string, unknown> = {
    prompt: toPrompt(request.messages, to),
    abortSignal: signal,
  };
  for (const [ours, theirs] of settingNames) {
    if (settings[ours] !== undefined) options[theirs] = settings[ours];
  }
  if (tools) options["tools"] = tools.map((tool) => convertTool(tool, to));
  const toolChoice = resolveToolChoice(settings.tool_choice, tools);
  if (toolChoice) options["toolChoice"] = toolChoice;
  if (settings.responseFormat) options["responseFormat"] = responseFormat(settings.responseFormat);
  const providerOptions = withParallelFlag(settings, to, tools !== undefined);
  if (providerOptions) options["providerOptions"] = providerOptions;
  return options as unknown as AiSdkRequest;
}

function responseFormat({ name, schema }: NonNullable<ModelSettings["responseFormat"]>): Fields {
  return name === undefined ? { type: "json", schema } : { type: "json", schema, name };
}

const noArguments = { type: "object", properties: {}, additionalProperties: false };

function convertTool(tool: ToolDefinition | ProviderTool, to: Target): AiSdkTool {
  if (tool.type !== "function") return providerTool(tool as ProviderTool, to);
  const { name, description, parameters, strict } = (tool as ToolDefinition).function;
  return {
    type: "function",
    name,
    inputSchema: parameters ?? noArguments,
    ...(description !== undefined && { description }),
    ...(strict !== undefined && to.version !== "v2" && { strict }),
  };
}

/**
 * A tool of the provider's own: as the package makes it, which has an `id`, or as the API has it
 * (`{ type: "web_search_20250305", max_uses: 3 }`), where the id is the provider's name and the type.
 */
function providerTool(tool: ProviderTool, to: Target): AiSdkTool {
  const { type: given, id, name, args, ...rest } = tool;
  const type = to.version === "v2" ? "provider-defined" : "provider";
  if (given === "provider" || given === "provider-defined") {
    if (typeof id !== "string") {
      throw new SuperstepError(
        "INVALID_TOOL",
        `A provider's tool without an id: ${describe(tool)}.`,
        {
          fix: "Bind what the provider package makes, such as anthropic.tools.webSearch_20250305({}).",
        },
      );
    }
    const ofId = id.slice(id.indexOf(".") + 1);
    return { type, id, name: typeof name === "string" ? name : ofId, args: args ?? {} };
  }
  const settings = Object.entries(rest).map(([key, value]) => [camelCase(key), value]);
  return {
    type,
    id: `${to.keys[0] ?? to.family}.${String(given)}`,
    name: nameOfTool(tool) ?? String(given),
    args: Object.fromEntries(settings) as unknown,
  };
}

function camelCase(key: string): string {
  return key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** AI SDK has no neutral setting for parallel calls; each provider's own is set. */
function withParallelFlag(
  { parallel_tool_calls: parallel, providerOptions }: ModelSettings,
  to: Target,
  hasTools: boolean,
): ModelSettings["providerOptions"] {
  if (parallel === undefined || !hasTools) return providerOptions;
  if (to.family === "google") {
    if (!parallel) to.warn("Gemini has no switch for parallel tool calls: not sent.");
    return providerOptions;
  }
  const [key = to.family] = to.keys;
  const packages = new Set(["openai", "azure", "alibaba", "groq", "xai"]);
  const flag =
    to.family === "anthropic"
      ? { disableParallelToolUse: !parallel }
      : packages.has(to.family)
        ? { parallelToolCalls: parallel }
        : { parallel_tool_calls: parallel }; // openai-compatible passes on what it does not know
  return { ...providerOptions, [key]: { ...flag, ...providerOptions?.[key] } };
}
