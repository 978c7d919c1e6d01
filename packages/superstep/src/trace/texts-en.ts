import { END, START } from "../engine/command.ts";
import { json } from "./json.ts";
import { englishOrdinal } from "./ordinals.ts";
import type { Told, TraceTexts } from "./texts.ts";

/** English: values as JSON, no emoji. */
export const english: TraceTexts = {
  addedNode: (node) => `node: ${node}`,
  entry: (node) => `entry node: ${node}`,
  loopEntry: (node) => `loop entry: ${node}`,
  loopExit: (node) => `loop exit: ${node}`,
  exit: (node) => `exit: ${node}`,
  edge: (source, target) => `edge ${source === START ? "START" : source} -> ${target}`,
  conditionalEdge: (source, targets) => `${source} may go to: ${list(targets)}`,
  compiled: () => "graph built, compiling",

  callTitle: (n) => {
    if (n === 1) return "── phase 1: first model call";
    return `── phase 4: ${n === undefined ? "next" : englishOrdinal(n)} model call`;
  },
  decisionTitle: () => "── phase 2: routing decision",
  toolsTitle: () => "── phase 3: tool execution",
  endTitle: () => "── phase 5: end",
  stepTitle: (step, nodes) => `── superstep ${step}: ${nodes.join(", ")}`,

  inputGate: ({ source, messages }) =>
    `gate 1, input: ${count(messages, "message")} from ${source}`,
  historyGate: ({ rule, repaired }) => `gate 2, history: rule ${rule}, ${repaired} repaired`,
  modelGate: ({ model }) => `gate 3, model: ${model}`,
  nameGate: ({ name }) => `gate 4, name of the answer: ${name ?? "none"}`,
  stepsGate: ({ remainingSteps, needed, landed }) =>
    `gate 5, steps: ${remainingSteps} left, ${needed} needed, ${landed ? "landed" : "passed"}`,
  repaired: ({ repaired }) => `history repaired: ${count(repaired, "message")} added or left out`,
  landed: ({ remainingSteps, needed }) =>
    `soft landing: ${count(remainingSteps, "step")} left, ${needed} needed; the answer now says that more are needed`,
  request: ({ messages, types, tools, toolChoice }) =>
    [
      `model request: ${count(messages, "message")} (${types.join(", ")})`,
      ...(tools.length > 0
        ? [`${count(tools.length, "tool")} (${tools.join(", ")})`, `tool_choice=${toolChoice}`]
        : ["no tools"]),
    ].join(", "),
  output: ({ textLength, toolCalls, invalidToolCalls }) =>
    [
      textLength > 0
        ? `model output: text of ${count(textLength, "character")}`
        : "model output: empty content",
      ...(toolCalls > 0 ? [count(toolCalls, "tool call")] : []),
      ...(invalidToolCalls > 0 ? [count(invalidToolCalls, "invalid tool call")] : []),
    ].join(", "),
  modelTime: (milliseconds) => `the model took ${milliseconds} ms`,

  decision: (decision) => [
    `routing by ${decision.router}`,
    `tool calls of the last AI message: ${decision.toolCalls}`,
    `tool messages that answer them: ${decision.toolMessages}`,
    ...(decision.toolCalls > 0 ? [`pending tool calls: ${decision.pending}`] : []),
    ...outcomeOf(decision),
  ],
  toolStart: ({ name, args }) => `tool execution: ${name}(${json(args)})`,
  toolError: (tool, text) => `tool ${tool} failed${text === undefined ? "" : `: ${json(text)}`}`,
  toolTime: (tool, milliseconds) => `tool ${tool} took ${milliseconds} ms`,

  modelUpdate: (node, keys) => english.update(node, keys),
  update: (node, keys) => `${node} returned update: ${list(keys)}`,
  result: (node, update) => `${node} returned update: ${json(update)}`,
  route: (router, targets) => `conditional edge ${router} -> ${list(targets)}`,
  taskError: (node, error) => `node ${node} failed: ${error}`,
  started: (runId, threadId) => `run ${runId ?? "without id"}, thread ${threadId ?? "none"}`,
  resumed: () => "the run is resumed where it had stopped",
  step: (step, nodes) => `superstep ${step}: ${nodes.join(", ")}`,
  endWithoutCalls: () => `no tool calls, the run ends, target: ${END}`,
  endWithTools: () => `the tools' results are returned directly, the run ends, target: ${END}`,
  ended: (steps) => `run done after ${count(steps, "superstep")}`,
  failed: (error) => `run failed: ${error}`,
  cancelled: (reason) => `run cancelled: ${reason}`,
  fix: (fix) => `fix: ${fix}`,
};

function outcomeOf({ toolCalls, pending, target }: Told<"decision">): readonly string[] {
  if (target === END && toolCalls === 0) return [english.endWithoutCalls()];
  if (target === END) return [`no pending tool calls, the run ends, target: ${END}`];
  if (pending > 0) {
    return [
      "there are pending tool calls, going to the tools node",
      `decision: ${count(pending, "tool call")} sent to ${target}`,
    ];
  }
  if (toolCalls > 0) return ["all tool calls are answered", `decision: back to ${target}`];
  return ["there are tool calls that cannot be executed", `decision: to be answered by ${target}`];
}

function list(names: readonly string[]): string {
  return `[${names.join(", ")}]`;
}

function count(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? "" : "s"}`;
}
