import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

export const root = join(import.meta.dirname, "../../../..");
const launcher = join(root, "packages/superstep/bin/superstep.js");
export const programs = "packages/superstep/test/cli/programs";
/** For tests that start processes: how long they take is up to the machine and what else it does. */
export const patient = { timeout: 60_000 };

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Launched {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
}

/** A folder of one test, with a database and a journal in it. */
export class Place {
  readonly folder = mkdtempSync(join(tmpdir(), "superstep-cli-"));
  readonly db = join(this.folder, "threads.db");
  readonly journalFile = join(this.folder, "journal");

  /** Starts the command line in the root of the repository. */
  launch(args: readonly string[], env: Record<string, string> = {}): Launched {
    const child = spawn(process.execPath, [launcher, ...args], {
      cwd: root,
      env: { ...process.env, NO_COLOR: "1", FORCE_COLOR: "0", JOURNAL: this.journalFile, ...env },
    });
    child.stdin.end();
    let [stdout, stderr] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    const ended = new Promise<Ended>((resolve) => {
      child.on("close", (code) => resolve({ code, stdout, stderr }));
    });
    return { child, ended };
  }

  run(args: readonly string[], env?: Record<string, string>): Promise<Ended> {
    return this.launch(args, env).ended;
  }

  /** The options that name a thread in this place. */
  thread(id = "t"): readonly string[] {
    return ["--thread", id, "--db", this.db];
  }

  journal(): readonly string[] {
    if (!existsSync(this.journalFile)) return [];
    return readFileSync(this.journalFile, "utf8").split("\n").slice(0, -1);
  }

  async untilNoted(line: string): Promise<void> {
    for (const end = Date.now() + 20_000; !this.journal().includes(line); await wait(5)) {
      if (Date.now() > end) throw new Error(`${line} was not noted in 20 s`);
    }
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
