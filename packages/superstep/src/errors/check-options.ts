import { describe, listNames } from "./describe.ts";
import { SuperstepError } from "./errors.ts";

/**
 * Refuses options that are no object (`INVALID_OPTION`) and names that there are not
 * (`UNKNOWN_OPTION`), so that a misspelt option is never ignored. `undefined` is no options.
 */
export function checkOptions<Options extends object>(
  where: string,
  options: Options | undefined,
  allowed: ReadonlySet<string>,
): Partial<Options> {
  return options === undefined ? {} : checkRequired(where, options, allowed);
}

/** As `checkOptions`, where the options cannot be left out. */
export function checkRequired<Options extends object>(
  where: string,
  options: Options,
  allowed: ReadonlySet<string>,
): Options {
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    throw new SuperstepError(
      "INVALID_OPTION",
      `The options of ${where} cannot be ${describe(options)}.`,
      { fix: `Give an object with any of ${listNames(allowed)}.` },
    );
  }
  for (const name of Object.keys(options)) {
    if (allowed.has(name)) continue;
    throw new SuperstepError("UNKNOWN_OPTION", `${where} has no option ${JSON.stringify(name)}.`, {
      fix: `Use one of ${listNames(allowed)}.`,
    });
  }
  return options;
}
