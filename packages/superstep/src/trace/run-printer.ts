import { END } from "../engine/command.ts";
import { describe } from "../errors/describe.ts";
import { errorMessage } from "../errors/errors.ts";
import { isError } from "../errors/is-error.ts";
import type { BuildStep, TraceEvent } from "../stream/trace-event.ts";
import type { Told, TraceTexts } from "./texts.ts";

export interface PrinterSettings {
  readonly texts: TraceTexts;
  readonly verbose: boolean;
  readonly write: (line: string) => void;
}

/** Prints the events of one run. */
export class RunPrinter {
  readonly #texts: TraceTexts;
  readonly #verbose: boolean;
  readonly #write: (line: string) => void;

  #isStarted = false;
  #isResumed = false;
  /** Whether lines stand under the phases of an agent, instead of under supersteps. */
  #isAgent = false;
  #phase: "call" | "decision" | "tools" | "end" | undefined;
  /** A superstep's title, printed with its first line unless that is one of an agent. */
  #stepTitle: string | undefined;
  #steps = 0;
  #calls = 0;
  /** Whether the title of a model call is there and its request is not. */
  #isCalling = false;
  /** Nodes that called a model, that ran tools, and that have told of a decision, not yet of its route. */
  readonly #modelNodes = new Set<string>();
  readonly #toolNodes = new Set<string>();
  readonly #decided = new Set<string>();

  constructor({ texts, verbose, write }: PrinterSettings) {
    this.#texts = texts;
    this.#verbose = verbose;
    this.#write = write;
  }

  /** Whether `event` is the first of another run. */
  isOver({ type }: TraceEvent): boolean {
    return this.#isStarted && (type === "build" || type === "run_start");
  }

  print(event: TraceEvent): void {
    const node = event.node ?? "";
    switch (event.type) {
      case "build":
        return this.#built(event.build);
      case "run_start":
        return this.#began(event);
      case "step":
        return this.#step(event.step, event.nodes);
      case "gate":
        return this.#gate(event);
      case "model_request":
        return this.#request(node, event);
      case "model_output":
        return this.#output(event);
      case "decision":
        return this.#decision(node, event);
      case "tool_start":
        return this.#toolStart(node, event);
      case "tool_end":
        return this.#toolEnd(node, event);
      case "update":
        return this.#update(node, event);
      case "route":
        return this.#route(node, event);
      case "task_error":
        return this.#say(this.#texts.taskError(node, errorText(event.error)));
      case "run_end":
        return this.#end(event);
      default: // an event of a newer version
    }
  }

  #say(line: string): void {
    if (this.#stepTitle !== undefined) this.#write(this.#stepTitle);
    this.#stepTitle = undefined;
    this.#write(line);
  }

  #sayVerbose(line: () => string): void {
    if (this.#verbose) this.#say(line());
  }

  /** Prints the title of a phase, unless it goes on. */
  #enter(phase: "decision" | "tools" | "end", title: string): void {
    if (this.#phase === phase) return;
    this.#phase = phase;
    this.#say(title);
  }

