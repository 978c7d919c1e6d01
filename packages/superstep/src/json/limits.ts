/** How deep lists, records and what else holds values may be nested in one stored value. */
export const maxDepth = 1000;
/** The length of one stored text, in UTF-16 units. */
export const maxLength: number = 2 ** 28;
/** The version of the format that is written. */
export const version = "1";
