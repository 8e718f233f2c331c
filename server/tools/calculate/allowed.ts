/** The functions an expression may call. None of them reads or writes anything, nor makes large things of small ones. */
export const allowedFunctions: ReadonlySet<string> = new Set(
  (
    "abs ceil floor round fix sign sqrt cbrt nthRoot pow exp expm1 log log2 log10 log1p square cube hypot mod gcd lcm " +
    "sin cos tan sec csc cot asin acos atan atan2 sinh cosh tanh asinh acosh atanh " +
    "min max mean median mode sum prod std variance mad quantileSeq range_ " +
    "factorial combinations permutations gamma isPrime " +
    "add subtract multiply divide unaryMinus unaryPlus to number bignumber re im conj arg not and or xor " +
    "larger smaller largerEq smallerEq equal unequal bitAnd bitOr bitXor bitNot leftShift rightArithShift det inv transpose dot cross"
  )
    .split(" ")
    .filter((name) => name !== "range_"),
);

/** Constants an expression may name besides units. */
export const allowedConstants: ReadonlySet<string> = new Set(
  "pi PI e E tau phi i true false speedOfLight gravity avogadro planckConstant boltzmann gasConstant".split(
    " ",
  ),
);

/** Operators by the calculator's own name. */
export const allowedOperators: ReadonlySet<string> = new Set(
  (
    "add subtract multiply divide pow mod unaryMinus unaryPlus factorial to percentage dotMultiply dotDivide " +
    "larger smaller largerEq smallerEq equal unequal and or not xor bitAnd bitOr bitXor bitNot leftShift rightArithShift"
  ).split(" "),
);
