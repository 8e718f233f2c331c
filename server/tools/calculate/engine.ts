import { createRequire } from "node:module";
import type { BigNumber, MathJsInstance, MathNode, Unit } from "mathjs";
import { ToolError } from "../tool.ts";
import { allowedConstants, allowedFunctions, allowedOperators } from "./allowed.ts";
import { toNotation } from "./notation.ts";

/** What a calculation gave. `result` is for reading; `value` and `unit` are its halves, where it is one quantity. */
export type Calculation = {
  expression: string;
  result: string;
  value?: number;
  unit?: string;
  /** False where `result` is rounded. */
  exact: boolean;
};

const expressionCharactersMax = 1_000;
const nodesMax = 400;
/** Longer numbers are no sums of people. */
const numberCharactersMax = 100;
/** Calculated with 64 digits; whole numbers are printed in full while all their digits are sure. */
const precision = 64;
const wholeDigitsMax = 60;
/** Printed: 14 digits, and never fewer than 6 behind the point of a large number. */
const digits = 14;
const decimals = 6;

/**
 * Evaluates one expression. Throws `ToolError` with a sentence that says what is wrong. Every node of the expression is
 * checked against lists before anything is evaluated: no assignment, no property, no text, only the functions named in
 * `allowed.ts`. Runs for as long as it takes: the caller holds the clock.
 */
export function calculate(written: string): Calculation {
  if (written.length > expressionCharactersMax) {
    throw new ToolError(
      `The expression is too long: at most ${expressionCharactersMax} characters are calculated.`,
    );
  }
  const expression = toNotation(written);
  // The library would take the remainder.
  if (/%\s*[-+]/.test(expression))
    throw new ToolError(
      "The % may be a percentage or a remainder here. Write 10/100 for a percentage, and mod(10, 3) for a remainder.",
    );
  if (expression === "")
    throw new ToolError("The expression is empty. Give one such as 2 * (3 + 4) or 10 miles in km.");
  const math = engine();
  let node: MathNode;
  try {
    node = math.parse(expression);
  } catch (error) {
    throw new ToolError(`This is no expression that can be calculated: ${sentence(error)}`);
  }
  check(math, node);
  let value: unknown;
  try {
    value = node.compile().evaluate();
  } catch (error) {
    throw new ToolError(`This cannot be calculated: ${sentence(error)}`);
  }
  return { expression, ...print(math, value) };
}

/** Does what only the first calculation does, so that none is timed by it. */
export function warmUp(): void {
  calculate("1 km + 10 m to mi");
}

let made: MathJsInstance | undefined;

function engine(): MathJsInstance {
  made ??= make();
  return made;
}

function make(): MathJsInstance {
  // The library's bundle, one file in 60 ms; its module tree takes 900 ms.
  const library = createRequire(import.meta.url)("mathjs/lib/browser/math.js") as MathJsInstance;
  const math = (library.create as (config: object) => MathJsInstance)({ number: "BigNumber", precision });
  // Exact by definition; the library rounds some of them or lacks them. Kitchen measures are those of the US.
  const units = {
    acre: "4046.8564224 m^2",
    teaspoon: "4.92892159375 cm^3",
    tablespoon: "14.78676478125 cm^3",
    fluidounce: "29.5735295625 cm^3",
    cup: "236.5882365 cm^3",
    pint: "473.176473 cm^3",
    quart: "946.352946 cm^3",
    gallon: "3785.411784 cm^3",
    nauticalmile: "1852 m",
    lightyear: "9460730472580800 m",
    pound: "0.45359237 kg",
    mph: "1 mi/hour",
    knot: "1852/3600 m/s",
    KB: "1000 B",
    calorie: "4.184 J",
    kilocalorie: "4184 J",
  };
  for (const [name, definition] of Object.entries(units)) {
    const aliases = [`${name}s`, ...(shortNames[name] ?? [])];
    math.createUnit(name, { definition: math.evaluate(definition) as Unit, aliases }, { override: true });
  }
  // British spelling, with its prefixes: kilometres.
  math.createUnit("metre", { definition: "1 m", prefixes: "long", aliases: ["metres"] });
  return math;
}

const shortNames: Record<string, readonly string[]> = {
  teaspoon: ["tsp"],
  tablespoon: ["tbsp"],
  fluidounce: ["floz"],
  kilocalorie: ["kcal"],
};

function check(math: MathJsInstance, root: MathNode): void {
  let nodes = 0;
  root.traverse((node, path, parent) => {
    if (++nodes > nodesMax) throw new ToolError("The expression has too many parts. Calculate it in pieces.");
    const refused = refusal(math, node, path, parent);
    if (refused !== undefined) throw new ToolError(refused);
  });
}

/** Why a node may not be evaluated; `undefined` where it may. */
function refusal(math: MathJsInstance, node: MathNode, path: string, parent: MathNode): string | undefined {
  const it = node as MathNode & { fn?: unknown; name?: string; value?: unknown; op?: string };
  switch (it.type) {
    case "ParenthesisNode":
    case "ConditionalNode":
    case "RelationalNode":
    case "ArrayNode":
      return undefined;
    case "ConstantNode":
      if (typeof it.value === "string")
        return "Text cannot be calculated with; give numbers, units and functions.";
      return String(it.value).length > numberCharactersMax
        ? "A number in the expression is too long."
        : undefined;
    case "OperatorNode":
      if (isNumberBehindUnit(math, node))
        return "A number stands directly behind a unit. Put a sign between them, or name its unit too: 6 ft + 2 inch.";
      return allowedOperators.has(String(it.fn)) ? undefined : `The operator ${it.op} is not available.`;
    case "FunctionNode": {
      const callee = (it.fn as { type?: string; name?: string }) ?? {};
      const known = callee.type === "SymbolNode" && allowedFunctions.has(callee.name ?? "");
      return known ? undefined : `The function ${callee.name ?? "that is called"} is not available.`;
    }
    case "SymbolNode": {
      const name = it.name ?? "";
      if (parent?.type === "FunctionNode" && path === "fn") return undefined;
      if (allowedConstants.has(name)) return undefined;
      return isUnit(math, name)
        ? undefined
        : `"${name}" is not a number, unit or constant that can be calculated with.`;
    }
    default:
      return "Only a single expression can be calculated: no assignments, texts, ranges, objects or properties.";
  }
}

