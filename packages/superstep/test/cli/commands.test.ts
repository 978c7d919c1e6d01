import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { patient, Place, programs, root } from "./launch.ts";

const worker = `${programs}/worker.ts`;
const counter = `${programs}/counter.ts`;
const lines = (text: string): readonly string[] => text.split("\n").slice(0, -1);
const question =
  '给 zhangsan@example.com 发一封邮件，主题是"项目进度同步"，告诉他会议时间已经调整到明天下午3点。';
const golden = (file: string): readonly string[] =>
  lines(readFileSync(join(root, "packages/superstep/test/trace/golden", file), "utf8"));
/** What differs from run to run, and from model to model. */
const masked = (line: string): string =>
  line
    .replaceAll(/id='[^']*'/g, "id='<id>'")
    .replaceAll(/"(id|tool_call_id)":"[^"]*"/g, '"$1":"<id>"')
    .replace(/文本 \d+ 字/, "文本 <n> 字")
    .replace(/text of \d+ characters/, "text of <n> characters");

describe.concurrent("superstep run", patient, () => {
  it("prints the answer, the tools beside it, and the tokens used", async () => {
    using place = new Place();
    const { code, stdout, stderr } = await place.run([
      "run",
      "examples/weather-agent.ts",
      "How is the weather in Bonn?",
    ]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "It is sunny in Bonn, 25 °C.\n" });
    expect(lines(stderr)).toEqual([
      '→ get_weather {"city":"Bonn"}',
      expect.stringMatching(/^✓ get_weather \(\d+ ms\)$/),
      "tokens: 20 in, 10 out, 30 in all",
    ]);
  });

  it.each(["zh", "en"])(
    "prints the flow of the mail assistant line by line: --lang %s",
    async (lang) => {
      using place = new Place();
      const args = ["run", "examples/mail-assistant.ts", question, "--trace", "--lang", lang];
      const { code, stdout } = await place.run(args);
      expect(code).toBe(0);
      const printed = lines(stdout);
      expect(printed.slice(0, -2).map(masked)).toEqual(golden(`mail.${lang}.txt`).map(masked));
      expect(printed.slice(-2)).toEqual(["", "已经办好了：邮件已发送至 zhangsan@example.com。"]);
    },
  );

  it("prints the gates and times with --trace=verbose", async () => {
    using place = new Place();
    const args = ["run", worker, "quick", "--trace=verbose"];
    const { code, stdout } = await place.run(args);
    expect(code).toBe(0);
    expect(lines(stdout).length).toBeGreaterThan(35);
  });

  it("prints one event a line with --json", async () => {
    using place = new Place();
    const { code, stdout } = await place.run(["run", worker, "quick", "--json", ...place.thread()]);
    expect(code).toBe(0);
    const events = lines(stdout).map((line) => JSON.parse(line) as { type: string });
    expect(events.map(({ type }) => type)).toEqual([
      "update",
      "tool_start",
      "tool_end",
      "update",
      "token",
      "token",
      "token",
      "update",
      "end",
    ]);
    expect(events[2]).toMatchObject({ name: "quick", status: "success", content: "quick x" });
    expect(events.at(-1)).toEqual({
      type: "end",
      status: "done",
      thread: "t",
      answer: "Done: quick x.",
    });
  });

  it("tells an error with --json too", async () => {
    using place = new Place();
    const { code, stdout } = await place.run(["run", worker, "fail", "--json"]);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toEqual({ type: "error", message: "the model is out" });
    const missing = await place.run(["run", "no-such-file.ts", "hi", "--json"]);
    expect(JSON.parse(missing.stdout)).toMatchObject({ type: "error", code: "INVALID_USER_FILE" });
    const state = await place.run(["run", counter, "--input", "{}", "--json"]);
    expect(JSON.parse(lines(state.stdout).at(-1)!)).toMatchObject({ state: { count: 3 } });
  });

  it("prints the state of a graph that is no agent", async () => {
    using place = new Place();
    const { code, stdout } = await place.run(["run", counter, "--input", '{"count":1}', "--trace"]);
    expect(code).toBe(0);
    expect(lines(stdout).at(-1)).toBe("{ count: 3 }");
    expect(stdout).toContain("superstep 1: work");
  });

  it("prints nothing but events with --json, whatever the user's code prints", async () => {
    using place = new Place();
    const { stdout, stderr } = await place.run(["run", `${programs}/odd.ts`, "prints", "--json"]);
    expect(lines(stdout).map((line) => (JSON.parse(line) as { type: string }).type)).toContain(
      "end",
    );
    expect(stdout).not.toContain("printed by the tool");
    expect(stderr).toContain("printed by the tool");
  });

  it("fails when an error of the user's code that nobody awaits ends it, and goes on from there", async () => {
    using place = new Place();
    const { code, stderr } = await place.run([
      "run",
      `${programs}/odd.ts`,
      "strays",
      ...place.thread(),
    ]);
    expect(code).toBe(1);
    expect(stderr).toContain("error Error: nobody awaits this");
    const list = await place.run(["threads", "--db", place.db]);
    expect(list.stdout).toContain("cancelled (next: tools)");
  });

  it("does not count as done when the user's code ends the process", async () => {
    using place = new Place();
    const { code, stderr } = await place.run(["run", `${programs}/odd.ts`, "exits"]);
    expect(code).toBe(1);
    expect(stderr).toContain("the program ended the process in the middle of it");
  });

  it("remembers on a thread: a second question sees the first", async () => {
    using place = new Place();
    await place.run(["run", worker, "quick", ...place.thread()]);
    const { stdout } = await place.run(["run", worker, "recall", ...place.thread()]);
    expect(stdout).toBe("You said: quick.\n");
  });

  it("makes a thread and says its name when only --db is given", async () => {
    using place = new Place();
    const { stderr } = await place.run(["run", worker, "quick", "--db", place.db]);
    const [, id = ""] = /^thread (\S+); go on with: npx superstep run /m.exec(stderr) ?? [];
    const { stdout } = await place.run(["run", worker, "recall", ...place.thread(id)]);
    expect(stdout).toBe("You said: quick.\n");
  });

  it("says when nothing is due on a thread", async () => {
    using place = new Place();
    await place.run(["run", worker, "quick", ...place.thread()]);
    const { code, stderr } = await place.run(["run", worker, ...place.thread()]);
    expect(code).toBe(0);
    expect(stderr).toContain("Nothing was due on the thread: its last run has ended.");
  });

  it("tells a failure with its cause and no stack, and the thread goes on", async () => {
    using place = new Place();
    const { code, stderr } = await place.run(["run", worker, "fail", ...place.thread()]);
    expect(code).toBe(1);
    expect(lines(stderr)).toEqual([
      `the thread is kept; go on with: npx superstep run ${worker} --thread t --db ${place.db}`,
      "error Error: the model is out",
      "cause: Error: no power",
    ]);
    const { stdout } = await place.run(["threads", "--db", place.db]);
    expect(lines(stdout)[1]).toMatch(
      /^t +\S+ \S+ +0 +failed: Error: the model is out \(next: model\)$/,
    );
    const verbose = await place.run(["run", worker, "fail", "--verbose"]);
    expect(verbose.stderr).toContain("at ");
  });
});

