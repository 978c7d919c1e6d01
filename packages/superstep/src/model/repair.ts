type Fetch = typeof globalThis.fetch;

/**
 * A `fetch` for provider packages that mends event streams before the package reads them: a line
 * that lacks nothing but its closing brackets is closed, and that is reported. Everything else
 * passes as it is; a line that cannot be mended is reported by the package.
 */
export function repairingFetch(fetch: Fetch, warn: (text: string) => void): Fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    const type = response.headers.get("content-type") ?? "";
    if (!response.body || !type.includes("text/event-stream")) return response;
    const { status, statusText, headers } = response;
    const body = response.body.pipeThrough(lineStream((lines) => mend(lines, warn)));
    return new Response(body, { status, statusText, headers });
  };
}

/** Passes bytes on, whole lines at a time. */
function lineStream(mended: (lines: string) => string): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let rest = "";
  return new TransformStream({
    transform(bytes, controller) {
      const text = rest + decoder.decode(bytes, { stream: true });
      const end = text.lastIndexOf("\n") + 1;
      rest = text.slice(end);
      if (end > 0) controller.enqueue(encoder.encode(mended(text.slice(0, end))));
    },
    flush(controller) {
      const text = rest + decoder.decode();
      if (text !== "") controller.enqueue(encoder.encode(mended(text)));
    },
  });
}

function mend(lines: string, warn: (text: string) => void): string {
  return lines.replace(/^data: ?([^\r\n]*)/gm, (line, data: string) => {
    if (data === "[DONE]" || data === "" || isJson(data)) return line;
    const closed = data + missingBrackets(data);
    if (!isJson(closed)) return line;
    const shown = closed.length > 200 ? `${closed.slice(0, 200)}...` : closed;
    warn(`A line of an event stream lacked its last brackets; it was closed: ${shown}`);
    return `data: ${closed}`;
  });
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The brackets that would close what is open at the end of a JSON text. */
function missingBrackets(text: string): string {
  const open: string[] = [];
  let inString = false;
  for (let index = 0; index < text.length; index++) {
    const char = text[index];
    if (inString) {
      if (char === "\\") index++;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === "{") open.push("}");
    else if (char === "[") open.push("]");
    else if (char === "}" || char === "]") open.pop();
  }
  return inString ? "" : open.toReversed().join("");
}