/** "6 ft 2", which the library would multiply. */
function isNumberBehindUnit(math: MathJsInstance, node: MathNode): boolean {
  const { implicit, args } = node as MathNode & { implicit?: boolean; args: MathNode[] };
  const [before, behind] = args;
  if (implicit !== true || before === undefined || behind === undefined) return false;
  let first = behind;
  while (first.type === "OperatorNode") first = (first as MathNode & { args: MathNode[] }).args[0]!;
  return (
    first.type === "ConstantNode" &&
    before.filter((part) => part.type === "SymbolNode" && isUnitSymbol(math, part)).length > 0
  );
}

function isUnitSymbol(math: MathJsInstance, node: MathNode): boolean {
  const { name = "" } = node as MathNode & { name?: string };
  return !allowedConstants.has(name) && isUnit(math, name);
}

function isUnit(math: MathJsInstance, name: string): boolean {
  // Own names only: the library looks units up in plain objects.
  if (name in Object.prototype) return false;
  return (math as unknown as { Unit: { isValuelessUnit(name: string): boolean } }).Unit.isValuelessUnit(name);
}

function print(math: MathJsInstance, value: unknown): Omit<Calculation, "expression"> {
  if (math.isUnit(value)) return printUnit(math, value);
  if (math.isBigNumber(value) || typeof value === "number") return printNumber(math.bignumber(value));
  if (typeof value === "boolean") return { result: String(value), exact: true };
  if (math.isComplex(value) || math.isMatrix(value)) {
    const result = math.format(value, { precision: digits });
    if (result.length > 2_000) throw new ToolError("The result is too large to show.");
    return { result, exact: false };
  }
  throw new ToolError("The expression does not give a number. Give a calculation such as 2 * (3 + 4).");
}

function printNumber(value: BigNumber): Omit<Calculation, "expression"> {
  const { text, exact } = printed(value);
  return { result: text, ...valued(text), exact };
}

function printUnit(math: MathJsInstance, given: Unit): Omit<Calculation, "expression"> {
  const quantity = simplified(given);
  const unit = quantity.formatUnits();
  // A unit alone ("km") is one of it.
  const number =
    quantity.value === null ? 1 : (quantity.toNumeric(unit === "" ? undefined : unit) as unknown);
  if (!math.isBigNumber(number) && typeof number !== "number")
    throw new ToolError("The result is not one quantity.");
  const { text, exact } = printed(math.bignumber(number));
  const name = unit.replaceAll(" / ", "/").replaceAll(" ^ ", "^");
  return {
    result: name === "" ? text : `${text} ${name}`,
    ...valued(text),
    ...(name === "" ? {} : { unit: name }),
    exact,
  };
}

const derivedUnits = new Set("N J W Pa Hz V ohm F C T Wb H".split(" "));

/** m kg / s^2 is N, and m s / s^2 is m / s, unless another unit was asked for. km / hour stays what it is. */
function simplified(quantity: Unit): Unit {
  const { skipAutomaticSimplification: asked, units } = quantity as unknown as {
    skipAutomaticSimplification?: boolean;
    units: { unit: { name: string; base: { key: string } }; prefix: { name: string }; power: number }[];
  };
  if (asked === true || quantity.value === null || units.length < 2) return quantity;
  const simple = quantity.simplify();
  if (derivedUnits.has(simple.formatUnits())) return simple;
  const names = new Set(units.map(({ unit, prefix }) => `${prefix.name}${unit.name}`));
  const power = units.reduce((sum, unit) => sum + unit.power, 0);
  // 5 ft * 3 ft is in square feet, whatever a system of units would make of it.
  if (names.size === 1 && power !== 0) return quantity.to(`${[...names].join("")}^${power}`);
  const bases = units.map(({ unit }) => unit.base.key);
  return new Set(bases).size < bases.length ? quantity.toSI() : quantity;
}

/** JSON knows no infinity. */
function valued(text: string): { value?: number } {
  const value = Number(text);
  return Number.isFinite(value) ? { value } : {};
}

function printed(value: BigNumber): { text: string; exact: boolean } {
  if (value.isNaN()) throw new ToolError("The result is not a number.");
  if (!value.isFinite()) throw new ToolError("The result is too large, or something was divided by zero.");
  // What is left of a zero after rounding, as in sin(pi).
  if (value.abs().lt("1e-50")) return { text: "0", exact: value.isZero() };
  const wholeDigits = Math.max(1, value.e + 1);
  if (value.isInteger() && wholeDigits <= wholeDigitsMax) return { text: value.toFixed(), exact: true };
  const plain = value.e > -8 && value.e < wholeDigitsMax;
  const rounded = value.toSignificantDigits(
    plain ? Math.max(digits, Math.min(wholeDigits + decimals, wholeDigitsMax)) : digits,
  );
  // What the last of 64 digits lost on the way is not what was asked.
  const exact = rounded.minus(value).abs().lte(value.abs().times("1e-55"));
  return { text: plain ? rounded.toFixed() : rounded.toExponential(), exact };
}

/** The library's words, shortened: they may quote the whole expression. */
function sentence(error: unknown): string {
  return (error instanceof Error ? error.message : "unknown reason").slice(0, 200);
}
