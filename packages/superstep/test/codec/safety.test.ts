import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { HumanMessage, SuperstepError } from "superstep";
import { describe, expect, test } from "vitest";
import { decode, encode, registerType } from "../../src/json/codec.ts";
import { corrupt, decodedOrRefused, expectExact, refusal } from "./world.ts";

const pristine = Reflect.ownKeys(Object.prototype);

describe("data is never taken for a type", () => {
  test("SEC-01: data that looks like an envelope of anybody's stays data", () => {
    process.env["SECRET_FOR_TEST"] = "sesame";
    const message = new HumanMessage({
      content: "x",
      response_metadata: { lc: 1, type: "secret", id: ["SECRET_FOR_TEST"] },
    });
    const values = [
      message,
      { lc: 1, type: "constructor", id: ["langchain", "Date"], kwargs: {} },
      { type: "Buffer", data: [1, 2] },
      { type: "human", content: "hi" },
      [0, [0, 1], "Date"],
      ["Map", 0, "Date"],
      'Date\n"Date"',
      '1null\n"undefined"',
      { $date: 1, $ref: "#", __type: "Set", "@@type": 1 },
    ];
    for (const value of values) expectExact(value);
    expectExact(values);
    expect(encode(values)).not.toContain("sesame");
  });

  test("SEC-15: an own __proto__ is a key, escaped or not, at every level", () => {
    for (const text of ['1{"__proto__":{"x":1}}', '1{"\\u005f_proto__":{"x":1}}']) {
      const value = decode(text) as object;
      expect(Object.keys(value)).toEqual(["__proto__"]);
      expect((value as { x?: number }).x).toBeUndefined();
    }
    const inside = JSON.parse('{"a":{"__proto__":{"x":1}},"__proto__":[1]}') as object;
    expectExact({ inside, at: new Date(1) });
    expectExact([Object.assign(JSON.parse('{"__proto__":1}') as object, { at: undefined })]);
    const value = decode('1{"__proto__":1}\n["null-prototype","__proto__","Date"]') as object;
    expect(Object.getPrototypeOf(value)).toBeNull();
    expect(Reflect.ownKeys(value)).toEqual(["__proto__"]);
  });
});

