import { calculation, type Ask } from "./ask.ts";
import { inSigns, isExpression } from "./expression.ts";
import { currencyOf, figureOf, moneyOf } from "./figures.ts";
import { bare } from "./framing.ts";

/** "what is 12 * (3 + 4)", "seven times eight", "the square root of 144", "2 + 2 =". */
export function readArithmetic(question: string): Ask | undefined {
  const phrase = inSigns(bare(question)).trim();
  if (isExpression(phrase)) return ask(phrase, question);
  const inside = embedded(question);
  return inside === undefined ? undefined : ask(inside, question);
}

function ask(expression: string, question: string): Ask {
  const currency = currencyOf(question);
  return {
    calls: [calculation(expression)],
    about: expression,
    phrase([result]) {
      const { text, before } = figureOf(result);
      if (currency !== "") return `${shown(expression)} = **${moneyOf(result, currency)}**`;
      return `${shown(expression)} ${before === undefined ? "=" : "≈"} **${text}**${before === undefined ? "" : ` (${before} before rounding)`}`;
    },
  };
}

/** Markdown would read stars as emphasis. */
function shown(expression: string): string {
  const signs = expression.replace(/\s*\*\s*/g, " × ").replace(/\s*÷\s*/g, " ÷ ").replace(/(?<=[\d)])\s*-\s*(?=[\d(])/g, " − ");
  return signs.replace(/([_`~[\]|<>\\])/g, "\\$1");
}

/** A calculation within words of any language: "Wieviel macht das: 3 + 4?" Only where nothing else can be meant. */
function embedded(question: string): string | undefined {
  if (question.length > 200) return undefined;
  const [found, ...more] = inSigns(question).match(/[(\d√][\d\s.,()+\-−*/×÷^%]*[\d)%]/g) ?? [];
  if (found === undefined || more.some((other) => /[+*×÷^]/.test(other))) return undefined;
  const clear = /\d\s*(?:[+*×÷^]|\s[-−/]\s|%\s*\*)\s*[\d(]/.test(found);
  const asked = /[?=？]\s*$/.test(question.trim()) || /^[^\d]{0,40}:\s*[\d(]/.test(question);
  return clear && asked && more.length === 0 && isExpression(found) ? found.trim() : undefined;
}
