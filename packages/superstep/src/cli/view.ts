import type { MessageMetadata, StreamedMessage } from "../engine/emit.ts";
import { isAIMessage } from "../message/guards.ts";
import type { TraceSubscriber } from "../stream/trace-event.ts";

/** Shows a run while it goes on. */
export interface View {
  readonly trace: TraceSubscriber;
  readonly message: (message: StreamedMessage, metadata: MessageMetadata) => void;
  readonly update: (update: Readonly<Record<string, unknown>>) => void;
  readonly done: (end: {
    readonly thread: string | undefined;
    /** Of a state that is a conversation. */
    readonly answer: string | undefined;
    readonly state: unknown;
  }) => void;
  readonly failed: (error: unknown) => void;
  readonly cancelled: (thread: string | undefined) => void;
}

/** Tokens, as providers count them. */
export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly total: number;
}

/** Adds up what the answers of one run have used. */
export class UsageCount {
  readonly #answered = new Set<string>();
  readonly #counted = new Set<string>();
  #sum: Usage | undefined;

  /** A message was streamed, so it is of this run. */
  saw({ id }: StreamedMessage): void {
    if (id !== undefined) this.#answered.add(id);
  }

  /** A node has written: its answers say what they used. */
  add(update: Readonly<Record<string, unknown>>): void {
    for (const message of messagesIn(update)) {
      const { id = "", usage_metadata: usage } = message;
      if (!usage || !this.#answered.has(id) || this.#counted.has(id)) continue;
      this.#counted.add(id);
      const { input = 0, output = 0, total = 0 } = this.#sum ?? {};
      this.#sum = {
        input: input + usage.input_tokens,
        output: output + usage.output_tokens,
        total: total + usage.total_tokens,
      };
    }
  }

  /** `undefined` when no provider gave any. */
  get sum(): Usage | undefined {
    return this.#sum;
  }
}

interface Answer {
  readonly id?: string | undefined;
  readonly usage_metadata?:
    | {
        readonly input_tokens: number;
        readonly output_tokens: number;
        readonly total_tokens: number;
      }
    | undefined;
}

/** The answers that nodes wrote, under whatever key. */
function messagesIn(update: Readonly<Record<string, unknown>>): readonly Answer[] {
  const writes = Object.values(update).flat() as readonly (object | undefined)[];
  return writes
    .flatMap((write) => Object.values(write ?? {}) as readonly unknown[])
    .flat()
    .filter((value): value is Answer & object => isAIMessage(value));
}
