import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { Order, Reply } from "./programs/orders.ts";

export const workerFile: string = fileURLToPath(import.meta.resolve("./programs/worker.ts"));
export const execArgv: readonly string[] = ["--conditions=@superstep/source"];

/** A folder for the files of one test. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "superstep-savers-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A process with a saver of its own on the file. */
export class Worker {
  readonly #child: ChildProcess;
  readonly stored: string[] = [];
  #replies: Reply[] = [];
  #hasEnded = false;
  #wake: (() => void) | undefined;

  private constructor(path: string) {
    this.#child = fork(workerFile, [path], { execArgv: [...execArgv], stdio: "inherit" });
    this.#child.on("message", (reply: Reply) => {
      if (reply.stored === undefined) this.#replies.push(reply);
      else this.stored.push(reply.stored);
      this.#wake?.();
    });
    this.#child.on("exit", () => {
      this.#hasEnded = true;
      this.#wake?.();
    });
    onTestFinished(() => this.kill());
  }

  static async start(path: string): Promise<Worker> {
    const worker = new Worker(path);
    await worker.#until(() => worker.#replies.length > 0);
    worker.#replies = [];
    return worker;
  }

  async tell(order: Order): Promise<Reply> {
    this.#child.send(order);
    await this.#until(() => this.#replies.length > 0);
    return this.#replies.shift()!;
  }

  /** Gives an order that will not come to its end, and waits for so many checkpoints. */
  async tellUntil(order: Order, stored: number): Promise<void> {
    this.#child.send(order);
    await this.#until(() => this.stored.length >= stored);
  }

  /** Ends the process at once, as a crash does. */
  async kill(): Promise<void> {
    if (this.#hasEnded) return;
    this.#child.kill("SIGKILL");
    await once(this.#child, "exit");
  }

  async #until(isReached: () => boolean): Promise<void> {
    while (!isReached()) {
      if (this.#hasEnded) throw new Error("the worker has ended");
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
