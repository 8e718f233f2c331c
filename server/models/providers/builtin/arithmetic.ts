import { calculation, type Ask } from "./ask.ts";
import { inSigns, isExpression } from "./expression.ts";
import { currencyOf, figureOf, moneyOf } from "./figures.ts";
import { bare } from "./framing.ts";
import { shown } from "./shown.ts";

/** "what is 12 * (3 + 4)", "seven times eight", "the square root of 144", "2 + 2 =". */
export function readArithmetic(question: string): Ask | undefined {
  const phrase = inSigns(bare(question)).trim();
  return isExpression(phrase) ? ask(phrase, question) : undefined;
}

/** A calculation within words of any language: "Wieviel macht das: 3 + 4?" Only where nothing else can be meant. */
export function readEmbedded(question: string): Ask | undefined {
  if (question.length > 200) return undefined;
  const signs = inSigns(question);
  const [found, ...more] = signs.match(/[(\d√][\d\s.,()+\-−*/×÷^%]*[\d)%]/g) ?? [];
  if (found === undefined || more.length > 0) return undefined;
  const clear = /\d\s*(?:[+*×÷^]|\s[-−/]\s|%\s*\*)\s*[\d(]/.test(found);
  const asked = /[?=？]\s*$/.test(question.trim()) || /^[^\d]{0,40}:\s*[\d(]/.test(question);
  // More words than these ask for more than a sum.
  const words = signs.replace(found, " ").match(/\p{L}+/gu) ?? [];
  return clear && asked && words.length <= 5 && isExpression(found) ? ask(found.trim(), question) : undefined;
}

function ask(expression: string, question: string): Ask {
  const currency = currencyOf(question);
  return {
    calls: [calculation(expression)],
    about: expression,
    phrase([result]) {
      const { text, before } = figureOf(result);
      if (currency !== "") return `${shown(expression)} = **${moneyOf(result, currency)}**`;
      const notes = [
        ...(before === undefined ? [] : [`${before} before rounding`]),
        ...(/\blog\s*\([^,]*\)/i.test(expression)
          ? ["log is the natural logarithm; log10 is that of base 10"]
          : []),
      ];
      const note = notes.length === 0 ? "" : ` (${notes.join("; ")})`;
      return `${shown(expression)} ${before === undefined ? "=" : "≈"} **${text}**${note}`;
    },
  };
}
