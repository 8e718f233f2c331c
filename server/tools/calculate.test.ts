import * as fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import type { Json } from "#contract/json.ts";
import { createAnswerArtifacts } from "./artifacts/answer-artifacts.ts";
import { ToolError } from "./tool.ts";
import { createTools } from "./tools.ts";

const tools = createTools({ logger: { warn: () => {} } });
afterAll(async () => await tools.close());

const context = {
  signal: new AbortController().signal,
  nowMs: 0,
  workspaceId: "wsp_0",
  threadId: "thread_0",
  question: "",
  timeZone: "UTC",
  cite: () => 1,
  countCall: () => 1,
  artifacts: createAnswerArtifacts([], []),
};

async function calculate(
  args: Json,
): Promise<{ result: string; value?: number; unit?: string; exact: boolean }> {
  const tool = tools.get("calculate");
  if (tool?.run === undefined) throw new Error("no such tool");
  return (await tool.run(args, context)) as never;
}

const resultOf = async (expression: string) => (await calculate({ expression })).result;

describe("a calculation", () => {
  test.for([
    ["0.1+0.2", "0.3"],
    ["2 * (3 + 4)^2", "98"],
    ["2(3+4)", "14"],
    ["15% * 240", "36"],
    ["15% of 240", "36"],
    ["200 + 10%", "220"],
    ["59.90 - 20%", "47.92"],
    ["100 + 50 + 10%", "165"],
    ["5 + 10% of 200 + 1", "26"],
    ["2^100", "1267650600228229401496703205376"],
    ["123456789012345678 * 10", "1234567890123456780"],
    ["1/3", "0.33333333333333"],
    ["1/3*3", "1"],
    ["sqrt(2)", "1.4142135623731"],
    ["sqrt(-4)", "2i"],
    ["sin(pi)", "0"],
    ["sin(30 deg)", "0.5"],
    ["ln(e)", "1"],
    ["20!", "2432902008176640000"],
    ["123!", "1.2146304367025e+205"],
    ["1e-20", "1e-20"],
    ["17 mod 5", "2"],
    ["max(1, 2, 3)", "3"],
    ["mean(3, 5, 10)", "6"],
    ["0x1F + 1", "32"],
    ["3 > 2", "true"],
    ["[1, 2] + [3, 4]", "[4, 6]"],
    ["-0", "0"],
  ] as const)("of %j gives %j", async ([expression, result]) => {
    expect(await resultOf(expression)).toBe(result);
  });

  test.for([
    ["10 miles in km", "16.09344 km"],
    ["72 degF to celsius", "22.222222222222 celsius"],
    ["-40 °C in °F", "-40 degF"],
    ["180 cm in in", "70.866141732283 in"],
    ["2.5 cups to ml", "591.47059125 ml"],
    ["3 tbsp in tsp", "9 tsp"],
    ["1 gallon in cups", "16 cups"],
    ["100 km/h to mph", "62.137119223733 mph"],
    ["1 knot in km/h", "1.852 km/h"],
    ["10 m/s^2 * 2 kg", "20 N"],
    ["9.81 m/s² * 2 s", "19.62 m/s"],
    ["1 GiB in MB", "1073.741824 MB"],
    ["90 min in hours", "1.5 hours"],
    ["5 kilometres to miles", "3.1068559611867 miles"],
    ["3 pounds to kg", "1.36077711 kg"],
    ["1 acre in m2", "4046.8564224 m2"],
    ["1024 KB in MB", "1.024 MB"],
    ["1 KB in bytes", "1000 bytes"],
    ["12 in in cm", "30.48 cm"],
    ["1 kWh in kcal", "860.4206500956 kcal"],
    ["kB to bytes", "1000 bytes"],
    ["100 km / 2 hours", "50 km/hours"],
    ["5 ft * 3 ft", "15 ft^2"],
  ] as const)("of units: %j gives %j", async ([expression, result]) => {
    expect(await resultOf(expression)).toBe(result);
  });

  test.for([
    ["1,234,567.5 * 2", "2469135"],
    ["3 × 4 ÷ 2 − 1", "5"],
    ["5² + sqrt(16)", "29"],
    ["2**3", "8"],
    ["= 2 + 2 =", "4"],
    ["max(1,5)", "5"],
  ] as const)("accepts common notation: %j is %j", async ([expression, result]) => {
    expect(await resultOf(expression)).toBe(result);
  });

  test("returns the number, the unit, and whether it is exact", async () => {
    expect(await calculate({ expression: "10 miles in km" })).toEqual({
      expression: "10 miles in km",
      result: "16.09344 km",
      value: 16.09344,
      unit: "km",
      exact: true,
    });
    expect(await calculate({ expression: "1/3" })).toMatchObject({ exact: false });
    expect(await calculate({ expression: "1e500" })).toEqual({
      expression: "1e500",
      result: "1e+500",
      exact: true,
    });
    expect(await calculate(7)).toMatchObject({ result: "7" });
  });
});

