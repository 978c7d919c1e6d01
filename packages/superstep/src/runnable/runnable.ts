/** Anything that turns an input into an output: a model, a prompt, a chain of both. */
export interface Runnable<Input = never, Output = unknown> {
  readonly name?: string | undefined;
  invoke(input: Input, options?: RunnableOptions): Output | Promise<Output>;
}

/** What a runnable is given beside its input; a node's runtime fits. */
export interface RunnableOptions {
  readonly signal?: AbortSignal | undefined;
}

/** A function as a runnable. */
export class RunnableLambda<Input, Output> implements Runnable<Input, Output> {
  readonly name: string;
  readonly func: (input: Input, options: RunnableOptions) => Output | Promise<Output>;

  /** `name` defaults to the function's. */
  constructor(
    func: (input: Input, options: RunnableOptions) => Output | Promise<Output>,
    name: string = func.name,
  ) {
    this.func = func;
    this.name = name;
  }

  invoke(input: Input, options: RunnableOptions = {}): Output | Promise<Output> {
    return this.func(input, options);
  }
}

/** Runnables one after another: the output of each is the input of the next. */
export class RunnableSequence<Input = never, Output = unknown> implements Runnable<Input, Output> {
  readonly name = "RunnableSequence";
  readonly steps: readonly Runnable[];

  constructor(steps: readonly Runnable[]) {
    this.steps = Object.freeze([...steps]);
  }

  /** `prompt`, then `model`, and so on: `RunnableSequence.from([prompt, model])`. */
  static from<In, Out>(steps: readonly Runnable[]): RunnableSequence<In, Out> {
    return new RunnableSequence<In, Out>(steps);
  }

  async invoke(input: Input, options?: RunnableOptions): Promise<Output> {
    let value: unknown = input;
    for (const step of this.steps) value = await step.invoke(value as never, options);
    return value as Output;
  }
}

/** Whether `value` can be invoked. */
export function isRunnable(value: unknown): value is Runnable<unknown> {
  return (
    typeof value === "object" &&
    value !== null &&
    "invoke" in value &&
    typeof value.invoke === "function"
  );
}
