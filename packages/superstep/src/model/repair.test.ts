import { expect, test } from "vitest";
import { repairingFetch } from "./repair.ts";

/** What a body in these pieces is after the repair. */
async function repaired(pieces: readonly string[], type = "text/event-stream") {
  const warnings: string[] = [];
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(encoder.encode(piece));
      controller.close();
    },
  });
  const fetch = repairingFetch(
    async () => new Response(body, { status: 201, headers: { "content-type": type, a: "b" } }),
    (text) => warnings.push(text),
  );
  const response = await fetch("http://localhost");
  return { response, text: await response.text(), warnings };
}

test("a line that lacks its last brackets is closed, and that is reported", async () => {
  const { text, warnings } = await repaired(['data: {"a":[{"b":"}"', '}\n\ndata: {"c":1}\n\n']);
  expect(text).toBe('data: {"a":[{"b":"}"}]}\n\ndata: {"c":1}\n\n');
  expect(warnings).toEqual([expect.stringContaining('{"a":[{"b":"}"}]}')]);
});

test.for([
  'data: {"a":1}\n\ndata: [DONE]\n\n',
  'event: x\r\ndata: {"a":"ä😀"}\r\n\r\n',
  ": comment\n\ndata: not json\n\n",
  'data: {"cut":"in a text\n\n',
  'data: {"a":1}',
])("anything else passes as it is: %j", async (stream) => {
  for (const size of [1, 3, 1000]) {
    const pieces = stream.match(new RegExp(`[^]{1,${size}}`, "gu")) ?? [];
    const { text, warnings } = await repaired(pieces);
    expect(text).toBe(stream);
    expect(warnings).toEqual([]);
  }
});

test("what is no event stream is not looked at", async () => {
  const { response, text } = await repaired(['data: {"a":'], "application/json");
  expect(text).toBe('data: {"a":');
  expect([response.status, response.headers.get("a")]).toEqual([201, "b"]);
});
