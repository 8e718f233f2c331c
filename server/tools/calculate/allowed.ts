/** The functions that an expression may call. None has side effects or creates large values from small ones. */
export const allowedFunctions: ReadonlySet<string> = new Set(
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
export const allowedConstants: ReadonlySet<string> = new Set(
  "pi PI e E tau phi i true false speedOfLight gravity avogadro planckConstant boltzmann gasConstant".split(
    " ",
  ),
);

/** The operators, by mathjs's names for their functions. */
export const allowedOperators: ReadonlySet<string> = new Set(
  (
    "add subtract multiply divide pow mod unaryMinus unaryPlus factorial to percentage dotMultiply dotDivide " +
    "larger smaller largerEq smallerEq equal unequal and or not xor bitAnd bitOr bitXor bitNot leftShift rightArithShift"
  ).split(" "),
);
