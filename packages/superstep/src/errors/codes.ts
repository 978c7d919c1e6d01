/**
 * Every code an error of this package can carry. The codes are stable; the wording of a message is
 * not. `docs/errors.md` has one section for each.
 */
export const errorCodes = [
  "AGGREGATE_TASK_FAILURE",
  "DUPLICATE_NODE",
  "EMPTY_INPUT",
  "GRAPH_RECURSION_LIMIT",
  "INVALID_CONCURRENT_GRAPH_UPDATE",
  "INVALID_EDGE",
  "INVALID_GRAPH_NODE_RETURN_VALUE",
  "INVALID_INPUT",
  "INVALID_NODE",
  "INVALID_NODE_NAME",
  "INVALID_OPTION",
  "INVALID_STATE",
  "MISSING_ENTRY_POINT",
  "ROUTE_OUT_OF_RANGE",
  "RUN_CANCELLED",
  "STATE_KEY_CONFLICT",
  "UNKNOWN_NODE",
  "UNKNOWN_OPTION",
  "UNKNOWN_STATE_KEY",
  "UNKNOWN_STREAM_MODE",
  "UNREACHABLE_NODE",
] as const;

export type ErrorCode = (typeof errorCodes)[number];
