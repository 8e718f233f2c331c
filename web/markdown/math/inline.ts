import { markdownLineEnding } from "micromark-util-character";
import type { Code, Construct, State, Tokenizer } from "micromark-util-types";
import {
  backslash,
  closing,
  dollar,
  isBlank,
  isSign,
  roundCloses,
  roundOpens,
  squareCloses,
  squareOpens,
} from "./marks.ts";

const text: Tokenizer = function (effects, ok, nok) {
  /** The second character of what opened it; `undefined` for a dollar alone. */
  let second: number | undefined;
  let last: Code = null;
  let isEmpty = true;
  let hasSign = false;
  let isInValue = false;

  return (code) => {
    effects.enter("mathInline");
    effects.enter("mathOpening");
    effects.consume(code);
    return code === dollar ? afterDollar : afterBackslash;
  };

  function afterDollar(code: Code): State | undefined {
    if (code !== dollar) return isBlank(code) ? nok(code) : begin(code);
    second = dollar;
    effects.consume(code);
    return begin;
  }

  function afterBackslash(code: Code): State | undefined {
    if (code !== roundOpens && code !== squareOpens) return nok(code);
    second = code === roundOpens ? roundCloses : squareCloses;
    effects.consume(code);
    return begin;
  }

  function begin(code: Code): State | undefined {
    if (code === dollar && second === dollar) return nok(code);
    effects.exit("mathOpening");
    return value(code);
  }

  function value(code: Code): State | undefined {
    if (code === null || (second === undefined && markdownLineEnding(code))) return nok(code);
    if (code === dollar && (second === undefined || second === dollar)) return close(code);
    if (code === backslash) {
      if (second !== undefined && second !== dollar) return effects.check(closing(second), close, take)(code);
      return take(code);
    }
    return put(code);
  }

  /** A backslash with what follows it. */
  function take(code: Code): State {
    put(code);
    return (next) => (next === null || markdownLineEnding(next) ? value(next) : put(next));
  }

  function put(code: Code): State {
    if (!isBlank(code)) isEmpty = false;
    if (isSign(code)) hasSign = true;
    last = code;
    if (markdownLineEnding(code)) {
      leaveValue();
      effects.enter("lineEnding");
      effects.consume(code);
      effects.exit("lineEnding");
      return value;
    }
    if (!isInValue) effects.enter("mathValue");
    isInValue = true;
    effects.consume(code);
    return value;
  }

  function leaveValue(): void {
    if (isInValue) effects.exit("mathValue");
    isInValue = false;
  }

  function close(code: Code): State | undefined {
    if (isEmpty || (second === undefined && isBlank(last))) return nok(code);
    if (second === squareCloses && !hasSign) return nok(code);
    leaveValue();
    effects.enter("mathClosing");
    effects.consume(code);
    return second === undefined ? afterAlone : afterFirst;
  }

  function afterAlone(code: Code): State | undefined {
    return code === dollar || isWord(code) ? nok(code) : end(code);
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

function isWord(code: Code): boolean {
  return code !== null && code > 0 && /[\p{L}\p{N}]/u.test(String.fromCodePoint(code));
}

function isBeforeWord(code: Code): boolean {
  return code !== dollar && code !== backslash && !isWord(code);
}

export const bracketsInLine: Construct = { name: "math", tokenize: text };

export const dollarsInLine: Construct = { ...bracketsInLine, previous: isBeforeWord };
