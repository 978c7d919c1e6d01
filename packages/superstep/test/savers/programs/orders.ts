/** What a test tells a worker. */
export type Order =
  | { readonly do: "claim"; readonly runId: string }
  /** Admits and claims a run, commits, and settles it. */
  | Writing<"write">
  /** The same, and keeps the claim. */
  | Writing<"hold">
  | { readonly do: "list" }
  | { readonly do: "become nobody" };

interface Writing<Kind> {
  readonly do: Kind;
  readonly threadId: string;
  readonly runId: string;
  readonly count: number;
}

/** What a worker says; `stored` comes for each checkpoint, the others at the end of an order. */
export interface Reply {
  readonly done?: boolean;
  readonly stored?: string;
  readonly claimed?: boolean;
  readonly error?: {
    readonly code: string | undefined;
    readonly fix: string | undefined;
    readonly message: string;
  };
}
