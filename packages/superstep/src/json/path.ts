import { describe } from "../errors/describe.ts";

const identifier = /^[A-Za-z_$][\w$]*$/;
/** Longer ways are cut in the middle. */
const maxSteps = 40;

/** Where the keys lead, from `root`: `state.items[3].socket`. `owners` are what the keys belong to. */
export function pathText(
  root: string,
  keys: readonly (string | number)[],
  owners: readonly unknown[] = [],
): string {
  const steps = keys.map((key, depth) => step(key, owners[depth]));
  if (steps.length > maxSteps) steps.splice(maxSteps / 2, steps.length - maxSteps, " ... ");
  return root + steps.join("");
}

function step(key: string | number, owner: unknown): string {
  if (typeof key === "string") return identifier.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
  if (owner instanceof Set) return `.values()[${key}]`;
  if (!(owner instanceof Map)) return `[${key}]`;
  const place = Math.floor(key / 2);
  if (key % 2 === 0) return `.keys()[${place}]`;
  const mapKey: unknown = [...owner.keys()][place];
  return typeof mapKey === "object" || typeof mapKey === "function"
    ? `.values()[${place}]`
    : `.get(${describe(mapKey)})`;
}
