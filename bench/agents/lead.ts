// How far a model gets ahead of a reader that is slow. Nothing is timed here.
import { setImmediate as turn } from "node:timers/promises";
import type { AgentContestant, AgentName, TokenStream } from "./contestant.ts";

export interface LeadRow {
  readonly contestant: AgentName;
  readonly label: string;
  readonly tokens: number;
  /** The most tokens that the model had made and the reader had not finished with. */
  readonly lead: number;
}

const tokens = 2000;
/** Superstep's promise: 64 tokens wait at most, and the reader holds one. */
const promised = 64 + 1;

/** A list that tells how many of its items were taken. */
class Pieces extends Array<string> {
  taken = 0;

  override *[Symbol.iterator](): ArrayIterator<string> {
    for (let index = 0; index < this.length; index++) {
      this.taken++;
      yield this[index] ?? "";
    }
  }
}

async function leadOf({ open, textOf }: TokenStream): Promise<number> {
  const pieces = new Pieces();
  for (let index = 0; index < tokens; index++) pieces.push("word ");
  let read = 0;
  let lead = 0;
  for await (const chunk of await open(pieces)) {
    // Whatever can go on without the reader goes on now.
    await turn();
    await turn();
    lead = Math.max(lead, pieces.taken - read);
    if (textOf(chunk) !== "") read++;
  }
  if (read !== tokens) throw new Error(`${read} of ${tokens} tokens came`);
  return lead;
}

/** Throws when Superstep breaks its promise. */
export async function measureLeads(
  contestants: readonly AgentContestant[],
): Promise<readonly LeadRow[]> {
  const rows: LeadRow[] = [];
  for (const { name, streams } of contestants) {
    for (const stream of streams) {
      const lead = await leadOf(stream);
      if (name === "superstep" && lead > promised) {
        throw new Error(`${stream.label}: the model was ${lead} tokens ahead of its reader`);
      }
      rows.push({ contestant: name, label: stream.label, tokens, lead });
    }
  }
  return rows;
}
