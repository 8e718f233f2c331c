import { markdownLineEnding, markdownSpace } from "micromark-util-character";
import type { Code, Construct, State, Tokenizer } from "micromark-util-types";
import { backslash, closing, dollar, isOneOf, isMathSymbol, squareCloses, squareOpens } from "./marks.ts";

/**
 * Reads from the opening mark to the line that ends with the closing mark, or to an empty line. What the lines between
 * begin with does not matter.
 */
const block: Tokenizer = function (effects, ok, nok) {
  const { interrupt, parser } = this;
  const now = () => this.now().line;
  let second: number = dollar;
  let isFirstLine = true;
  let isEmpty = true;
  let hasMathSymbol = false;
  let isInValue = false;

  return (code) => {
    effects.enter("mathBlock");
    effects.enter("mathOpening");
    effects.consume(code);
    return code === dollar ? afterDollar : afterBackslash;
  };

  function afterDollar(code: Code): State | undefined {
    return code === dollar ? opened(code) : nok(code);
  }

  function afterBackslash(code: Code): State | undefined {
    if (code !== squareOpens) return nok(code);
    second = squareCloses;
    return opened(code);
  }

  function opened(code: Code): State | undefined {
    effects.consume(code);
    effects.exit("mathOpening");
    return (next) => (next === dollar && second === dollar ? nok(next) : value(next));
  }

  function value(code: Code): State | undefined {
    if (code === null) return end(code);
    if (markdownLineEnding(code)) {
      leaveValue();
      // The first line decides whether this interrupts a paragraph.
      if (interrupt === true) return ok(code);
      isFirstLine = false;
      return effects.attempt({ partial: true, tokenize: nextLine }, value, end)(code);
    }
    if (code === (second === dollar ? dollar : backslash))
      return effects.check({ partial: true, tokenize: lastOnLine }, close, take)(code);
    if (!markdownSpace(code)) isEmpty = false;
    put(code);
    return value;
  }

  /** A closing mark before the end of the first line means that this is a paragraph with inline math. */
  function take(code: Code): State | undefined {
    return isFirstLine ? effects.check(closing(second), nok, takeTwo)(code) : takeTwo(code);
  }

  /** A backslash with the character after it. */
  function takeTwo(code: Code): State {
    isEmpty = false;
    put(code);
    return (next) => {
      if (code !== backslash || next === null || markdownLineEnding(next)) return value(next);
      put(next);
      return value;
    };
  }

  function put(code: Code): void {
    if (!isInValue) effects.enter("mathValue");
    isInValue = true;
    if (isMathSymbol(code)) hasMathSymbol = true;
    effects.consume(code);
  }

  function leaveValue(): void {
    if (isInValue) effects.exit("mathValue");
    isInValue = false;
  }

  function close(code: Code): State | undefined {
    if (isFirstLine && (isEmpty || (second === squareCloses && !hasMathSymbol))) return nok(code);
    leaveValue();
    effects.enter("mathClosing");
    effects.consume(code);
    return (next) => {
      effects.consume(next);
      effects.exit("mathClosing");
      return trail;
    };
  }

  function trail(code: Code): State | undefined {
    if (!markdownSpace(code)) return end(code);
    effects.enter("whitespace");
    effects.consume(code);
    effects.exit("whitespace");
    return trail;
  }

  function end(code: Code): State | undefined {
    leaveValue();
    effects.exit("mathBlock");
    return ok(code);
  }

  /** A line of the same container that is not empty and does not start a code block. */
  function nextLine(...[lineEffects, lineOk, lineNok]: Parameters<Tokenizer>): State {
    return (code) => {
      lineEffects.enter("lineEnding");
      lineEffects.consume(code);
      lineEffects.exit("lineEnding");
      return (next) => (parser.lazy[now()] === true ? lineNok(next) : start(next));
    };

    function start(code: Code): State | undefined {
      if (code === null || markdownLineEnding(code)) return lineNok(code);
      if (!markdownSpace(code)) return lineEffects.check(fence, lineNok, lineOk)(code);
      lineEffects.enter("whitespace");
      lineEffects.consume(code);
      lineEffects.exit("whitespace");
      return start;
    }
  }

  function lastOnLine(...[lineEffects, lineOk, lineNok]: Parameters<Tokenizer>): State {
    return lineEffects.attempt(closing(second), after, lineNok);

    function after(code: Code): State | undefined {
      if (code === null || markdownLineEnding(code)) return lineOk(code);
      if (!markdownSpace(code)) return lineNok(code);
      lineEffects.enter("whitespace");
      lineEffects.consume(code);
      lineEffects.exit("whitespace");
      return after;
    }
  }
};

const fence: Construct = {
  partial: true,
  tokenize: (effects, ok, nok) => (first) => {
    let length = 0;
    if (!isOneOf(first, "`~")) return nok(first);
    effects.enter("data");
    return mark(first);

    function mark(code: Code): State | undefined {
      if (code !== first) return nok(code);
      effects.consume(code);
      length++;
      if (length < 3) return mark;
      effects.exit("data");
      return ok;
    }
  },
};

export const mathBlock: Construct = { name: "math", concrete: true, tokenize: block };
