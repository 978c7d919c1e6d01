import { brandSymbol } from "../errors/brand.ts";
import type { ErrorCode } from "../errors/codes.ts";
import {
  AggregateTaskError,
  EmptyInputError,
  GraphRecursionError,
  GraphValueError,
  InvalidUpdateError,
  RunCancelledError,
  SuperstepError,
  ThreadBusyError,
  UnreachableNodeError,
} from "../errors/errors.ts";

// An error is stored as its class, name, message, code, cause and the errors of an aggregate. It
// comes back as the nearest class of the lists here; a stack and other fields are not kept.

type Fields = Readonly<Record<string, unknown>>;

const builtins = [
  Error,
  EvalError,
  RangeError,
  ReferenceError,
  SyntaxError,
  TypeError,
  URIError,
] as const;
const builtinClasses = new Map(builtins.map((constructor) => [constructor.name, constructor]));
const nativeNames = new Set([...builtinClasses.keys(), "AggregateError", "DOMException"]);

/** Ours, by the mark on their prototypes. */
const ownClasses: ReadonlyMap<string, { readonly prototype: object }> = new Map(
  Object.entries({
    error: SuperstepError,
    GraphRecursionError,
    InvalidUpdateError,
    GraphValueError,
    UnreachableNodeError,
    EmptyInputError,
    RunCancelledError,
    AggregateTaskError,
    ThreadBusyError,
  }),
);
const ownNames = new Map([...ownClasses.keys()].map((name) => [brandSymbol(name), name]));
const prefix = "superstep.";
/** Fields that classes of ours have of their own. */
const extras = ["threadId", "runId"];

/** The name of the nearest class that an error with this prototype can come back as. */
export function errorClassOf(prototype: object): string | undefined {
  for (let next: object | null = prototype; next; next = Object.getPrototypeOf(next)) {
    for (const mark of Object.getOwnPropertySymbols(next)) {
      const name = ownNames.get(mark);
      if (name !== undefined) return prefix + name;
    }
    const constructor: unknown = Object.getOwnPropertyDescriptor(next, "constructor")?.value;
    const name = typeof constructor === "function" ? nativeName(constructor) : undefined;
    if (name !== undefined) return name;
  }
  return undefined;
}

/** The name of a class of errors of this realm, or of an original of another. */
function nativeName(constructor: object): string | undefined {
  const name: unknown = Object.getOwnPropertyDescriptor(constructor, "name")?.value;
  if (typeof name !== "string" || !nativeNames.has(name)) return undefined;
  const isNative =
    (globalThis as Fields)[name] === constructor ||
    Function.prototype.toString.call(constructor) === `function ${name}() { [native code] }`;
  return isNative ? name : undefined;
}

export function encodeError(error: object, className: string): Fields {
  const { errors } = error as Fields;
  return {
    class: className,
    ...namesOf(error as Fields, className),
    ...(Object.hasOwn(error, "cause") && { cause: (error as Fields)["cause"] }),
    ...(/Aggregate(Task)?Error$/.test(className) &&
      Array.isArray(errors) && { errors: [...errors] }),
    ...(className.startsWith(prefix) && textsOf(error as Fields, ["fix", ...extras])),
  };
}

/** Name, message and code, where they are not what the class gives anyway. */
function namesOf(error: Fields, className: string): Fields {
  const { name, code, ...texts } = textsOf(error, ["name", "message", "code"]);
  const number = typeof error["code"] === "number" ? error["code"] : undefined;
  if (texts["message"] === "" && !Object.hasOwn(error, "message")) delete texts["message"];
  if (className === "DOMException") return { name, ...texts }; // the name gives the code
  return {
    ...(name !== undefined && name !== className && { name }),
    ...texts,
    ...((code ?? number) !== undefined && { code: code ?? number }),
  };
}

function textsOf(error: Fields, names: readonly string[]): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const name of names) {
    const text = error[name];
    if (typeof text === "string") texts[name] = text;
  }
  return texts;
}

/** `undefined` when the fields are not those of an error. */
export function decodeError(fields: Fields): Error | undefined {
  const { class: className, name, message } = fields;
  if (typeof className !== "string" || (name !== undefined && typeof name !== "string")) {
    return undefined;
  }
  if (message !== undefined && typeof message !== "string") return undefined;
  const error = className.startsWith(prefix)
    ? ownError(fields, className.slice(prefix.length))
    : nativeError(fields, className);
  if (!error) return undefined;
  if (name !== undefined && error.name !== name) error.name = name;
  // The place where it was decoded is not where it arose.
  const text = error.message === "" ? error.name : `${error.name}: ${error.message}`;
  Object.defineProperty(error, "stack", { value: text, writable: true, configurable: true });
  return error;
}

function nativeError(fields: Fields, className: string): Error | undefined {
  const { name, code, errors } = fields;
  const message = fields["message"] as string | undefined;
  const options = Object.hasOwn(fields, "cause") ? { cause: fields["cause"] } : undefined;
  if (className === "DOMException" && typeof DOMException === "function") {
    return new DOMException(message, (name as string | undefined) ?? "Error");
  }
  let error: Error;
  if (className === "AggregateError") {
    if (!Array.isArray(errors)) return undefined;
    error = new AggregateError(errors, message, options);
  } else {
    const Class = builtinClasses.get(className === "DOMException" ? "Error" : className);
    if (!Class) return undefined;
    error = new Class(message, options);
  }
  return code === undefined ? error : Object.assign(error, { code });
}

function ownError(fields: Fields, mark: string): Error | undefined {
  const { code, message, fix, errors } = fields;
  const ownClass = ownClasses.get(mark);
  if (!ownClass || typeof code !== "string" || typeof fix !== "string") return undefined;
  const details = Object.hasOwn(fields, "cause") ? { fix, cause: fields["cause"] } : { fix };
  const error = new SuperstepError(
    code as ErrorCode,
    (message as string | undefined) ?? "",
    details,
  );
  Object.setPrototypeOf(error, ownClass.prototype);
  if (mark === "AggregateTaskError") {
    if (!Array.isArray(errors)) return undefined;
    Object.assign(error, { errors });
  }
  for (const extra of extras) {
    const value = fields[extra];
    if (typeof value === "string") Object.assign(error, { [extra]: value });
  }
  return error;
}
