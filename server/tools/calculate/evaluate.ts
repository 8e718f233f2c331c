import { createRequire } from "node:module";
import type { BigNumber, MathJsInstance, MathNode, Unit } from "mathjs";
import { ToolError } from "../tool.ts";

/** `result` is for people. `value` and `unit` are its parts if it is one quantity. */
type Calculation = {
  expression: string;
  result: string;
  value?: number;
  unit?: string;
  /** False if `result` is rounded. */
  exact: boolean;
};

const expressionCharactersMax = 1_000;
const nodesMax = 400;
const numberCharactersMax = 100;
/** Significant digits in calculations. Whole numbers are shown in full while all their digits are exact. */
const precision = 64;
const wholeDigitsMax = 60;
/** Significant digits in results, with at least 6 decimals in large numbers. */
const digits = 14;
const decimals = 6;

/**
 * Evaluates one expression. Throws `ToolError` with a message. Every node of the expression is checked against the lists
 * below before anything is evaluated: no assignments, no properties, no text, no other functions. Has no time limit:
 * the caller must set one.
 */
export function calculate(written: string): Calculation {
  if (written.length > expressionCharactersMax) {
    throw new ToolError(
      `The expression is too long: at most ${expressionCharactersMax} characters are calculated.`,
    );
  }
  const expression = toNotation(written);
  // mathjs would calculate the remainder.
  if (/%\s*[-+]/.test(expression))
    throw new ToolError(
      "The % may be a percentage or a remainder here. Write 10/100 for a percentage, and mod(10, 3) for a remainder.",
    );
  if (expression === "")
    throw new ToolError("The expression is empty. Give one such as 2 * (3 + 4) or 10 miles in km.");
  const math = getEngine();
  let node: MathNode;
  try {
    node = math.parse(expression);
  } catch (error) {
    throw new ToolError(`This expression cannot be parsed: ${shortMessage(error)}`);
  }
  check(math, node);
  let value: unknown;
  try {
    value = node.compile().evaluate();
  } catch (error) {
    throw new ToolError(`This cannot be calculated: ${shortMessage(error)}`);
  }
  return { expression, ...format(math, value) };
}

/** Loads the engine, so that this does not count against the time limit of a calculation. */
export function warmUp(): void {
  calculate("1 km + 10 m to mi");
}

let engineInstance: MathJsInstance | undefined;

function getEngine(): MathJsInstance {
  engineInstance ??= createEngine();
  return engineInstance;
}

function createEngine(): MathJsInstance {
  // mathjs's bundle loads in 60 ms, its separate modules in 900 ms.
  const library = createRequire(import.meta.url)("mathjs/lib/browser/math.js") as MathJsInstance;
  const math = (library.create as (config: object) => MathJsInstance)({ number: "BigNumber", precision });
  // Exact definitions. mathjs rounds some of these units and lacks others. Kitchen measures are US ones.
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
  // British spelling, with prefixes too: kilometres.
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
    const problem = checkNode(math, node, path, parent);
    if (problem !== undefined) throw new ToolError(problem);
  });
}

/** Why a node may not be evaluated; `undefined` if it may. */
function checkNode(math: MathJsInstance, node: MathNode, path: string, parent: MathNode): string | undefined {
  const details = node as MathNode & { fn?: unknown; name?: string; value?: unknown; op?: string };
  switch (details.type) {
    case "ParenthesisNode":
    case "ConditionalNode":
    case "RelationalNode":
    case "ArrayNode":
      return undefined;
    case "ConstantNode":
      if (typeof details.value === "string")
        return "An expression cannot contain text. Give numbers, units and functions.";
      return String(details.value).length > numberCharactersMax
        ? "A number in the expression is too long."
        : undefined;
    case "OperatorNode":
      if (isNumberAfterUnit(math, node))
        return "A number follows a unit directly. Put an operator between them, or name its unit too: 6 ft + 2 inch.";
      return allowedOperators.has(String(details.fn))
        ? undefined
        : `The operator ${details.op} is not available.`;
    case "FunctionNode": {
      const callee = (details.fn as { type?: string; name?: string }) ?? {};
      const known = callee.type === "SymbolNode" && allowedFunctions.has(callee.name ?? "");
      return known ? undefined : `The function ${callee.name ?? "that is called"} is not available.`;
    }
    case "SymbolNode": {
      const name = details.name ?? "";
      if (parent?.type === "FunctionNode" && path === "fn") return undefined;
      if (allowedConstants.has(name)) return undefined;
      return isUnit(math, name) ? undefined : `"${name}" is not a number, unit or constant.`;
    }
    default:
      return "Only a single expression can be calculated: no assignments, texts, ranges, objects or properties.";
  }
}

