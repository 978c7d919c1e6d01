import type { AIMessage, AIMessageChunk, BaseMessage } from "../message/messages.ts";
import { mintId } from "../message/mint.ts";
import { currentTask, type TaskContext } from "../stream/task-context.ts";
import { Abort } from "./abort.ts";
import { Chunker } from "./chunker.ts";
import { checkFinish } from "./finish.ts";
import type { ModelPart, ModelPort } from "./port.ts";
import { convertTools } from "./tools.ts";
import type { CallOptions, ModelSettings } from "./types.ts";

export interface CallInput {
  readonly messages: readonly BaseMessage[];
  readonly settings: ModelSettings;
  readonly options: CallOptions | undefined;
}

/** One call of a model: reads the parts, streams the pieces into the run, checks the end. */
export class ModelCall {
  readonly #port: ModelPort;
  readonly #input: CallInput;
  readonly #abort: Abort;
  readonly #chunker: Chunker;
  readonly #chunks: AIMessageChunk[] = [];
  readonly #task: TaskContext | undefined;
  readonly #reader: TaskContext | undefined;
  #parts: AsyncIterator<ModelPart> | undefined;

  /** Throws when the call is aborted before it began. */
  constructor(port: ModelPort, input: CallInput) {
    const { options, settings } = input;
    const task = options?.task ?? currentTask();
    this.#port = port;
    this.#input = input;
    this.#abort = new Abort(options?.signal, task?.signal);
    this.#chunker = new Chunker(mintId("msg"), port.rawToolCalls === true);
    this.#task = task;
    if (task?.wantsMessages && !isSilent(settings.tags) && !isSilent(task.tags)) {
      this.#reader = task;
    }
  }

  /** The whole answer. */
  async collect(): Promise<AIMessage> {
    try {
      if (this.#reader || !this.#port.generate) {
        let chunk = await this.next();
        while (chunk !== undefined) chunk = await this.next();
      } else {
        const request = await this.#request();
        for (const part of await this.#abort.race(this.#port.generate(request))) {
          const chunk = this.#chunker.take(part);
          if (chunk) this.#chunks.push(chunk);
          if (this.#chunker.finish !== undefined) break;
        }
      }
      return this.finish();
    } finally {
      this.close();
    }
  }

  /** The next piece, after the run's reader has taken it; `undefined` at the end. */
  async next(): Promise<AIMessageChunk | undefined> {
    const parts = this.#parts ?? (await this.#begin());
    // A finish is the end: what a provider still sends after it belongs to no answer.
    while (this.#chunker.finish === undefined) {
      const { done, value } = await this.#abort.race(parts.next());
      if (done === true) return undefined;
      const chunk = this.#chunker.take(value);
      if (chunk === undefined) continue;
      this.#chunks.push(chunk);
      const behind = this.#reader?.emitMessage({
        message: chunk,
        tags: this.#input.settings.tags ?? noTags,
      });
      if (behind) await this.#abort.race(behind);
      return chunk;
    }
    return undefined;
  }

  /** Lets go of everything, and stops the request unless it has ended. */
  close(): void {
    this.#abort[Symbol.dispose]();
    if (this.#chunker.finish === undefined) this.#abort.stop();
    // Not awaited: a request that hangs would hold up the caller. It has been told to stop.
    this.#parts?.return?.(undefined).catch(() => {});
  }

  async #begin(): Promise<AsyncIterator<ModelPart>> {
    const stream = this.#port.stream(await this.#request());
    this.#parts = stream[Symbol.asyncIterator]();
    return this.#parts;
  }

  async #request(): Promise<Parameters<ModelPort["stream"]>[0]> {
    const { messages, settings, options } = this.#input;
    const bound = settings.tools;
    const tools = bound && bound.length > 0 ? await convertTools(bound) : undefined;
    return { messages, tools, settings, options, signal: this.#abort.signal };
  }

  /** The message, at the end; throws when the answer is not complete. */
  finish(): AIMessage {
    const message = this.#chunker.message(this.#chunks);
    checkFinish(this.#port, this.#chunker.finish, message);
    // A node that writes the answer to the state does not stream it either.
    if (!this.#reader && this.#task?.wantsMessages) this.#task.silence(message.id!);
    return message;
  }
}
const noTags: readonly string[] = [];

/** The answer in pieces; the call is made when the first is asked for. */
export async function* pieces(
  begin: () => ModelCall,
): AsyncGenerator<AIMessageChunk, void, undefined> {
  const call = begin();
  try {
    let chunk = await call.next();
    while (chunk !== undefined) {
      yield chunk;
      chunk = await call.next();
    }
    call.finish();
  } finally {
    call.close();
  }
}

function isSilent(tags: readonly string[] | undefined): boolean {
  return tags !== undefined && tags.includes("nostream");
}