describe("invalid expressions", () => {
  test.for([
    "zeros(1e9)",
    "ones(1000)",
    "1:1e9",
    "range(1, 1e9)",
    "random()",
    "import({}, {})",
    'import("fs")',
    "createUnit(1)",
    'evaluate("1")',
    'parse("1")',
    'simplify("x")',
    'derivative("x^2", "x")',
    "resolve(1)",
    'help("sin")',
    "config({})",
    "map([1], sin)",
    "filter([1], sin)",
    "format(1)",
    "print(1)",
    "typed(1)",
    "f(x) = x",
    "a = 1",
    "a = 1; a",
    "1; 2",
    "x.y",
    "cos.constructor",
    'cos["constructor"]',
    "[1][1]",
    "{a: 1}",
    '{"a": 1}.a',
    '"text"',
    "'text'",
    "constructor",
    "__proto__",
    "toString",
    "hasOwnProperty",
    "valueOf()",
    "this",
    "process",
    "globalThis",
    "require",
    'cos.constructor("return process")()',
    "(sin)(1)(2)",
    "sin.toString()",
    "end",
    "null",
    "undefined",
    "NaN",
    "Infinity",
    "1 + foo",
    "100 USD",
    "5 m + 3 kg",
    "5 km in kg",
    "1/0",
    "9^9^9^9",
    "0/0",
    "2 +",
    ")(",
    "",
    "   ",
    "?",
    "1".repeat(200),
    "(".repeat(500),
    `${"1+".repeat(499)}1`,
    "1+".repeat(1_000),
  ])("are refused: %j", async (expression) => {
    await expect(calculate({ expression })).rejects.toThrow(ToolError);
  });

  test.for([null, {}, [], true, { expression: null }, { expression: ["1+1"] }, { expression: { a: 1 } }])(
    "are refused with a helpful message: the arguments %j",
    async (args) => {
      await expect(calculate(args)).rejects.toThrow(
        'Give the expression as text: { "expression": "2 * (3 + 4)" }.',
      );
    },
  );

  test.for(["6 foot 2", "3 kg 4 in m", "60 mph 5", "5 m 3 kg"])(
    "are refused: a number after a unit, %j",
    async (expression) => {
      await expect(calculate({ expression })).rejects.toThrow("number follows a unit directly");
    },
  );

  test.for(["10 % -3", "50% + 50%", "100 + 10% + 5"])(
    "are refused: an ambiguous percent sign, %j",
    async (expression) => {
      await expect(calculate({ expression })).rejects.toThrow("mod(10, 3) for a remainder");
    },
  );

  test("are refused with a helpful message", async () => {
    await expect(calculate({ expression: "zeros(3)" })).rejects.toThrow(
      "The function zeros is not available.",
    );
    await expect(calculate({ expression: "100 USD" })).rejects.toThrow(
      '"USD" is not a number, unit or constant',
    );
    await expect(calculate({ expression: "1/0" })).rejects.toThrow("divided by zero");
  });
});

test("random expressions do not break the calculator", async () => {
  const signs =
    "1 2.5 - + * / ^ % ! ( ) [ ] , ; : = == . ' \" ? { } 9 0x 1e ½ √ ° sqrt( sin( pow( factorial( det( inv(";
  const words = "km to in degF i pi e mod and not constructor __proto__ cos. \0 \ud800";
  const piece = fc.constantFrom(" ", ...signs.split(" "), ...words.split(" "));
  const expressions = fc.oneof(
    fc.array(piece, { maxLength: 12 }).map((list) => list.join("")),
    fc.string({ maxLength: 60 }),
  );
  await fc.assert(
    fc.asyncProperty(expressions, async (expression) => {
      const outcome = await calculate({ expression }).then(
        ({ result }) => typeof result,
        (error: unknown) => (error instanceof ToolError ? "refused" : error),
      );
      expect(["string", "refused"], expression).toContain(outcome);
    }),
    { numRuns: 400 },
  );
  expect(await resultOf("1+1")).toBe("2");
});
