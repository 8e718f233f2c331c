import { markdownLineEnding, markdownSpace } from "micromark-util-character";
import type { Code, Construct } from "micromark-util-types";

declare module "micromark-util-types" {
  interface TokenTypeMap {
    /** A block of display math. */
    mathBlock: "mathBlock";
    /** Math within a paragraph. */
    mathInline: "mathInline";
    mathOpening: "mathOpening";
    mathValue: "mathValue";
    mathClosing: "mathClosing";
  }
}

export const dollar = 36;
export const backslash = 92;
export const [roundOpens, roundCloses, squareOpens, squareCloses] = [40, 41, 91, 93] as const;

/** Matches `$$`, `\)` or `\]`, given its second character. */
export function closing(second: number): Construct {
  return {
    partial: true,
    tokenize: (effects, ok, nok) => (code) => {
      effects.enter("mathClosing");
      effects.consume(code);
      return (next) => {
        if (next !== second) return nok(next);
        effects.consume(next);
        effects.exit("mathClosing");
        return ok;
      };
    },
  };
}

export function isBlank(code: Code): boolean {
  return code === null || markdownSpace(code) || markdownLineEnding(code);
}

/** Characters that tell math from escaped brackets in prose, such as `\[sic\]`. */
export function isMathSymbol(code: Code): boolean {
  return isOneOf(code, "\\^_={}<>+|");
}

export function isOneOf(code: Code, characters: string): boolean {
  return code !== null && code > 0 && characters.includes(String.fromCodePoint(code));
}
