/**
 * The codec: values as text and back, exactly. A stored text is the version of the format, the data
 * as JSON, and, when something in it is more than JSON, a new line with the types as JSON (see
 * `Tag`). Types stand beside the data and never in it, so data that looks like a type is data.
 */
export { decode } from "./decode.ts";
export { encode } from "./encode.ts";
export { registerType } from "./registry.ts";
