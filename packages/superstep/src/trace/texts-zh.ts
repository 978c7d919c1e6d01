import { END, START } from "../engine/command.ts";
import { chineseNumeral } from "./ordinals.ts";
import { pythonArguments, pythonRepr } from "./python.ts";
import type { Told, TraceTexts } from "./texts.ts";

/** Chinese: values and the names of model nodes as in Python. */
export const chinese: TraceTexts = {
  addedNode: (node) => `➕ 添加节点: ${node}`,
  entry: (node) => `🏁 确定入口节点: ${node}`,
  loopEntry: (node) => `🔄 确定循环入口节点: ${node}`,
  loopExit: (node) => `🚪 确定循环出口节点: ${node}`,
  exit: (node) => `🔚 确定最终出口节点: ${node}`,
  edge: (source, target) =>
    source === START ? `🔗 添加起始边: START -> ${target}` : `🔗 添加边: ${source} -> ${target}`,
  conditionalEdge: (source, targets) =>
    `🔗 ${nodeNames.get(source) ?? source}节点条件边目标: ${pythonRepr(targets)}`,
  compiled: () => "✅ 图构建完成，准备编译",

  callTitle: (n) => {
    if (n === 1) return "── 第一阶段：初始模型调用";
    return n === undefined
      ? "── 第四阶段：再次模型调用"
      : `── 第四阶段：第${chineseNumeral(n)}次模型调用`;
  },
  decisionTitle: () => "── 第二阶段：工具调用决策",
  toolsTitle: () => "── 第三阶段：工具执行",
  endTitle: () => "── 第五阶段：流程结束",
  stepTitle: (step, nodes) => `── 超步 ${step}: ${nodes.join(", ")}`,

  inputGate: ({ source, messages }) => `🚧 关卡一 输入: 取自 ${source}，消息 ${messages} 条`,
  historyGate: ({ rule, repaired }) =>
    `🚧 关卡二 历史: ${rule === "repair" ? "修复" : "拒绝"}规则，修复 ${repaired} 条`,
  modelGate: ({ model }) => `🚧 关卡三 模型: ${model}`,
  nameGate: ({ name }) => `🚧 关卡四 回答署名: ${name ?? "无"}`,
  stepsGate: ({ remainingSteps, needed, landed }) =>
    `🚧 关卡五 步数: 剩余 ${steps(remainingSteps)}，需要 ${needed}，${landed ? "软着陆" : "通过"}`,
  repaired: ({ repaired }) => `🩹 历史已修复: 补充或移除消息 ${repaired} 条`,
  landed: ({ remainingSteps, needed }) =>
    `🛬 软着陆: 剩余 ${remainingSteps} 步，需要 ${needed} 步，回答已替换为步数不足的说明`,
  request: ({ messages, types, tools, toolChoice }) =>
    [
      `📥 模型请求: 消息 ${messages} 条 (${types.join(", ")})`,
      ...(tools.length > 0
        ? [`工具 ${tools.length} 个 (${tools.join(", ")})`, `tool_choice=${toolChoice}`]
        : ["无工具"]),
    ].join("，"),
  output: ({ textLength, toolCalls, invalidToolCalls }) =>
    [
      textLength > 0 ? `🤖 模型输出: 文本 ${textLength} 字` : "🤖 模型输出: content 为空",
      ...(toolCalls > 0 ? [`工具调用 ${toolCalls} 个`] : []),
      ...(invalidToolCalls > 0 ? [`无效工具调用 ${invalidToolCalls} 个`] : []),
    ].join("，"),
  modelTime: (milliseconds) => `⏱️ 模型用时 ${milliseconds} 毫秒`,

  decision: (decision) => [
    `🧭 进入条件边决策函数${decision.router}`,
    `📨 最后AI消息的工具调用数: ${decision.toolCalls}`,
    `🔧 已处理的工具消息数: ${decision.toolMessages}`,
    ...(decision.toolCalls > 0 ? [`⏳ 待处理工具调用数: ${decision.pending}`] : []),
    ...outcomeOf(decision),
  ],
  toolStart: ({ name, args }) => `🛠️ 工具执行: ${name}(${pythonArguments(args)})`,
  toolError: (tool, text) =>
    `❌ 工具${tool}出错${text === undefined ? "" : `: ${pythonRepr(text)}`}`,
  toolTime: (tool, milliseconds) => `⏱️ 工具${tool}用时 ${milliseconds} 毫秒`,

  modelUpdate: (node, keys) => chinese.update(modelNodeNames.get(node) ?? node, keys),
  update: (node, keys) => `📤 ${node}返回更新: ${pythonRepr(keys)}`,
  result: (node, update) => pythonRepr({ [node]: update }),
  route: (router, targets) => `🧭 条件边 ${router} -> ${pythonRepr(targets)}`,
  taskError: (node, error) => `❌ 节点${node}出错: ${error}`,
  started: (runId, threadId) => `▶️ 运行: ${runId ?? "无编号"}，线程: ${threadId ?? "无"}`,
  resumed: () => "⏯️ 从上次停下的地方继续运行",
  step: (step, nodes) => `👣 超步 ${step}: ${nodes.join(", ")}`,
  endWithoutCalls: () => `🔚 无工具调用，流程结束，目标: ${END}`,
  endWithTools: () => `🔚 工具结果直接返回，流程结束，目标: ${END}`,
  ended: (count) => `🔚 运行结束，共 ${count} 个超步`,
  failed: (error) => `❌ 运行失败: ${error}`,
  cancelled: (reason) => `🛑 运行已取消: ${reason}`,
  fix: (fix) => `💡 解决办法: ${fix}`,
};

const nodeNames: ReadonlyMap<string, string> = new Map([
  ["model", "模型"],
  ["tools", "工具"],
]);

/** What the functions of these nodes are called in Python. */
const modelNodeNames: ReadonlyMap<string, string> = new Map([
  ["model", "amodel_node"],
  ["agent", "acall_model"],
]);

function outcomeOf({ toolCalls, pending, target }: Told<"decision">): readonly string[] {
  if (target === END && toolCalls === 0) return [chinese.endWithoutCalls()];
  if (target === END) return [`🔚 无待处理工具调用，流程结束，目标: ${END}`];
  if (pending > 0) {
    return [
      "🔧 存在待处理工具调用，转向工具节点",
      `📍 决策结果: 发送${pending}个工具调用到${target}节点`,
    ];
  }
  if (toolCalls > 0) return ["🔧 工具调用均已处理", `📍 决策结果: 返回${target}节点`];
  return ["🔧 存在无法执行的工具调用，转向工具节点", `📍 决策结果: 由${target}节点答复`];
}

function steps(count: number): string {
  return count === Number.POSITIVE_INFINITY ? "不限" : `${count}`;
}