  #built(step: BuildStep): void {
    this.#isAgent = true;
    const texts = this.#texts;
    switch (step.type) {
      case "node":
        return this.#sayVerbose(() => texts.addedNode(step.node));
      case "edge":
        return this.#say(texts.edge(step.source, step.target));
      case "conditionalEdge":
        return this.#say(texts.conditionalEdge(step.source, step.targets));
      case "compile":
        return this.#say(texts.compiled());
      case "entry":
      case "loopEntry":
      case "loopExit":
      case "exit":
        return this.#say(texts[step.type](step.node));
      default: // a step of a newer version
    }
  }

  #began({ runId, threadId, resumed }: Told<"run_start">): void {
    this.#isStarted = true;
    this.#isResumed = resumed;
    this.#sayVerbose(() => this.#texts.started(runId, threadId));
    if (resumed) this.#say(this.#texts.resumed());
  }

  #step(step: number, nodes: readonly string[]): void {
    if (step === 0) return; // the hidden one
    this.#steps++;
    if (!this.#isAgent) this.#stepTitle = this.#texts.stepTitle(step, nodes);
    else this.#sayVerbose(() => this.#texts.step(step, nodes));
  }

  #gate(gate: Told<"gate">): void {
    const texts = this.#texts;
    switch (gate.gate) {
      case "input":
        this.#beginCall();
        return this.#sayVerbose(() => texts.inputGate(gate));
      case "history":
        this.#sayVerbose(() => texts.historyGate(gate));
        if (gate.repaired > 0) this.#say(texts.repaired(gate));
        return;
      case "model":
        return this.#sayVerbose(() => texts.modelGate(gate));
      case "name":
        return this.#sayVerbose(() => texts.nameGate(gate));
      case "steps":
        this.#sayVerbose(() => texts.stepsGate(gate));
        if (gate.landed) this.#say(texts.landed(gate));
        return;
      default: // a gate of a newer version
    }
  }

  /** Where the run did not begin, it is not known how many calls there were before. */
  #beginCall(): void {
    if (!this.#isAgent) this.#stepTitle = undefined;
    this.#isAgent = true;
    this.#isCalling = true;
    this.#phase = "call";
    this.#calls++;
    this.#say(this.#texts.callTitle(this.#isResumed ? undefined : this.#calls));
  }

  #request(node: string, request: Told<"model_request">): void {
    if (!this.#isCalling) this.#beginCall();
    this.#isCalling = false;
    this.#modelNodes.add(node);
    this.#say(this.#texts.request(request));
  }

  #output(output: Told<"model_output">): void {
    this.#say(this.#texts.output(output));
    this.#sayVerbose(() => this.#texts.modelTime(Math.round(output.duration)));
  }

  #decision(node: string, decision: Told<"decision">): void {
    const texts = this.#texts;
    this.#decided.add(node);
    if (decision.target === END) this.#enter("end", texts.endTitle());
    else this.#enter("decision", texts.decisionTitle());
    for (const line of texts.decision(decision)) this.#say(line);
  }

  #toolStart(node: string, { call }: Told<"tool_start">): void {
    this.#enterTools(node);
    this.#say(this.#texts.toolStart(call));
  }

  #toolEnd(node: string, { call, status, duration, result }: Told<"tool_end">): void {
    this.#enterTools(node);
    if (status === "error") this.#say(this.#texts.toolError(call.name, resultText(result)));
    this.#sayVerbose(() => this.#texts.toolTime(call.name, Math.round(duration)));
  }

  #enterTools(node: string): void {
    this.#toolNodes.add(node);
    if (this.#isAgent) this.#enter("tools", this.#texts.toolsTitle());
  }

  #update(node: string, { keys, update }: Told<"update">): void {
    const texts = this.#texts;
    // Of a stored run only the keys may be known.
    if (this.#toolNodes.has(node) && update !== undefined) this.#say(texts.result(node, update));
    else if (this.#modelNodes.has(node)) this.#say(texts.modelUpdate(node, keys));
    else this.#say(texts.update(node, keys));
  }

  #route(node: string, { router, targets }: Told<"route">): void {
    if (this.#decided.delete(node)) return; // the decision has said it
    if (this.#isAgent) this.#sayVerbose(() => this.#texts.route(router, targets));
    else this.#say(this.#texts.route(router, targets));
  }

  #end({ status, error }: Told<"run_end">): void {
    const texts = this.#texts;
    if (status === "done") return this.#done();
    const text = errorText(error);
    this.#say(status === "failed" ? texts.failed(text) : texts.cancelled(text));
    const { fix } = (error ?? {}) as { readonly fix?: unknown };
    if (typeof fix === "string") this.#say(texts.fix(fix));
  }

  #done(): void {
    const texts = this.#texts;
    if (!this.#isAgent) return this.#say(texts.ended(this.#steps));
    if (this.#phase === "end") return; // a decision has said it
    const last = this.#phase === "tools" ? texts.endWithTools() : texts.endWithoutCalls();
    this.#enter("end", texts.endTitle());
    this.#say(last);
  }
}

/** Code or name, and message; a reason that is no error as it is. */
function errorText(error: unknown): string {
  if (!isError(error)) return typeof error === "string" ? error : describe(error);
  const { code, name } = error as { readonly code?: unknown; readonly name?: unknown };
  const title = typeof code === "string" ? code : String(name);
  const message = errorMessage(error);
  return message === "" ? title : `${title}: ${message}`;
}

/** What a failed call told the model, or what passed it by. */
function resultText(result: unknown): string | undefined {
  if (result === undefined) return undefined;
  if (isError(result)) return errorText(result);
  const { text, content } = (result ?? {}) as {
    readonly text?: unknown;
    readonly content?: unknown;
  };
  if (typeof text === "string") return text;
  return typeof content === "string" ? content : describe(result);
}
