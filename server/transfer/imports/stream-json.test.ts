import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AppError } from "#server/lib/errors.ts";
import { streamJson, type JsonItem } from "./stream-json.ts";

/** The bytes of `text`, cut where `cuts` say. */
async function* chunked(text: string | Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text as string);
  for (let from = 0; from < bytes.length; from += size)
    yield await Promise.resolve(bytes.subarray(from, from + size));
}

async function read(
  text: string | Uint8Array,
  size = 7,
  list?: string,
  max = 1_000_000,
): Promise<JsonItem[]> {
  const pieces: JsonItem[] = [];
  const options = { itemBytesMax: max, ...(list === undefined ? {} : { lists: ["other", list] }) };
  for await (const piece of streamJson(chunked(text, size), options)) pieces.push(piece);
  return pieces;
}

async function refusal(text: string | Uint8Array, size = 3, list = "list", max?: number): Promise<string> {
  return await read(text, size, list, max).then(
    (pieces) => `read ${JSON.stringify(pieces)}`,
    (error: unknown) => (error instanceof AppError ? error.code : String(error)),
  );
}

describe("a large JSON text", () => {
  test("is read piece by piece as JSON.parse reads the whole, however its bytes arrive", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(
          fc.string({ unit: "binary" }).filter((key) => key !== "list"),
          fc.jsonValue({ stringUnit: "binary" }),
        ),
        fc.array(fc.jsonValue({ stringUnit: "binary" })),
        fc.integer({ min: 1, max: 40 }),
        fc.constantFrom(undefined, 1, "\t"),
        async (members, list, size, indent) => {
          const text = JSON.stringify({ ...members, list }, undefined, indent);
          const whole = JSON.parse(text) as { list: unknown[] };
          const pieces = await read(text, size, "list");
          expect(pieces.filter((piece) => "element" in piece).map(({ element }) => element)).toEqual(
            whole.list,
          );
          const { list: _, ...rest } = whole;
          expect(
            Object.fromEntries(pieces.flatMap((piece) => ("key" in piece ? [[piece.key, piece.value]] : []))),
          ).toEqual(rest);
          expect(
            (await read(JSON.stringify(list, undefined, indent), size)).map(
              (piece) => "element" in piece && piece.element,
            ),
          ).toEqual(JSON.parse(JSON.stringify(list)));
        },
      ),
    );
  });

  test("keeps keys that objects have already, half of a pair of surrogates, and byte order marks in texts", async () => {
    const text = '\ufeff {"list": [{"__proto__": {"a": 1}, "\ufeffb": "\ufeff", "text": "\\ud800\\u0000"}] }';
    const [piece] = await read(text, 1, "list");
    expect(JSON.stringify(piece)).toBe(
      '{"element":{"__proto__":{"a":1},"\ufeffb":"\ufeff","text":"\\ud800\\u0000"},"list":"list"}',
    );
  });

  test.for([
    ["nothing", "", "bad-json"],
    ["no JSON", "Dear diary", "bad-json"],
    ["a text alone", '"x"', "bad-json"],
    ["one that ends too early", '{"list":[{"a":1},', "import-damaged"],
    ["one that ends in a text", '{"list":["a', "import-damaged"],
    ["a comma too many", '{"list":[1,]}', "bad-json"],
    ["a comma too few", '{"a":1 "b":2}', "bad-json"],
    ["an end of another kind", '{"list":[1}}', "bad-json"],
    ["two of them", '{"list":[]}{"list":[]}', "bad-json"],
    ["something after the list", '{"list":[1] 2}', "bad-json"],
    ["a member without a value", '{"list":[],"a":}', "bad-json"],
    ["bytes that are no UTF-8", Buffer.from([0x5b, 0x22, 0xff, 0x22, 0x5d]), "bad-json"],
    ["a piece that is too large", `{"list":["${"x".repeat(100)}"]}`, "too-large"],
    ["a member that is too large", `{"a":"${"x".repeat(100)}"}`, "too-large"],
    ["a piece of too many values", `[[${"0,".repeat(1_000_000)}0]]`, "too-large", 8_000_000],
    ["a piece of too many lists", `[[${"[],".repeat(600_000)}[]]]`, "too-large", 8_000_000],
    ["one that nests too deep", `[${"[".repeat(600)}${"]".repeat(600)}]`, "bad-request"],
  ] as const)(
    "is refused where it is %s",
    async ([, text, code, most = code === "too-large" ? 50 : 1_000_000]) => {
      expect(await refusal(text, text.length > 1_000 ? 65_536 : 3, "list", most)).toBe(code);
    },
  );

  test("is taken with a million values in all, in pieces that are smaller", async () => {
    const piece = `[${"0,".repeat(600_000)}0]`;
    expect(await read(`[${piece},${piece}]`, 65_536, undefined, 8_000_000)).toHaveLength(2);
  });
});
