const maxLength = 80;

/** A short picture of any value for an error message; never throws. */
export function describe(value: unknown): string {
  if (typeof value === "function") return describeFunction(value);
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value !== "object" || value === null) {
    return typeof value === "string" ? shorten(JSON.stringify(value)) : String(value);
  }
  try {
    const kind = Array.isArray(value) ? "an array" : kindOf(value);
    return `${kind} ${shorten(JSON.stringify(value) ?? "")}`.trimEnd();
  } catch {
    return "an object"; // circular, a BigInt inside, or a hostile proxy
  }
}

function describeFunction({ name }: { readonly name: unknown }): string {
  return typeof name === "string" && name !== "" ? `a function (${name})` : "a function";
}

/** Names in quotes, for "known nodes: ..." lists; the list is cut after 20. */
export function listNames(names: Iterable<string>): string {
  const all = [...names].map((name) => JSON.stringify(name));
  if (all.length === 0) return "none";
  return all.length > 20
    ? `${all.slice(0, 20).join(", ")} and ${all.length - 20} more`
    : all.join(", ");
}

function kindOf(value: object): string {
  const name: unknown = Object.getPrototypeOf(value)?.constructor?.name;
  return typeof name === "string" && name !== "" && name !== "Object" ? `a ${name}` : "an object";
}

function shorten(text: string): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}...` : text;
}
