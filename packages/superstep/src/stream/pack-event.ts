import type { RunEvent, TaskEvent } from "./trace-event.ts";

type Told = TaskEvent | RunEvent;
type Fields = Readonly<Record<string, unknown>>;

/** The fields of each kind of event, in the order in which they are stored. */
const fieldsOf: Readonly<Record<string, readonly string[]>> = {
  "gate.input": ["source", "messages"],
  "gate.history": ["rule", "repaired"],
  "gate.model": ["model"],
  "gate.name": ["name"],
  "gate.steps": ["remainingSteps", "needed", "landed"],
  model_request: ["messages", "types", "tools", "toolChoice"],
  model_output: ["textLength", "toolCalls", "invalidToolCalls", "duration"],
  decision: ["router", "toolCalls", "toolMessages", "pending", "target"],
  tool_start: ["call"],
  tool_end: ["call", "status", "duration"],
  update: ["keys"],
  route: ["router", "targets"],
};

/**
 * An event of a task as it is stored with a checkpoint: a list of its kind and what cannot be read
 * from the state. A call is kept as its id and name. `undefined` for kinds that are not stored.
 */
export function packEvent(event: Told): readonly unknown[] | undefined {
  const kind = event.type === "gate" ? `gate.${event.gate}` : event.type;
  const fields = fieldsOf[kind];
  if (!fields) return undefined;
  const packed: unknown[] = [kind];
  for (const field of fields) packed.push(packField(field, (event as unknown as Fields)[field]));
  return packed;
}

function packField(field: string, value: unknown): unknown {
  if (field === "duration") return Math.round(value as number);
  if (field !== "call") return value;
  const { id, name } = value as { readonly id: string; readonly name: string };
  return [id, name];
}

/** What `packEvent` kept. Of a call `args`, and of results and updates the content, are missing. */
export function unpackEvent(packed: unknown): Fields | undefined {
  if (!Array.isArray(packed)) return undefined;
  const [kind, ...values] = packed as readonly unknown[];
  const fields = typeof kind === "string" && Object.hasOwn(fieldsOf, kind) && fieldsOf[kind];
  if (!fields) return undefined;
  const [type = "", gate] = kind.split(".");
  const event: Record<string, unknown> = gate === undefined ? { type } : { type, gate };
  for (const [index, field] of fields.entries()) event[field] = unpackField(field, values[index]);
  return event;
}

function unpackField(field: string, value: unknown): unknown {
  if (field !== "call" || !Array.isArray(value)) return value;
  const [id, name] = value as readonly unknown[];
  return { id, name, args: {} };
}
