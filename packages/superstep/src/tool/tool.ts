import type { ToolMessage } from "../message/messages.ts";
import { SuperstepError } from "../errors/errors.ts";
import type { ToolCall } from "../message/types.ts";
import { toJsonSchema } from "../schema/to-json-schema.ts";
import type { InputOf, JsonSchema, OutputOf, Schema, Validation } from "../schema/types.ts";
import { checkFields, type Effect, type ResponseFormat, type ToolFields } from "./fields.ts";
import { ToolInputParsingException } from "./errors.ts";
import { asTextInput, type InputParser, inputParser, isToolCall, textInput } from "./input.ts";
import { type CommandLike, splitArtifact, toOutput } from "./result.ts";
import { type ToolConfig, type ToolRuntime, toolRuntime } from "./runtime.ts";

/** What a tool's function is called with: what its schema gives back, or a text without one. */
export type ArgsOf<S> = S extends Schema ? OutputOf<S> : string;
/** What a tool is invoked with. A tool that takes one text takes it as `{ input }` too. */
export type ToolInputOf<S> = S extends Schema ? TextOr<InputOf<S>> : string | TextInput;
type TextOr<Input> = [Input] extends [string] ? Input | TextInput : Input;
interface TextInput {
  readonly input: string;
}

/** A plain JSON Schema, as opposed to a schema that tells its types to the compiler. */
export type UntypedSchema = JsonSchema & {
  readonly "~standard"?: undefined;
  readonly static?: undefined;
};

type Pair<Content> = readonly [content: Content, artifact: unknown];
type MaybePromise<Value> = Value | Promise<Value>;
type Untyped = ToolFields<UntypedSchema> & { readonly schema: UntypedSchema };
type WithArtifact<S> = ToolFields<S> & { readonly responseFormat: "content_and_artifact" };

/**
 * A function that models can call. Made by `tool()`; frozen. `Input` is what it is invoked with,
 * `Output` what comes back for plain arguments.
 */
export class Tool<Input = never, Output = unknown> {
  readonly name: string;
  /** Goes to the model beside the name. */
  readonly description: string;
  /** The schema of the arguments as it was given. */
  readonly schema: Schema;
  /** The function that was wrapped, the same object. */
  readonly func: (args: never, runtime: never) => unknown;
  readonly responseFormat: ResponseFormat;
  /** Whether the result is the agent's answer, without another call of the model. */
  readonly returnDirect: boolean;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** What a provider wants beside the definition, by provider. */
  readonly extras: Readonly<Record<string, unknown>> | undefined;
  /** What repeating a call would do; `undefined` when it was not said. */
  readonly effect: Effect | undefined;
  readonly verboseParsingErrors: boolean;
  readonly #parse: InputParser;
  readonly #takesText: boolean;

  constructor(func: (args: never, runtime: never) => unknown, fields: ToolFields<unknown>) {
    const checked = checkFields(func, fields);
    this.name = checked.name;
    this.description = checked.description;
    this.schema = checked.schema ?? textInput;
    this.func = func;
    this.responseFormat = fields.responseFormat ?? "content";
    this.returnDirect = fields.returnDirect ?? false;
    this.metadata = Object.freeze({ ...fields.metadata });
    this.extras = fields.extras && Object.freeze({ ...fields.extras });
    this.effect = fields.effect;
    this.verboseParsingErrors = fields.verboseParsingErrors ?? false;
    this.#takesText = checked.takesText;
    this.#parse = inputParser(checked.schema, checked.takesText);
    Object.freeze(this);
  }

  /**
   * Runs the tool. A call of the model gives the message that answers it, status "success", or the
   * `Command` that the tool returned; plain arguments give what the function returned (with
   * `content_and_artifact` its content). The arguments are not changed.
   *
   * Rejects with what the function threw, `ToolInputParsingException` when the arguments do not
   * fit, `INVALID_TOOL_OUTPUT` when the result cannot be used, the signal's reason when it is
   * aborted already, and as `toJsonSchema` does when the schema is of no use.
   */
  invoke(call: ToolCall, config?: ToolConfig): Promise<ToolMessage | Extract<Output, CommandLike>>;
  invoke(input: Input, config?: ToolConfig): Promise<Output>;
  async invoke(input: unknown, config: ToolConfig = {}): Promise<unknown> {
    const call = isToolCall(input) ? input : undefined;
    if (call) checkId(call);
    const args = call ? call.args : input;
    let parsed = this.#parse(args);
    if (parsed instanceof Promise) parsed = await parsed;
    if (parsed.issues) throw this.#rejected(args, parsed);
    const runtime = toolRuntime(config, call);
    runtime.signal.throwIfAborted();
    const returned: unknown = await this.func(parsed.value as never, runtime as never);
    const result =
      this.responseFormat === "content"
        ? { content: returned, artifact: undefined }
        : splitArtifact(returned);
    return call ? toOutput(call, result) : result.content;
  }

