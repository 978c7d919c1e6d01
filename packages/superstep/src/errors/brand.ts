/** `Symbol.for`, so that two copies of the package recognise each other's objects. */
export function brandSymbol(name: string): symbol {
  return Symbol.for(`superstep.${name}`);
}

/** Whether `value` carries the brand, whichever copy of the package made it. */
export function hasBrand(value: unknown, mark: symbol): boolean {
  if (typeof value !== "object" || value === null) return false;
  try {
    return (value as Readonly<Record<symbol, unknown>>)[mark] === true;
  } catch {
    return false; // a proxy that refuses carries no brand
  }
}

type AnyClass = abstract new (...args: never[]) => object;
const ordinaryHasInstance = Function.prototype[Symbol.hasInstance];

/**
 * Makes `instanceof` answer by brand instead of by prototype chain. A subclass that users derive
 * keeps the ordinary answer, since it shares the brand of its parent.
 */
export function brand(constructor: AnyClass, name: string): void {
  const mark = brandSymbol(name);
  Object.defineProperty(constructor.prototype, mark, { value: true });
  Object.defineProperty(constructor, Symbol.hasInstance, {
    value(this: unknown, value: unknown): boolean {
      return this === constructor
        ? hasBrand(value, mark)
        : ordinaryHasInstance.call(this as AnyClass, value);
    },
  });
}

const controlMark = brandSymbol("control");

/**
 * Whether `thrown` is control flow rather than an error: an interrupt, a jump, a command to the
 * parent. Whatever carries the brand "control" is; every catch of this package tests it first and
 * lets it pass.
 */
export function isControlSignal(thrown: unknown): boolean {
  return hasBrand(thrown, controlMark);
}
