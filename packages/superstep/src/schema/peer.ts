import { SuperstepError } from "../errors/errors.ts";

/** The error for an optional package that is needed now and is not installed. */
export function missingPackage(name: string, purpose: string, cause: unknown): SuperstepError {
  return new SuperstepError("MISSING_PACKAGE", `${purpose} needs the package ${name}.`, {
    fix: `npm install ${name}`,
    cause,
  });
}
