import { markdownLineEnding, markdownSpace } from "micromark-util-character";
import type { Code, Construct, State, Tokenizer } from "micromark-util-types";
import { backslash, closing, dollar, isOneOf, squareCloses, squareOpens } from "./marks.ts";
import { createValue, skipSpaces } from "./value.ts";

/**
 * Reads from the opening mark to the line that ends with the closing mark, or to an empty line. What the lines between
 * begin with does not matter.
 */
const block: Tokenizer = function (effects, ok, nok) {
  const { interrupt } = this;
  const value = createValue(effects);
  let second: number = dollar;
  let isFirstLine = true;
  let isEmpty = true;

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
    return (next) => (next === dollar && second === dollar ? nok(next) : inValue(next));
  }

  function inValue(code: Code): State | undefined {
    if (code === null) return end(code);
    if (markdownLineEnding(code)) {
      value.leave();
      // The first line decides whether this interrupts a paragraph.
      if (interrupt === true) return ok(code);
      isFirstLine = false;
      return effects.attempt(nextLine, inValue, end)(code);
    }
    if (code === (second === dollar ? dollar : backslash))
      return effects.check(closingAtLineEnd(second), close, take)(code);
    if (!markdownSpace(code)) isEmpty = false;
    value.put(code);
    return inValue;
  }

  /** A closing mark before the end of the first line means that this is a paragraph with inline math. */
  function take(code: Code): State | undefined {
    return isFirstLine ? effects.check(closing(second), nok, takeTwo)(code) : takeTwo(code);
  }

  /** A backslash with the character after it. */
  function takeTwo(code: Code): State {
    isEmpty = false;
    value.put(code);
    return (next) => {
      if (code !== backslash || next === null || markdownLineEnding(next)) return inValue(next);
      value.put(next);
      return inValue;
    };
  }

  function close(code: Code): State | undefined {
    if (isFirstLine && (isEmpty || (second === squareCloses && !value.hasMathSymbol()))) return nok(code);
    value.leave();
    effects.enter("mathClosing");
    effects.consume(code);
    return (next) => {
      effects.consume(next);
      effects.exit("mathClosing");
      return skipSpaces(effects, end);
    };
  }

  function end(code: Code): State | undefined {
    value.leave();
    effects.exit("mathBlock");
    return ok(code);
  }
};

/** A line of the same container that is not empty and does not start a code block. */
const nextLine: Construct = {
  partial: true,
  tokenize(effects, ok, nok) {
    const isLazy = () => this.parser.lazy[this.now().line] === true;
    const start = skipSpaces(effects, (code) =>
      code === null || markdownLineEnding(code) ? nok(code) : effects.check(fence, nok, ok)(code),
    );
    return (code) => {
      effects.enter("lineEnding");
      effects.consume(code);
      effects.exit("lineEnding");
      return (next) => (isLazy() ? nok(next) : start(next));
    };
  },
};

/** A closing mark with nothing but spaces after it. */
function closingAtLineEnd(second: number): Construct {
  return {
    partial: true,
    tokenize(effects, ok, nok) {
      const after = (code: Code) => (code === null || markdownLineEnding(code) ? ok(code) : nok(code));
      return effects.attempt(closing(second), skipSpaces(effects, after), nok);
    },
  };
}

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