describe("a text that is no stored value is refused", () => {
  test.each<[string, unknown, string]>([
    ["nothing", "", "is empty"],
    ["no text", undefined, "A stored value is a text: got undefined"],
    ["bytes", new Uint8Array(2), "A stored value is a text"],
    ["plain JSON", '{"a":1}', "has no format version"],
    ["a later format", "2null", "has format 2; this version of superstep reads format 1"],
    ["cut data", '1{"a":', "The data of the stored text cannot be read"],
    ["cut types", '1{"a":1}\n[0,"a"', "The types of the stored text cannot be read"],
    [
      "CHK-09: an unknown type",
      '1{"a":{}}\n[0,"a","Envelope"]',
      'value.a has the type "Envelope", which is not known here',
    ],
    ["a name from Object.prototype", '1{}\n"constructor"', 'has the type "constructor"'],
    ["another name from there", '1{}\n"__proto__"', 'has the type "__proto__"'],
    ["a global", '1"return 1"\n"Function"', 'has the type "Function"'],
    [
      "types of a missing key",
      '1{"a":1}\n[0,"b","Date"]',
      'value has a type for "b", which is no field of it',
    ],
    ["types of an inherited key", '1{"a":1}\n[0,"toString","Date"]', "which is no field of it"],
    ["types of an index outside", '1[1]\n[0,1,"Date"]', "no place in a list of 1"],
    ["a range outside", '1[1]\n[0,[0,5],"Date"]', "no place in a list of 1"],
    ["a huge range", '1[1]\n[0,[0,1e15],"Date"]', "no place in a list of 1"],
    ["a negative index", '1[1]\n[0,-1,"Date"]', "no place in a list of 1"],
    ["a name in a list", '1[1]\n[0,"length","Date"]', "no place in a list of 1"],
    ["a place that is named twice", '1[1]\n[0,0,"Date",0,"Date"]', "no place in a list"],
    ["a key that is named twice", '1{"a":1}\n[0,"a","Date","a","Date"]', "no field of it"],
    ["types inside a text", '1"abc"\n[0,0,"Date"]', "has types for what is inside"],
    ["a type without pairs", '1[]\n["Set"]', "has a type that cannot be read"],
    ["a tag of the wrong kind", "1[]\n5", "has a type that cannot be read"],
    ["a number as a type", '1[1]\n[7,0,"Date"]', "has a type that cannot be read"],
    ["a Date of text", '1["x"]\n[0,0,"Date"]', 'value[0] is no Date: "x"'],
    ["a Date out of range", '11e20\n"Date"', "value is no Date"],
    ["a BigInt of words", '1"1x"\n"bigint"', "value is no bigint"],
    ["a map with a key alone", '1[1]\n"Map"', "value is no Map"],
    ["a set of a record", '1{}\n"Set"', "value is no Set"],
    ["an expression that does not parse", '1["(",""]\n"RegExp"', "value could not be made"],
    ["an address that does not parse", '1"x"\n"URL"', "value could not be made"],
    ["bytes that are not base64", '1"a?=="\n"Uint8Array"', "value is no Uint8Array"],
    ["bytes that were cut", '1"aGk"\n"Buffer"', "value is no Buffer"],
    ["padding in the middle", '1"aG=="\n"x"', "is not known here"],
    ["bytes that make no whole elements", '1"aGk="\n"Float64Array"', "value is no Float64Array"],
    ["an error of an unknown class", '1{"class":"Socket"}\n"Error"', "value is no Error"],
    [
      "an error of ours without a code",
      '1{"class":"superstep.error"}\n"Error"',
      "value is no Error",
    ],
    ["an error without a class", '1{}\n"Error"', "value is no Error"],
    ["a message without a type", '1{"content":"x"}\n"message"', "value could not be made"],
    [
      "a message of an inherited type",
      '1{"content":"x","type":"toString"}\n"message"',
      "could not be made",
    ],
    ["a message without content", '1{"type":"human"}\n"message"', "value could not be made"],
    [
      "a message with a field that none has",
      '1{"type":"human","content":"","getType":1}\n"message"',
      "could not be made",
    ],
    [
      "a message with a prototype",
      '1{"type":"human","content":"","__proto__":{}}\n"message"',
      "could not be made",
    ],
    [
      "a chunk that is no answer",
      '1{"type":"human","content":""}\n"AIMessageChunk"',
      "could not be made",
    ],
    ["a send to nowhere", '1{"args":1}\n"Send"', "value could not be made"],
    ["a send of nothing", '1null\n"Send"', "value could not be made"],
    ["a command with unknown fields", '1{"graph":1}\n"Command"', "value could not be made"],
    ["a reference that nobody gave", '1"messages"\n"ref"', 'value refers to "messages"'],
  ])("%s", (_, text, problem) => {
    expect(corrupt(text)).toContain(problem);
    expect(Reflect.ownKeys(Object.prototype)).toEqual(pristine);
  });

  test("a reference to what there is not", () => {
    const action = () => decode('1["x"]\n[0,0,"ref"]', { refs: () => undefined });
    expect(refusal(action, "CORRUPT_CHECKPOINT").message).toContain('value[0] refers to "x"');
  });

  test("a type cannot lead into an object that is referred to", () => {
    const live = { at: 5 };
    for (const tag of ['["ref","at","Date"]', '[0,"a","ref","a",[0,"at","Date"]]']) {
      expect(() => decode(`1{"a":"x"}\n${tag}`, { refs: () => live })).toThrow(SuperstepError);
    }
    expect(live).toEqual({ at: 5 });
  });

  test("types that are nested too deep", () => {
    const deep = (open: string, close: string) => open.repeat(5000) + close.repeat(5000);
    const tag = `${"[0,0,".repeat(5000)}"Date"${"]".repeat(5000)}`;
    expect(corrupt(`1${deep("[", "]")}\n${tag}`)).toContain("a type that cannot be read");
  });

  test("a deep text without types is only data", () => {
    const depth = 50_000;
    let value = decode(`1${"[".repeat(depth)}${"]".repeat(depth)}`) as unknown[];
    let levels = 1;
    while (value.length > 0) {
      value = value[0] as unknown[];
      levels++;
    }
    expect(levels).toBe(depth);
  });
});

