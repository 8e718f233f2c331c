import { markdownSpace } from "micromark-util-character";
import type { Code, Effects, State } from "micromark-util-types";
import { isMathSymbol } from "./marks.ts";

/** The tokens of the text between the marks. */
export function createValue(effects: Effects) {
  let isOpen = false;
  let hasMathSymbol = false;
  return {
    hasMathSymbol: () => hasMathSymbol,
    put(code: Code): void {
      if (!isOpen) effects.enter("mathValue");
      isOpen = true;
      if (isMathSymbol(code)) hasMathSymbol = true;
      effects.consume(code);
    },
    leave(): void {
      if (isOpen) effects.exit("mathValue");
      isOpen = false;
    },
  };
}

/** Consumes spaces and tabs, if there are any. */
export function skipSpaces(effects: Effects, next: State): State {
  return function skip(code) {
    if (!markdownSpace(code)) return next(code);
    effects.enter("whitespace");
    effects.consume(code);
    effects.exit("whitespace");
    return skip;
  };
}
