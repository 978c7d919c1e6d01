import type { Channel } from "./channel.ts";

/** Merges an update into a value; must not modify either. */
export type Reducer<Value, Update = Value> = (current: Value, update: Update) => Value;

/**
 * Folds the writes of a superstep into the value, in task order (LangGraph's
 * BinaryOperatorAggregate). An empty channel takes the first update as it is.
 */
export function reduced(
  reducer: Reducer<unknown, unknown>,
  initial?: () => unknown,
): Channel & { readonly reducer: Reducer<unknown, unknown> } {
  const rule = {
    kind: "BinaryOperatorAggregate",
    reducer,
    update: (current: unknown, writes: readonly unknown[]): unknown => {
      let value = current;
      for (const write of writes) value = value === undefined ? write : reducer(value, write);
      return value;
    },
  };
  return initial ? { ...rule, initial } : rule;
}