test("a registered type cannot take the name of a built-in one", () => {
  const type = { name: "Date", mark: Symbol("x"), encode: () => ({}), decode: () => ({}) };
  expect(refusal(() => registerType(type), "INVALID_OPTION").message).toContain("Date");
});

describe("format 1 loads for ever", () => {
  const corpus = readFileSync(join(import.meta.dirname, "corpus/format-1.txt"), "utf8");
  const entries = corpus
    .trimEnd()
    .split("\n\n")
    .map((entry) => {
      const [name = "", ...lines] = entry.split("\n");
      return [name.replace("# ", ""), lines.join("\n")] as const;
    });

  test.each(entries)("%s", async (name, text) => {
    const { values } = await import("./corpus/format-1.ts");
    expect(decode(text)).toStrictEqual(values[name]);
    expect(encode(values[name])).toBe(text); // a new format gets a corpus of its own
  });

  test("no value of the corpus is without a text", async () => {
    const { values } = await import("./corpus/format-1.ts");
    expect(Object.keys(values)).toEqual(entries.map(([name]) => name));
  });
});

describe("whatever the text is", () => {
  const seeds = [
    encode({ a: [new Date(1), new Date(2)], m: new Map([[1n, new Set([-0])]]), e: new Error("x") }),
    encode([new HumanMessage("hi"), new HumanMessage({ content: "x", id: "1" })]),
    encode({ bytes: new Uint16Array([1, 2]), u: undefined, re: /x/g, url: new URL("a:b") }),
  ];
  const bits = fc.constantFrom(
    '"__proto__"',
    '"constructor"',
    "[",
    "]",
    "0",
    "1e9",
    "null",
    '"Map"',
    ",",
    "\n",
    "{",
    "}",
    '"Error"',
    '"message"',
    '"ref"',
    "[0,1]",
  );

  test("a mutated text gives a value or an error of ours, and changes no prototype", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...seeds),
        fc.array(fc.tuple(fc.nat(400), fc.nat(6), fc.oneof(bits, fc.string({ maxLength: 4 }))), {
          minLength: 1,
          maxLength: 4,
        }),
        (seed, edits) => {
          let text = seed;
          for (const [at, drop, put] of edits)
            text = text.slice(0, at) + put + text.slice(at + drop);
          expectSafe(text);
        },
      ),
      { numRuns: 3000 },
    );
  });

  test("any data with any types beside it", () => {
    const key = fc.oneof(
      fc.nat(3),
      fc.constantFrom("a", "__proto__", "constructor", "type"),
      fc.tuple(fc.nat(2), fc.nat(4)),
    );
    const type = fc.constantFrom(
      "Date",
      "Map",
      "Set",
      "Error",
      "message",
      "AIMessageChunk",
      "Send",
      "Command",
      "RegExp",
      "null-prototype",
      "bigint",
      "undefined",
      "NaN",
      "Buffer",
      "ref",
    );
    const { tag } = fc.letrec<{ tag: unknown }>((tie) => ({
      tag: fc.oneof(
        type,
        fc.tuple(fc.oneof(type, fc.constant(0)), key, tie("tag")),
        fc.tuple(fc.oneof(type, fc.constant(0)), key, tie("tag"), key, tie("tag")),
      ),
    }));
    const { data } = fc.letrec<{ data: unknown }>((tie) => ({
      data: fc.oneof(
        fc.constantFrom(1, "x", "aGk=", null, "__proto__"),
        fc.array(tie("data"), { maxLength: 4 }),
        fc.dictionary(
          fc.constantFrom("a", "__proto__", "constructor", "type", "content", "node", "class"),
          tie("data"),
        ),
      ),
    }));
    fc.assert(
      fc.property(data, tag, (value, types) => {
        expectSafe(`1${JSON.stringify(value)}\n${JSON.stringify(types)}`);
      }),
      { numRuns: 3000 },
    );
  });
});

function expectSafe(text: string): void {
  decodedOrRefused(text, () => Object.freeze([]));
  expect(Reflect.ownKeys(Object.prototype)).toEqual(pristine);
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
}
