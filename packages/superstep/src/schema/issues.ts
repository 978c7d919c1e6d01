import type { Issue } from "./types.ts";

/**
 * Issues as text for people and models, one or two lines each:
 *
 *     ✖ Invalid input: expected string, received undefined
 *       → at days[0].name
 */
export function prettyIssues(issues: readonly Issue[]): string {
  return issues
    .map((issue) => {
      const where = issuePath(issue);
      return where === "" ? `✖ ${issue.message}` : `✖ ${issue.message}\n  → at ${where}`;
    })
    .join("\n");
}

/** Where an issue is, as `days[0].name`; "" for the whole value. */
export function issuePath({ path = [] }: Issue): string {
  let text = "";
  for (const segment of path) {
    const key = typeof segment === "object" ? segment.key : segment;
    if (typeof key === "number" || /^\d+$/.test(String(key))) text += `[${String(key)}]`;
    else if (/^[\w$]+$/.test(String(key))) text += text === "" ? String(key) : `.${String(key)}`;
    else text += `[${JSON.stringify(String(key))}]`;
  }
  return text;
}
