import {
  AIMessage,
  createAgent,
  tool,
  type TraceEvent,
  tracePrinter,
  type TracePrinterOptions,
  type TraceSubscriber,
} from "superstep";
import { FakeChatModel } from "superstep/testing";
import { expect } from "vitest";
import { z } from "zod";
import type { Agent } from "../agents/world.ts";

const languages = ["en", "zh"] as const;

export const question =
  '给 zhangsan@example.com 发一封邮件，主题是"项目进度同步"，告诉他会议时间已经调整到明天下午3点。';

/** The mail assistant, with a model that sends the mail and then says so. */
export function mailAssistant(): Agent {
  const sendEmail = tool(({ to }) => `邮件已发送至 ${to}`, {
    name: "send_email",
    description: "Sends an email",
    schema: z.object({ to: z.string(), subject: z.string(), body: z.string() }),
  });
  const args = {
    to: "zhangsan@example.com",
    subject: "项目进度同步",
    body: "张三，你好！会议时间已经调整到明天下午3点，请准时参加。谢谢！",
  };
  return createAgent({
    model: new FakeChatModel({
      responses: [calls(["send_email", args]), "邮件已发给张三，告诉他会议调整到明天下午3点。"],
    }),
    tools: [sendEmail],
    systemPrompt: "你是一个邮件助手。",
  });
}

/** An answer with empty content that calls tools; their ids are c1, c2, ... */
export function calls(...list: readonly (readonly [string, object?])[]): AIMessage {
  return new AIMessage({
    content: "",
    tool_calls: list.map(([name, args = {}], i) => ({ name, args: { ...args }, id: `c${i + 1}` })),
  });
}

/** The lines that a printer prints while `run` goes on; how it ends is left to the caller. */
export async function linesOf(
  run: (trace: TraceSubscriber) => Promise<unknown>,
  options: TracePrinterOptions = {},
): Promise<string[]> {
  const lines: string[] = [];
  await run(tracePrinter({ ...options, write: (line) => void lines.push(line) }));
  for (const line of lines) expect(line).not.toMatch(/[\n\r]/);
  return lines;
}

/** The events that a subscriber is told while `run` goes on. */
export async function eventsOf(
  run: (trace: TraceSubscriber) => Promise<unknown>,
): Promise<TraceEvent[]> {
  const events: TraceEvent[] = [];
  await run((event) => void events.push(event));
  return events;
}

/** Runs once for each language and compares the lines with the files `golden/<name>.<lang>.txt`. */
export async function expectGolden(
  name: string,
  run: (trace: TraceSubscriber) => Promise<unknown>,
  options: TracePrinterOptions = {},
): Promise<void> {
  for (const lang of languages) {
    const lines = await linesOf(run, { ...options, lang });
    const text = lines.map((line) => `${masked(line)}\n`).join("");
    await expect(text).toMatchFileSnapshot(`./golden/${name}.${lang}.txt`);
  }
}

/** Ids and times are different in each run. */
function masked(line: string): string {
  return line
    .replace(/\b(id|tool_call_id)='[^']*'/g, "$1='<id>'")
    .replace(/"(id|tool_call_id)":"[^"]*"/g, '"$1":"<id>"')
    .replace(/\d+ (ms|毫秒)$/, "<time> $1");
}
