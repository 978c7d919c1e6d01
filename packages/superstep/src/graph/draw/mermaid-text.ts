/*
 * Words that Mermaid's flowchart grammar reads as syntax when an id starts with them, or with
 * digits and them. `\b` matters: "endpoint" is a fine id, "end-point" is not.
 */
const reserved =
  /^\d*(?:end|graph|flowchart|subgraph|style|default|linkStyle|click|classDef|class|interpolate|href|call|_self|_blank|_parent|_top)\b/;

function safeId(name: string): string {
  const id = name
    .replaceAll(/[^A-Za-z0-9_-]/g, "_")
    // A dash at an end or beside another dash would be read as part of an arrow.
    .replaceAll(/(?<!\w)-|-(?!\w)/g, "_");
  // Mermaid 10 and before keep nodes in plain objects, where "constructor" is there already.
  const bad = id === "" || reserved.test(id) || Object.hasOwn(Object.prototype, id);
  return bad ? `_${id}` : id;
}

/**
 * Gives every key its own Mermaid id, as near as can be to the name it wishes for. A name that is
 * a valid id stays as it is; in others foreign characters become "_", and a number is added where
 * the id is taken. Adds the ids to `taken`.
 */
export function mermaidIds(
  wishes: ReadonlyMap<string, string>,
  taken: Set<string>,
): ReadonlyMap<string, string> {
  const ids = new Map<string, string>();
  const give = (key: string, id: string): void => {
    ids.set(key, id);
    taken.add(id);
  };
  for (const [key, name] of wishes) if (safeId(name) === name && !taken.has(name)) give(key, name);
  for (const [key, name] of wishes) {
    if (ids.has(key)) continue;
    const base = safeId(name);
    let id = base;
    for (let n = 2; taken.has(id); n++) id = `${base}_${n}`;
    give(key, id);
  }
  return ids;
}

/*
 * Letters of any script, digits, spaces, commas and emoji are text everywhere in Mermaid, and so
 * are "-" and "_" inside a word. Anything else may be syntax of Mermaid, Markdown or HTML.
 * Mermaid takes any line with "direction TB" for a statement, even if the words are in a label.
 */
const special =
  /((?<=[\p{L}\p{N}])[-_](?=[\p{L}\p{N}]))|(?<=direction) |[^\p{L}\p{M}\p{N}\p{Extended_Pictographic} ,]/gu;

/** Text that Mermaid shows as it is, with entity codes for whatever could be syntax. */
export function escapeText(text: string): string {
  return text.replaceAll(
    special,
    (match, inWord?: string) => inWord ?? `#${match.codePointAt(0)};`,
  );
}

const plain = /^(?!.*direction )(?:\w+|[A-Za-z0-9]+(?:[ _-][A-Za-z0-9]+)*)$/;

/** A label, then HTML that is valid already; quoted only where Mermaid needs it. */
export function quoteLabel(text: string, html = ""): string {
  // Markdown would read "_" at both ends as emphasis; inside an HTML element it does not look.
  if (/^_(?:\w*_)?$/.test(text)) return `<p>${text}</p>${html}`;
  if (plain.test(text)) return text + html;
  // An empty string is not a label in Mermaid, one space is.
  return `"${escapeText(text) || " "}${html}"`;
}
