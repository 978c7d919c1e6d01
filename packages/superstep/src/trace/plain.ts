const maxLength = 10_000;
const lineBreaks = /\s*[\n\r\u0085\u2028\u2029]+\s*/g;
/** Control characters, and those that change the direction of the text after them. */
const unsafe = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;
const unsafeInText = /(?![\n\t])[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/** One line that does nothing to a terminal, whatever a model or a tool has said. */
export function plainLine(line: string): string {
  const cut = line.length > maxLength ? `${line.slice(0, maxLength).toWellFormed()}...` : line;
  return cut.replace(lineBreaks, " ").replace(unsafe, escaped);
}

/** A text of any number of lines that does nothing to a terminal. */
export function plainText(text: string): string {
  return text.replace(unsafeInText, escaped);
}

function escaped(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