describe.concurrent("a wrong command line", patient, () => {
  it.each([
    [["runn"], 'There is no command "runn".'],
    [["run"], "takes 1 or 2 arguments and was given 0"],
    [["run", worker], "There is no question"],
    [["run", worker, "a", "b"], "put the question in quotes"],
    [["run", worker, "a", "--tread", "t"], "There is no option --tread."],
    [["run", worker, "a", "--lang", "fr"], '--lang cannot be "fr"'],
    [["run", worker, "a", "--input", "{}"], "two inputs"],
    [["run", counter, "--input", "{"], "--input is no JSON"],
    [["run", worker, "a", "--recursion-limit", "0"], "--recursion-limit cannot be"],
    [["run", worker, "a", "--thread", "t"], "--thread needs a place to keep it"],
    [["run", counter, "a question"], "takes no question"],
    [["threads"], "--db FILE is missing"],
    [["run", worker, "a", "--trace=loud"], '--trace cannot be "loud"'],
    [["run", worker, "a", "--thread", ""], "--thread is empty"],
    [["--nope"], "There is no option --nope."],
  ])("%j: exit code 2 and what is wrong", async (args, message) => {
    using place = new Place();
    const { code, stdout, stderr } = await place.run(args);
    expect(stderr).toContain(message);
    expect(stderr).toMatch(/^error INVALID_COMMAND_LINE: .*\nfix: .*superstep --help\.\n$/);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  });

  it.each([
    ["no-such-file.ts", "there is no such file"],
    [`${programs}/nothing.ts`, 'it exports "nothing"'],
    [`${programs}/throws.ts`, "it cannot be loaded: bad 1"],
  ])("%s as the file: exit code 1", async (file, message) => {
    using place = new Place();
    const { code, stderr } = await place.run(["run", file, "hi"]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error INVALID_USER_FILE: /);
    expect(stderr).toContain(message);
  });
});

