import * as fc from "fast-check";
import type { JsonObject } from "#contract/json.ts";

/** Message contents that are easy to damage when they are stored; each must be returned unchanged. */
export const hostileContents: Record<string, JsonObject> = {
  "NUL and lone surrogates": {
    text: "a\u0000b",
    low: "\udc00x",
    high: "x\ud83d",
    turned: "\ude00\ud83d",
    ["k\u0000\ud800"]: 1,
  },
  "names that objects have already": JSON.parse(
    '{"__proto__":{"polluted":true},"constructor":{"prototype":{"x":1}},"hasOwnProperty":"no","toString":null,"":{"":""},"toJSON":"text"}',
  ) as JsonObject,
  "numbers of every kind": {
    zero: 0,
    small: 5e-324,
    large: 1.7976931348623157e308,
    tenth: 0.1,
    sum: 0.30000000000000004,
    safe: 9007199254740991,
    beyond: 9007199254740992,
    micro: 1e-7,
  },
  "nothing, in all its forms": {
    null: null,
    list: [],
    object: {},
    empty: "",
    deep: [[], [{}], [[null]]],
    false: false,
  },
  "text of every script": {
    text: "ẞ ﷽ 👩‍👩‍👧‍👦 \u202e \u2028\u2029 \ufeff é é 한 ｆ",
    quotes: "\"'`\\/\b\f\n\r\t",
    html: "<script>alert(1)</script>",
  },
  "keys in an order that means something": { b: 1, a: 2, 10: 3, 9: 4, z: { y: 1, x: 2 } },
  "SQL and JSON in text": { text: `'); drop table messages; -- $1 ? {"a":1} \\u0000 \${x}` },
  "a list of a thousand": { list: Array.from({ length: 1_000 }, (_, index) => ({ index })) },
};

/** An object that nests `levels` deep, the innermost included. */
export function nested(levels: number): JsonObject {
  let value: JsonObject = {};
  for (let level = 1; level < levels; level++) value = { in: value };
  return value;
}

/** Any JSON object, with any text, including lone surrogates and NUL. */
export const anyContent: fc.Arbitrary<JsonObject> = fc
  .dictionary(
    anyText(),
    fc
      .jsonValue({ maxDepth: 4, stringUnit: "binary" })
      .chain((value) => fc.oneof(fc.constant(value), anyText())),
    {
      maxKeys: 6,
    },
  )
  // JSON.stringify writes negative zero as 0.
  .map((value) => JSON.parse(JSON.stringify(value)) as JsonObject);

function anyText(): fc.Arbitrary<string> {
  return fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 12 })
    .map((units) => String.fromCharCode(...units));
}