/** "6 ft 2", which mathjs would multiply. */
function isNumberAfterUnit(math: MathJsInstance, node: MathNode): boolean {
  const { implicit, args } = node as MathNode & { implicit?: boolean; args: MathNode[] };
  const [before, after] = args;
  if (implicit !== true || before === undefined || after === undefined) return false;
  let first = after;
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
  // mathjs looks units up in plain objects.
  if (name in Object.prototype) return false;
  return (math as unknown as { Unit: { isValuelessUnit(name: string): boolean } }).Unit.isValuelessUnit(name);
}

function format(math: MathJsInstance, value: unknown): Omit<Calculation, "expression"> {
  if (math.isUnit(value)) return formatUnit(math, value);
  if (math.isBigNumber(value) || typeof value === "number") return formatNumber(math.bignumber(value));
  if (typeof value === "boolean") return { result: String(value), exact: true };
  if (math.isComplex(value) || math.isMatrix(value)) {
    const result = math.format(value, { precision: digits });
    if (result.length > 2_000) throw new ToolError("The result is too large to show.");
    return { result, exact: false };
  }
  throw new ToolError("The expression does not give a number. Give a calculation such as 2 * (3 + 4).");
}

function formatNumber(value: BigNumber): Omit<Calculation, "expression"> {
  const { text, exact } = formatDigits(value);
  return { result: text, ...valueField(text), exact };
}

function formatUnit(math: MathJsInstance, given: Unit): Omit<Calculation, "expression"> {
  const quantity = simplify(given);
  const unit = quantity.formatUnits();
  // A unit alone ("km") counts as 1 km.
  const number =
    quantity.value === null ? 1 : (quantity.toNumeric(unit === "" ? undefined : unit) as unknown);
  if (!math.isBigNumber(number) && typeof number !== "number")
    throw new ToolError("The result is not one quantity.");
  const { text, exact } = formatDigits(math.bignumber(number));
  const name = unit.replaceAll(" / ", "/").replaceAll(" ^ ", "^");
  return {
    result: name === "" ? text : `${text} ${name}`,
    ...valueField(text),
    ...(name === "" ? {} : { unit: name }),
    exact,
  };
}

const derivedUnits = new Set("N J W Pa Hz V ohm F C T Wb H".split(" "));

/** Converts m kg / s^2 to N, and m s / s^2 to m / s, unless the expression names a unit. Keeps km / hour. */
function simplify(quantity: Unit): Unit {
  const { skipAutomaticSimplification: hasTargetUnit, units } = quantity as unknown as {
    skipAutomaticSimplification?: boolean;
    units: { unit: { name: string; base: { key: string } }; prefix: { name: string }; power: number }[];
  };
  if (hasTargetUnit === true || quantity.value === null || units.length < 2) return quantity;
  const simple = quantity.simplify();
  if (derivedUnits.has(simple.formatUnits())) return simple;
  const names = new Set(units.map(({ unit, prefix }) => `${prefix.name}${unit.name}`));
  const power = units.reduce((sum, unit) => sum + unit.power, 0);
  // 5 ft * 3 ft is in square feet, not in SI units.
  if (names.size === 1 && power !== 0) return quantity.to(`${[...names].join("")}^${power}`);
  const bases = units.map(({ unit }) => unit.base.key);
  return new Set(bases).size < bases.length ? quantity.toSI() : quantity;
}

