import { SuperstepError } from "../errors/errors.ts";
import { builtinNames } from "./names.ts";

/** A class of this package whose instances can be stored. */
export interface StoredType {
  /** Stands in stored texts: it never changes. Several classes may share one. */
  readonly name: string;
  /** From `brandSymbol`: the class is known by it, whichever copy of the package made the instance. */
  readonly mark: symbol;
  /** The instance as a plain record or list; what is inside may be anything that can be stored. */
  readonly encode: (value: object) => unknown;
  /** Gets what `encode` gave. It checks what it gets: a stored text may be damaged. */
  readonly decode: (data: unknown) => unknown;
}

const byMark = new Map<symbol, StoredType>();
const byName = new Map<string, StoredType>();

/** Called at the top level of the module that owns the class. */
export function registerType(type: StoredType): void {
  if (builtinNames.has(type.name)) {
    throw new SuperstepError("INVALID_OPTION", `A stored type cannot be named ${type.name}.`, {
      fix: "Give the type a name that no built-in type has.",
    });
  }
  byMark.set(type.mark, type);
  byName.set(type.name, type);
}

/** The type of the instances with this prototype. A class that users derive has none. */
export function typeWithPrototype(prototype: object): StoredType | undefined {
  for (const mark of Object.getOwnPropertySymbols(prototype)) {
    const type = byMark.get(mark);
    if (type) return type;
  }
  return undefined;
}

export function typeNamed(name: string): StoredType | undefined {
  return byName.get(name);
}
