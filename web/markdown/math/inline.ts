import { markdownLineEnding } from "micromark-util-character";
import type { Code, Construct, Point, State, TokenizeContext, Tokenizer } from "micromark-util-types";
import {
  backslash,
  closing,
  dollar,
  isBlank,
  isOneOf,
  roundCloses,
  roundOpens,
  squareCloses,
  squareOpens,
} from "./marks.ts";
import { createValue } from "./value.ts";

/** Closing marks that a text does not contain. It is searched to its end once for each of them, not for every opening mark. */
const unclosed = new WeakMap<TokenizeContext, Set<Code>>();

const text: Tokenizer = function (effects, ok, nok) {
  const slice = (from: Point) => this.sliceSerialize({ start: from, end: this.now() });
  const missingMarks = unclosed.get(this) ?? new Set();
  unclosed.set(this, missingMarks);
  const value = createValue(effects);
  let begins: Point;
  /** The second character of the closing mark; `undefined` for a single dollar. */
  let second: number | undefined;
  let last: Code = null;
  let isEmpty = true;

  return (code) => {
    effects.enter("mathInline");
    effects.enter("mathOpening");
    effects.consume(code);
    return code === dollar ? afterDollar : afterBackslash;
  };

  function afterDollar(code: Code): State | undefined {
    if (code !== dollar) return isBlank(code) || isOneOf(code, ")]},.;:!?|") ? nok(code) : begin(code);
    second = dollar;
    effects.consume(code);
    return begin;
  }

  function afterBackslash(code: Code): State | undefined {
    if (code !== roundOpens && code !== squareOpens) return nok(code);
    second = code === roundOpens ? roundCloses : squareCloses;
    if (missingMarks.has(second)) return nok(code);
    effects.consume(code);
    return begin;
  }

  function begin(code: Code): State | undefined {
    if (code === dollar && second === dollar) return nok(code);
    begins = effects.exit("mathOpening").end;
    return inValue(code);
  }

  function inValue(code: Code): State | undefined {
    if (code === null) {
      if (second !== undefined) missingMarks.add(second);
      return nok(code);
    }
    if (second === undefined && markdownLineEnding(code)) return nok(code);
    if (code === dollar && (second === undefined || second === dollar)) return close(code);
    if (code === backslash) {
      if (second !== undefined && second !== dollar) return effects.check(closing(second), close, take)(code);
      return take(code);
    }
    return put(code);
  }

  /** A backslash with the character after it. */
  function take(code: Code): State {
    put(code);
    return (next) => (next === null || markdownLineEnding(next) ? inValue(next) : put(next));
  }

  function put(code: Code): State {
    if (!isBlank(code)) isEmpty = false;
    last = code;
    if (markdownLineEnding(code)) {
      value.leave();
      effects.enter("lineEnding");
      effects.consume(code);
      effects.exit("lineEnding");
      return inValue;
    }
    value.put(code);
    return inValue;
  }

  function close(code: Code): State | undefined {
    if (isEmpty || (second === undefined && !mayEnd())) return nok(code);
    if (second === squareCloses && !value.hasMathSymbol()) return nok(code);
    value.leave();
    effects.enter("mathClosing");
    effects.consume(code);
    return second === undefined ? afterAlone : afterFirst;
  }

  function mayEnd(): boolean {
    return !isBlank(last) && !isOneOf(last, "([") && !isPrice(slice(begins));
  }

  function afterAlone(code: Code): State | undefined {
    return isWord(code) || isOneOf(code, "${(") ? nok(code) : end(code);
  }

  function afterFirst(code: Code): State | undefined {
    if (code !== second) return nok(code);
    effects.consume(code);
    return end;
  }

  function end(code: Code): State | undefined {
    effects.exit("mathClosing");
    effects.exit("mathInline");
    return ok(code);
  }
};

/** Letters of scripts that separate words by spaces, and digits. */
function isWord(code: Code): boolean {
  return code !== null && code > 0 && /[\p{Script=Latin}\p{N}]/u.test(String.fromCodePoint(code));
}

/** Such as "$5 and 10$": a number and a word, and no TeX. */
function isPrice(value: string): boolean {
  return /^\d/.test(value) && !value.includes("\\") && /(?<![^\s(])\p{L}{2,}(?!\S)/u.test(value);
}

function isBeforeWord(code: Code): boolean {
  return code !== dollar && code !== backslash && !isWord(code);
}

export const bracketsInLine: Construct = { name: "math", tokenize: text };

export const dollarsInLine: Construct = { ...bracketsInLine, previous: isBeforeWord };