/** JSON has no infinity. */
function valueField(text: string): { value?: number } {
  const value = Number(text);
  return Number.isFinite(value) ? { value } : {};
}

function formatDigits(value: BigNumber): { text: string; exact: boolean } {
  if (value.isNaN()) throw new ToolError("The result is not a number.");
  if (!value.isFinite()) throw new ToolError("The result is too large, or something was divided by zero.");
  // Zero, except for rounding errors, as in sin(pi).
  if (value.abs().lt("1e-50")) return { text: "0", exact: value.isZero() };
  const wholeDigits = Math.max(1, value.e + 1);
  if (value.isInteger() && wholeDigits <= wholeDigitsMax) return { text: value.toFixed(), exact: true };
  const plain = value.e > -8 && value.e < wholeDigitsMax;
  const rounded = value.toSignificantDigits(
    plain ? Math.max(digits, Math.min(wholeDigits + decimals, wholeDigitsMax)) : digits,
  );
  // Ignores rounding errors in the last of the 64 digits.
  const exact = rounded.minus(value).abs().lte(value.abs().times("1e-55"));
  return { text: plain ? rounded.toFixed() : rounded.toExponential(), exact };
}

/** Shortened, because mathjs's messages may quote the whole expression. */
function shortMessage(error: unknown): string {
  return (error instanceof Error ? error.message : "unknown reason").slice(0, 200);
}

/** The functions that an expression may call. None has side effects or creates large values from small ones. */
const allowedFunctions: ReadonlySet<string> = new Set(
  (
    "abs ceil floor round fix sign sqrt cbrt nthRoot pow exp expm1 log log2 log10 log1p square cube hypot mod gcd lcm " +
    "sin cos tan sec csc cot asin acos atan atan2 sinh cosh tanh asinh acosh atanh " +
    "min max mean median mode sum prod std variance mad quantileSeq " +
    "factorial combinations permutations gamma isPrime " +
    "add subtract multiply divide unaryMinus unaryPlus to number bignumber re im conj arg not and or xor " +
    "larger smaller largerEq smallerEq equal unequal bitAnd bitOr bitXor bitNot leftShift rightArithShift det inv transpose dot cross"
  ).split(" "),
);

/** The constants that an expression may use besides units. */
const allowedConstants: ReadonlySet<string> = new Set(
  "pi PI e E tau phi i true false speedOfLight gravity avogadro planckConstant boltzmann gasConstant".split(
    " ",
  ),
);

/** The operators, by mathjs's names for their functions. */
const allowedOperators: ReadonlySet<string> = new Set(
  (
    "add subtract multiply divide pow mod unaryMinus unaryPlus factorial to percentage dotMultiply dotDivide " +
    "larger smaller largerEq smallerEq equal unequal and or not xor bitAnd bitOr bitXor bitNot leftShift rightArithShift"
  ).split(" "),
);

/** Converts typographic signs and thousands separators to the notation of mathjs. */
function toNotation(written: string): string {
  const text = signs.reduce((text, [pattern, sign]) => text.replace(pattern, sign), written.trim());
  // Within a call or a matrix a comma separates arguments.
  if (/\w\s*\([^)]*,|\[/.test(text)) return text;
  return text.replace(/(?<![\w.,])\d{1,3}(?:,\d{3})+(?![\d,])/g, (number) => number.replaceAll(",", ""));
}

const signs: readonly (readonly [RegExp, string])[] = [
  [/[×·]/g, "*"],
  [/÷/g, "/"],
  [/[−–]/g, "-"],
  [/²/g, "^2"],
  [/³/g, "^3"],
  [/π/g, "pi"],
  [/\*\*/g, "^"],
  [/%\s*of\b/gi, "% *"],
  [/\bln\s*\(/g, "log("],
  // In mathjs, `min` is a function.
  [/(?<=\d\s*)min\b(?!\s*\()/g, "minute"],
  [/°\s*(?=[CF]\b)/g, "deg"],
  [/^=\s*|\s*=$/g, ""],
];
