import { checkOptions } from "../errors/check-options.ts";
import { describe } from "../errors/describe.ts";
import { SuperstepError } from "../errors/errors.ts";
import { brand, brandSymbol, hasBrand } from "../errors/brand.ts";
import { registerType } from "../json/codec.ts";

/** The node that stands for the beginning of a graph. */
export const START = "__start__";
/** The target that ends a path. */
export const END = "__end__";

/**
 * One more task for the next superstep: run `node` with `args` as its input, beside whatever else
 * is due. The input is `args` itself, not the graph's state; members keep their identity.
 * Returned by conditional edges, or in `goto` of a `Command`.
 */
export class Send<Node extends string = string, Args = unknown> {
  readonly node: Node;
  readonly args: Args;

  /** Throws `INVALID_NODE_NAME` when `node` is no name. */
  constructor(node: Node, args: Args) {
    if (typeof node !== "string") {
      throw new SuperstepError("INVALID_NODE_NAME", `A Send cannot lead to ${describe(node)}.`, {
        fix: "Give the name of a node: new Send(node, args).",
      });
    }
    this.node = node;
    this.args = args;
  }
}
brand(Send, "Send");

const sendMark = brandSymbol("Send");
registerType({
  name: "Send",
  mark: sendMark,
  encode: (send) => ({ ...send }),
  decode: (data) => {
    const { node, args } = data as Send;
    return new Send(node, args);
  },
});

export function isSend(value: unknown): value is Send {
  return hasBrand(value, sendMark);
}

/** Where a `Command` may lead: a node, a `Send`, or several of them. */
export type Goto<Node extends string = string> = Node | Send<Node> | readonly (Node | Send<Node>)[];

/** What a `Command` is made of. */
export interface CommandParams<Resume, Update, Node extends string> {
  /** Written to the state like a node's return value; a list of pairs may write a key twice. */
  readonly update?: Update | readonly (readonly [string, unknown])[];
  /** Nodes that run next, in addition to those that static edges lead to. */
  readonly goto?: Goto<Node>;
  /** As the input of a run: the answer to the interrupt that it waits for. */
  readonly resume?: Resume;
}

const fields: ReadonlySet<string> = new Set(["update", "goto", "resume"]);

/** Writes state and chooses the next nodes in one return value, or as the input of a run. */
export class Command<
  Resume = unknown,
  Update = Record<string, unknown>,
  Node extends string = string,
> {
  readonly update?: Update | readonly (readonly [string, unknown])[];
  readonly goto: readonly (Node | Send<Node>)[];
  readonly resume?: Resume;

  /** Throws `UNKNOWN_OPTION` for a field that a Command does not have. */
  constructor(params: CommandParams<Resume, Update, Node>) {
    const { update, resume, goto } = checkOptions("A Command", params, fields);
    if (update !== undefined) this.update = update;
    if (resume !== undefined) this.resume = resume;
    this.goto = toList(goto);
  }
}
brand(Command, "Command");

const commandMark = brandSymbol("Command");
registerType({
  name: "Command",
  mark: commandMark,
  encode: (command) => ({ ...command }),
  decode: (data) => new Command(data as Command),
});

/** Whether `value` is a `Command`, whichever copy of the package made it. */
export function isCommand(value: unknown): value is Command {
  return hasBrand(value, commandMark);
}

function toList<Item>(value: Item | readonly Item[] | undefined): readonly Item[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? (value as readonly Item[]) : [value as Item];
}
