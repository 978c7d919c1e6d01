/** What went wrong with one member of a value. */
export interface Issue {
  readonly message: string;
  /** Where in the value; a segment is a key, or an object that holds one. */
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** The value as the schema gives it back (defaults and transforms applied), or what is wrong. */
export type Validation<Value = unknown> =
  | { readonly value: Value; readonly issues?: undefined }
  | { readonly issues: readonly Issue[] };

/**
 * A schema that validates: the Standard Schema interface, which Zod, Valibot, ArkType and others
 * offer. Structural, so that no library's types are needed.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => Validation<Output> | Promise<Validation<Output>>;
    /** Carries the types and is never there. */
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** JSON Schema, as a plain object; TypeBox schemas are that too. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** What is accepted where a schema is asked for. */
export type Schema = StandardSchema | JsonSchema;

/** What a schema takes. Plain JSON Schema says nothing to the compiler; TypeBox says `static`. */
export type InputOf<S> = S extends {
  readonly "~standard": { readonly types?: { readonly input: infer Input } | undefined };
}
  ? Input
  : S extends { readonly static: infer Value }
    ? Value
    : Record<string, unknown>;

/** What a schema gives back. */
export type OutputOf<S> = S extends {
  readonly "~standard": { readonly types?: { readonly output: infer Output } | undefined };
}
  ? Output
  : S extends { readonly static: infer Value }
    ? Value
    : Record<string, unknown>;
