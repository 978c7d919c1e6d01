const plain = /^[^\s"\p{C}\p{Z}]+(?: [^\s"(\p{C}\p{Z}][^\s\p{C}\p{Z}]*)*$/u;

/**
 * A name as one line of text. Names that would break a line or read like part of the picture are
 * shown as JSON strings; a plain name never starts with a quote, so no two names look the same.
 */
export function displayName(name: string): string {
  if (plain.test(name) && !/->|\.\.>/.test(name)) return name;
  return JSON.stringify(name).replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, (char) =>
    Array.from({ length: char.length }, (_, i) => char.charCodeAt(i))
      .map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`)
      .join(""),
  );
}

/* East Asian wide and fullwidth blocks; emoji are found by their property. */
const wide =
  /[\u1100-\u115F\u2E80-\u303E\u3041-\u4DBF\u4E00-\uA4CF\uA960-\uA97F\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{1B000}-\u{1B2FF}\u{20000}-\u{3FFFD}\p{Emoji_Presentation}]/u;

/** The columns a code point takes in a terminal: 0 for marks, 2 for wide characters. */
export function columns(char: string): 0 | 1 | 2 {
  if (/[\p{M}\u1160-\u11FF]/u.test(char)) return 0;
  return wide.test(char) ? 2 : 1;
}

export function textWidth(text: string): number {
  return Array.from(text).reduce((sum, char) => sum + columns(char), 0);
}
