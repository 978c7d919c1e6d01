import { copyPlain, isPlain } from "../channels/freeze.ts";
import { describe, listNames } from "../errors/describe.ts";
import { EmptyInputError, SuperstepError } from "../errors/errors.ts";
import { isCommand } from "./command.ts";
import { collectCommand, collectWrite } from "./outcome.ts";
import type { Run } from "./run.ts";
import type { Task } from "./task.ts";

/**
 * Writes the input of a run to the state. The caller's plain objects and arrays are copied, since
 * state is frozen and they are the caller's to change. Returns whether the entry nodes follow: a
 * `Command` as input says itself where to go.
 */
export function collectInput(run: Run, task: Task): boolean {
  const { input } = run;
  if (input === undefined || input === null) {
    throw new EmptyInputError("The run has no input, and there is no stored run to continue.", {
      fix: `Give an object with state keys (${listNames(run.plan.stateKeys.keys())}); {} runs the graph on its defaults.`,
    });
  }
  if (isCommand(input)) {
    if (input.resume !== undefined) {
      throw new EmptyInputError("A Command with resume was given, and no interrupt is waiting.", {
        fix: "Resume a thread that was interrupted, or give the run an input.",
      });
    }
    collectCommand(run, task, { goto: input.goto, update: copyPlain(input.update) });
    return false;
  }
  if (!isPlain(input) || Array.isArray(input)) {
    throw new SuperstepError("INVALID_INPUT", `The input of a run cannot be ${describe(input)}.`, {
      fix: `Give an object with state keys: ${listNames(run.plan.stateKeys.keys())}.`,
    });
  }
  for (const [key, value] of Object.entries(input)) collectWrite(run, task, key, copyPlain(value));
  return true;
}
