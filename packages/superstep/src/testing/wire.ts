// The wire format of OpenAI's chat completions, as a server writes it.

type Fields = Readonly<Record<string, unknown>>;

/** An answer for the model server to give, in words. */
export interface WireAnswer {
  readonly text?: string;
  readonly reasoning?: string;
  readonly tool_calls?: readonly {
    readonly name: string;
    readonly args: Fields | string;
    readonly id?: string;
  }[];
  /** Default: 10 tokens in, 5 out. */
  readonly usage?: { readonly input: number; readonly output: number };
  /** Default: "tool_calls" when there are some, else "stop"; `null` leaves it out. */
  readonly finish_reason?: string | null;
}

interface Envelope {
  readonly id: string;
  readonly model: string;
}

/** The answer as one JSON document. */
export function completion(answer: WireAnswer, { id, model }: Envelope): Fields {
  const calls = callsOf(answer, id);
  const message = {
    role: "assistant",
    content: answer.text ?? (calls ? null : ""),
    ...(answer.reasoning !== undefined && { reasoning_content: answer.reasoning }),
    ...(calls && { tool_calls: calls }),
  };
  const finish_reason = finishOf(answer);
  return {
    id,
    object: "chat.completion",
    created: 0,
    model,
    choices: [{ index: 0, message, finish_reason }],
    usage: usageOf(answer),
  };
}

/** The answer as the events of a stream: words, halves of arguments, the reason, the usage. */
export function completionEvents(answer: WireAnswer, { id, model }: Envelope): string[] {
  const events: Fields[] = [];
  const base = { id, object: "chat.completion.chunk", created: 0, model };
  const push = (delta: Fields, finish_reason: string | null = null): void => {
    events.push({ ...base, choices: [{ index: 0, delta, finish_reason }] });
  };
  push({ role: "assistant", content: "" });
  for (const piece of words(answer.reasoning ?? "")) push({ reasoning_content: piece });
  for (const piece of words(answer.text ?? "")) push({ content: piece });
  for (const [index, { function: called, ...call }] of (callsOf(answer, id) ?? []).entries()) {
    const { name, arguments: args } = called;
    const half = Math.ceil(args.length / 2);
    push({ tool_calls: [{ index, ...call, function: { name, arguments: "" } }] });
    for (const piece of [args.slice(0, half), args.slice(half)]) {
      push({ tool_calls: [{ index, function: { arguments: piece } }] });
    }
  }
  push({}, finishOf(answer));
  events.push({ ...base, choices: [], usage: usageOf(answer) });
  return events.map((event) => JSON.stringify(event));
}

/** A text in pieces that joined are the text: each word with the space before it. */
export function words(text: string): readonly string[] {
  return text.match(/\s*\S+|\s+$/g) ?? [];
}

interface WireCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}

function callsOf({ tool_calls: calls }: WireAnswer, answerId: string): WireCall[] | undefined {
  if (!calls || calls.length === 0) return undefined;
  return calls.map(({ name, args, id }, index) => ({
    id: id ?? `call_${answerId}_${index}`,
    type: "function",
    function: { name, arguments: typeof args === "string" ? args : JSON.stringify(args) },
  }));
}

function finishOf({ finish_reason, tool_calls }: WireAnswer): string | null {
  if (finish_reason !== undefined) return finish_reason;
  return tool_calls && tool_calls.length > 0 ? "tool_calls" : "stop";
}

function usageOf({ usage = { input: 10, output: 5 } }: WireAnswer): Fields {
  return {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
  };
}
