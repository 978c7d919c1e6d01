import { copyPlain, isPlain } from "../channels/freeze.ts";
import { describe, listNames } from "../errors/describe.ts";
import { EmptyInputError, SuperstepError } from "../errors/errors.ts";
import { Command, isCommand } from "./command.ts";
import { collectCommand, collectWrite, writableKeys } from "./outcome.ts";
import type { Run } from "./run.ts";
import type { Task } from "./task.ts";

/**
 * The input of a run, in the run's own copy: state is frozen, and the caller's plain objects and
 * arrays are the caller's to change.
 */
export function ownInput(input: unknown): unknown {
  if (!isCommand(input)) return copyPlain(input);
  const { goto, resume } = input;
  const update = copyPlain(input.update) as Record<string, unknown> | undefined;
  return new Command({ goto, ...(update && { update }), ...(resume !== undefined && { resume }) });
}

/**
 * Writes the input of a run to the state. Returns whether the entry nodes follow: a
 * `Command` as input says itself where to go.
 */
export function collectInput(run: Run, task: Task): boolean {
  const { input } = run;
  if (input === undefined || input === null) {
    throw new EmptyInputError("The run has no input, and there is no stored run to continue.", {
      fix: `Give an object with state keys (${listNames(writableKeys(run))}); {} runs the graph on its defaults.`,
    });
  }
  if (isCommand(input)) {
    if (input.resume !== undefined) {
      throw new EmptyInputError("A Command with resume was given, and no interrupt is waiting.", {
        fix: "Resume a thread that was interrupted, or give the run an input.",
      });
    }
    collectCommand(run, task, input);
    return false;
  }
  if (!isPlain(input) || Array.isArray(input)) {
    throw new SuperstepError("INVALID_INPUT", `The input of a run cannot be ${describe(input)}.`, {
      fix: `Give an object with state keys: ${listNames(writableKeys(run))}.`,
    });
  }
  for (const [key, value] of Object.entries(input)) collectWrite(run, task, key, value);
  return true;
}
