// The entry "superstep/sqlite".
export { SqliteSaver, type SqliteSaverOptions } from "./sqlite/sqlite-saver.ts";
