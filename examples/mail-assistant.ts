// A mail assistant. Run it with: npx superstep run examples/mail-assistant.ts "..."
import { createAgent, tool } from "superstep";
import { z } from "zod";
import { demoModel, type SentMessage } from "./demo/model.ts";

const sendEmail = tool(
  ({ to, subject }) => {
    console.error(`📧 ${to}《${subject}》`); // a real one would send it here
    return `邮件已发送至 ${to}`;
  },
  {
    name: "send_email",
    description: "发送一封邮件",
    schema: z.object({
      to: z.string().describe("收件人的邮箱地址"),
      subject: z.string().describe("主题"),
      body: z.string().describe("正文"),
    }),
  },
);

export const agent = createAgent({
  model: await demoModel(script),
  tools: [sendEmail],
  systemPrompt: "你是一个邮件助手。",
});

/** What the model says when it is scripted. */
function script(messages: readonly SentMessage[]) {
  const { role, content } = messages.at(-1)!;
  const id = `call_${messages.length}`; // one of its own for each call of a conversation
  const sent = messages.findLast((message) => message.role === "tool")?.content;
  if (role === "tool") return `已经办好了：${content}。`;
  const question = content ?? "";
  if (/刚才|发给了谁/.test(question)) {
    return sent ? `刚才的${sent.replace("邮件已发送至", "邮件发给了")}。` : "我还没有发过邮件。";
  }
  const to = /[\w.+-]+@[\w.-]+\w/.exec(question)?.[0];
  if (!to) return "我是脚本模型，只会发邮件：请告诉我收件人的邮箱地址。";
  const subject = /主题是["“](.+?)["”]/.exec(question)?.[1] ?? "通知";
  const body = question.includes("明天下午3点")
    ? "张三，你好！会议时间已经调整到明天下午3点，请准时参加。谢谢！"
    : question;
  return { tool_calls: [{ name: "send_email", args: { to, subject, body }, id }] };
}