  /**
   * JSON Schema of the arguments, for models; made once. A promise where the schema's library needs
   * a package loaded for that.
   *
   * Throws or rejects with `INVALID_SCHEMA` or `MISSING_PACKAGE`, naming the tool.
   */
  toJsonSchema(): JsonSchema | Promise<JsonSchema> {
    try {
      const json = toJsonSchema(this.schema);
      return json instanceof Promise ? json.then(this.#wrap, this.#blame) : this.#wrap(json);
    } catch (error) {
      return this.#blame(error);
    }
  }

  readonly #wrap = (json: JsonSchema): JsonSchema => {
    return this.#takesText && this.schema !== textInput ? asTextInput(json) : json;
  };

  readonly #blame = (error: unknown): never => {
    if (!(error instanceof SuperstepError)) throw error;
    throw new SuperstepError(error.code, `Tool ${JSON.stringify(this.name)}: ${error.message}`, {
      fix: error.fix,
      cause: error,
    });
  };

  #rejected(input: unknown, { issues = [] }: Validation): ToolInputParsingException {
    const verbose = this.verboseParsingErrors;
    return new ToolInputParsingException({ tool: this.name, input, issues, verbose });
  }
}

function checkId(call: ToolCall): void {
  if (typeof call.id === "string" && call.id !== "") return;
  throw new SuperstepError(
    "INVALID_INPUT",
    `A call of tool ${JSON.stringify(call.name)} has no id, so nothing can answer it.`,
    { fix: "Give the call an id, or invoke the tool with its arguments." },
  );
}

/**
 * Makes a function a tool.
 *
 *     const add = tool(({ a, b }) => a + b, {
 *       name: "add",
 *       description: "Adds two numbers",
 *       schema: z.object({ a: z.number(), b: z.number() }),
 *     });
 *
 * `schema` is a schema of Zod (3 or 4), Valibot, ArkType or another Standard Schema library, or
 * plain JSON Schema; arguments are checked against it, and the function gets what it gives back. For
 * plain JSON Schema, say the type of the arguments at the function; they are checked by
 * `@cfworker/json-schema`. Without a schema, or with one for a text, the function takes one text.
 *
 * Throws `INVALID_TOOL` for a name that providers refuse (`[a-zA-Z0-9_-]`, 1 to 64 characters) and
 * for what is no function, `UNKNOWN_OPTION`, `INVALID_OPTION`, and `INVALID_SCHEMA` for what is no
 * schema at all.
 */
// `Run` is there for functions that annotate their runtime, `ToolRuntime<State, Context>`.
/* oxlint-disable typescript/no-unnecessary-type-parameters */
export function tool<
  Content,
  Args extends object = Record<string, unknown>,
  Run extends ToolRuntime = ToolRuntime,
>(
  func: (args: Args, runtime: Run) => MaybePromise<Pair<Content>>,
  fields: Untyped & WithArtifact<UntypedSchema>,
): Tool<Args, Content>;
export function tool<
  Result,
  Args extends object = Record<string, unknown>,
  Run extends ToolRuntime = ToolRuntime,
>(func: (args: Args, runtime: Run) => Result, fields: Untyped): Tool<Args, Awaited<Result>>;
export function tool<
  Content,
  S extends Schema | undefined = undefined,
  Run extends ToolRuntime = ToolRuntime,
>(
  func: (args: ArgsOf<S>, runtime: Run) => MaybePromise<Pair<Content>>,
  fields: WithArtifact<S>,
): Tool<ToolInputOf<S>, Content>;
export function tool<
  Result,
  S extends Schema | undefined = undefined,
  Run extends ToolRuntime = ToolRuntime,
>(
  func: (args: ArgsOf<S>, runtime: Run) => Result,
  fields: ToolFields<S>,
): Tool<ToolInputOf<S>, Awaited<Result>>;
/* oxlint-enable typescript/no-unnecessary-type-parameters */
export function tool(
  func: (args: never, runtime: never) => unknown,
  fields: ToolFields<unknown>,
): Tool {
  return new Tool(func, fields);
}