describe.concurrent("the other commands", patient, () => {
  it("graph prints Mermaid, or a picture", async () => {
    using place = new Place();
    const mermaid = await place.run(["graph", worker]);
    expect(mermaid.stdout).toMatch(/^(%%|---|graph|flowchart)/);
    const ascii = await place.run(["graph", worker, "--ascii"]);
    expect(ascii.stdout).toContain("| model |");
  });

  it("threads and trace show what is stored", async () => {
    using place = new Place();
    await place.run(["run", worker, "quick", ...place.thread("a b"), "--trace"]);
    const live = await place.run([
      "run",
      worker,
      "both",
      ...place.thread(),
      "--trace",
      "--lang",
      "zh",
    ]);
    const list = await place.run(["threads", "--db", place.db]);
    expect(lines(list.stdout).map((line) => line.split(/ {2,}/)[0])).toEqual([
      "THREAD",
      "t",
      "a b",
    ]);
    const json = await place.run(["threads", "--db", place.db, "--json"]);
    expect(JSON.parse(lines(json.stdout)[0]!)).toMatchObject({
      threadId: "t",
      status: "done",
      next: [],
    });
    const stored = await place.run(["trace", "t", "--db", place.db, "--lang", "zh"]);
    // Parallel tools end in any order; each line is there.
    expect(lines(stored.stdout).toSorted()).toEqual(lines(live.stdout).slice(0, -2).toSorted());
  });

  it("trace of a thread that there is not says which there are", async () => {
    using place = new Place();
    await place.run(["run", worker, "quick", ...place.thread()]);
    const { code, stderr } = await place.run(["trace", "x", "--db", place.db]);
    expect(code).toBe(2);
    expect(stderr).toContain('There is no thread "x": there are "t".');
  });

  it("run without a question on a thread that there is not makes none", async () => {
    using place = new Place();
    const { code, stderr } = await place.run(["run", worker, ...place.thread("typo")]);
    expect(code).toBe(1);
    expect(stderr).toContain("There is no database");
    expect(existsSync(place.db)).toBe(false);
    await place.run(["run", worker, "quick", ...place.thread()]);
    const again = await place.run(["run", worker, ...place.thread("typo")]);
    expect(again.code).toBe(2);
    expect(again.stderr).toContain('There is no thread "typo" to go on with');
  });

  it("trace of a thread with several runs tells them apart", async () => {
    using place = new Place();
    await place.run(["run", worker, "quick", ...place.thread()]);
    await place.run(["run", worker, "recall", ...place.thread()]);
    const { stdout } = await place.run(["trace", "t", "--db", place.db]);
    expect(stdout.match(/^══ [12]\/2 {2}\d{4}-/gm)).toHaveLength(2);
  });

  it("a database that does not exist is said, and not made", async () => {
    using place = new Place();
    const { code, stderr } = await place.run(["threads", "--db", place.db]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error SAVER_ERROR: There is no database /);
    expect(existsSync(place.db)).toBe(false);
  });

  it.each([
    ["--help"],
    ["run", "--help"],
    ["graph", "-h"],
    ["threads", "--help"],
    ["trace", "--help"],
  ])("%s %s prints help", async (...args) => {
    using place = new Place();
    const { code, stdout } = await place.run(args.filter((arg) => typeof arg === "string"));
    expect(code).toBe(0);
    expect(stdout).toMatch(/^superstep/);
  });

  it("--version is that of the package", async () => {
    using place = new Place();
    const { stdout } = await place.run(["--version"]);
    const { version } = JSON.parse(
      readFileSync(join(root, "packages/superstep/package.json"), "utf8"),
    ) as { version: string };
    expect(stdout).toBe(`${version}\n`);
  });
});
