import { execFile } from "node:child_process";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { patient, Place, programs, root } from "./launch.ts";

const worker = `${programs}/worker.ts`;
const counter = `${programs}/counter.ts`;
const count = (lines: readonly string[], line: string): number =>
  lines.filter((each) => each === line).length;

describe.concurrent("Ctrl-C", patient, () => {
  it("during a tool call cancels and says how to go on, and that goes on", async () => {
    using place = new Place();
    const { child, ended } = place.launch(["run", worker, "both", ...place.thread()], {
      SLOW: "60000",
    });
    await place.untilNoted("slow begins");
    child.kill("SIGINT");
    const { code, stderr } = await ended;
    expect(code).toBe(130);
    expect(stderr).toContain(
      `cancelled; go on with: npx superstep run ${worker} --thread t --db ${place.db}\n`,
    );
    const resumed = await place.run(["run", worker, ...place.thread()]);
    expect(resumed).toMatchObject({ code: 0, stdout: "Done: slow x.\n" });
    expect(count(place.journal(), "quick")).toBe(1);
    expect(place.journal().filter((line) => line.startsWith("model"))).toEqual([
      "model 1",
      "model 4",
    ]);
  });

  it("without a thread says that nothing was kept", async () => {
    using place = new Place();
    const { child, ended } = place.launch(["run", worker, "slow"], { SLOW: "60000" });
    await place.untilNoted("slow begins");
    child.kill("SIGINT");
    const { code, stderr } = await ended;
    expect(code).toBe(130);
    expect(stderr).toContain("cancelled; nothing was kept");
  });

  it("a second time ends at once, and what was recorded is not done again", async () => {
    using place = new Place();
    const { child, ended } = place.launch(["run", counter, "--input", "{}", ...place.thread()], {
      SLOW: "3000",
    });
    await place.untilNoted("0");
    child.kill("SIGINT");
    await wait(700); // sooner is the same press
    child.kill("SIGINT");
    expect((await ended).code).toBe(130);
    const resumed = await place.run(["run", counter, ...place.thread()]);
    expect(resumed).toMatchObject({ code: 0, stdout: "{ count: 3 }\n" });
    expect(place.journal()).toEqual(["0", "0", "1", "2"]);
  });

  it("of SIGTERM the exit code is 143", async () => {
    using place = new Place();
    const { child, ended } = place.launch(["run", worker, "slow", ...place.thread()], {
      SLOW: "60000",
    });
    await place.untilNoted("slow begins");
    child.kill("SIGTERM");
    expect((await ended).code).toBe(143);
  });
});

describe.concurrent("kill -9", patient, () => {
  it("during a tool call: the same command again finishes, and what was recorded ran once", async () => {
    using place = new Place();
    const args = ["run", worker, "both", ...place.thread()];
    const { child, ended } = place.launch(args, { SLOW: "60000" });
    await place.untilNoted("slow begins");
    await wait(100); // the record of the quick one
    child.kill("SIGKILL");
    await ended;
    const list = await place.run(["threads", "--db", place.db]);
    expect(list.stderr).toBe("");
    expect(list.stdout).toMatch(/^t .*crashed \(next: tools\)$/m);
    const again = await place.run(args);
    expect(again).toMatchObject({ code: 0, stdout: "Done: slow x.\n" });
    const journal = place.journal();
    expect(count(journal, "quick")).toBe(1);
    expect(count(journal, "slow")).toBe(1);
    expect(journal.filter((line) => line.startsWith("model"))).toEqual(["model 1", "model 4"]);
  });

  it("between two supersteps: the same command again finishes, and each ran once", async () => {
    using place = new Place();
    const args = ["run", counter, "--input", "{}", ...place.thread()];
    const { child, ended } = place.launch(args, { SLOW: "400" });
    await place.untilNoted("1"); // the first is committed
    child.kill("SIGKILL");
    await ended;
    const again = await place.run(args);
    expect(again).toMatchObject({ code: 0, stdout: "{ count: 3 }\n" });
    expect(place.journal()).toEqual(["0", "1", "1", "2"]);
  });
});

describe.concurrent("two processes", patient, () => {
  it("at the same time on one thread: one runs, the other is refused", async () => {
    using place = new Place();
    const args = ["run", worker, "slow", ...place.thread()];
    const first = place.launch(args, { SLOW: "2000" });
    const second = place.launch(args, { SLOW: "2000" });
    const ends = await Promise.all([first.ended, second.ended]);
    expect(ends.map(({ code }) => code).toSorted((a, b) => a! - b!)).toEqual([0, 1]);
    const refused = ends.find(({ code }) => code === 1)!;
    expect(refused.stderr).toMatch(
      /^error THREAD_BUSY: Thread "t" is busy: run .* is active on it\.\nfix: /,
    );
    expect(count(place.journal(), "slow begins")).toBe(1);
  });
});

describe("a reader that has heard enough", patient, () => {
  it("does not end the run: it comes to its end", async () => {
    using place = new Place();
    const args = ["run", `${programs}/odd.ts`, "slowly", "--json", ...place.thread()];
    const { child, ended } = place.launch(args);
    child.stdout!.once("data", () => child.stdout!.destroy());
    expect((await ended).code).toBe(0);
    const list = await place.run(["threads", "--db", place.db]);
    expect(list.stdout).toMatch(/^t .*done$/m);
  });
});

describe("npm run demo", patient, () => {
  it("prints the flow and the answers of both agents, and where the threads are", async () => {
    using place = new Place();
    const args = ["--conditions=@superstep/source", join(root, "examples/demo/demo.ts")];
    const env = { ...process.env, OPENAI_API_KEY: "", ANTHROPIC_API_KEY: "", NO_COLOR: "1" };
    const run = promisify(execFile);
    const { stdout } = await run(process.execPath, args, { cwd: place.folder, env });
    expect(stdout).toContain("A scripted model answers");
    expect(stdout).toContain("── phase 3: tool execution");
    for (const answer of [
      "! 已经办好了：邮件已发送至 zhangsan@example.com。",
      "! 刚才的邮件发给了 zhangsan@example.com。",
      "! 北京今天晴，25 °C。",
      "! 北京到明天都没有雨，不需要带伞。",
    ]) {
      expect(stdout).toContain(answer);
    }
    const list = await place.run(["threads", "--db", join(place.folder, ".superstep/demo.db")]);
    expect(list.stdout.match(/done/g)).toHaveLength(2);
  });
});
