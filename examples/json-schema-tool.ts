// A tool described by plain JSON Schema, as it comes from a file or another service.
//#region json-schema
import { tool, ToolInputParsingException } from "superstep";

const book = tool(({ room, nights }: { room: string; nights: number }) => `${room}: ${nights}`, {
  name: "book",
  description: "Books a room",
  schema: {
    type: "object",
    properties: {
      room: { type: "string" },
      nights: { type: "integer", minimum: 1, default: 1 },
    },
    required: ["room"],
    additionalProperties: false,
  },
});
console.log(await book.invoke({ room: "12", nights: 2 })); //=> 12: 2

try {
  await book.invoke({ room: "12", nights: 0 });
} catch (error) {
  if (!(error instanceof ToolInputParsingException)) throw error;
  console.log(error.message);
  //=> Received tool input did not match expected schema
  //=>
  //=> ✖ 0 is less than 1.
  //=>   → at nights
}
//#endregion json-schema
