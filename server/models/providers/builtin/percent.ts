import type { Json } from "#contract/json.ts";
import { calculation, type Ask, type Call } from "./ask.ts";
import { currencyOf, figureOf, moneyOf } from "./figures.ts";
import { bare } from "./framing.ts";
import { figuresForWords } from "./number-words.ts";

const number = String.raw`[$€£¥]?\s?(\d(?:[\d.,']*\d)?)\s?[$€£¥]?`;
const percent = String.raw`(\d(?:[\d.,]*\d)?)\s?(?:%|percent|per cent|prozent)`;

type Phrase = (figure: (at: number) => string, found: RegExpExecArray) => string;

/** One way of asking about percentages: the calculations it takes, and the sentence that answers it. */
type Way = {
  pattern: RegExp;
  calls(found: RegExpExecArray): string[];
  phrase: Phrase;
  /** Whether the results are shares, which have no currency. */
  isShare: boolean;
};

function way(pattern: string, calls: Way["calls"], phrase: Phrase, isShare = false): Way {
  return { pattern: new RegExp(`^(?:${pattern})$`, "i"), calls, phrase, isShare };
}

const ways: readonly Way[] = [
  way(
    `(?:a |the )?(?:tip (?:of )?${percent}|${percent} (?:tip|gratuity)) (?:on|for|of) (?:a )?(?:bill (?:of )?)?${number}(?: (?:bill|dinner|meal))?(?:,? (?:split|divided|shared)(?: evenly)? (?:between|among|by|across) (\\d+)(?: people| persons| friends| ways)?)?`,
    ([, a, b, amount, people]) => [
      `${amount} * ${a ?? b}%`,
      `${amount} + ${a ?? b}%`,
      ...(people === undefined ? [] : [`(${amount} + ${a ?? b}%) / ${people}`]),
    ],
    (figure, [, , , , people]) =>
      `The tip is **${figure(0)}**, which makes **${figure(1)}** in all${people === undefined ? "" : `, **${figure(2)}** for each of ${people}`}.`,
  ),
  way(
    `(?:a |the )?${percent} (?:discount |reduction )?(?:off|discount on|off of|discount from|reduction on|less than) (?:of )?${number}|(?:the )?price of ${number} (?:with|after) (?:an? )?${percent} (?:off|discount|reduction)|${number} (?:with|after|at) (?:an? )?${percent} (?:off|discount|reduction)`,
    ([, p1, n1, n2, p2, n3, p3]) => [
      `${n1 ?? n2 ?? n3} - ${p1 ?? p2 ?? p3}%`,
      `${n1 ?? n2 ?? n3} * ${p1 ?? p2 ?? p3}%`,
    ],
    (figure, [, p1, , , p2, , p3]) =>
      `With ${p1 ?? p2 ?? p3}% off it is **${figure(0)}**; you save ${figure(1)}.`,
  ),
  way(
    `(?:add )?${percent} (?:vat|gst|tax|sales tax|mwst\\.?|mehrwertsteuer) (?:on|to) ${number}|${number} (?:plus|\\+|with|and|including) ${percent} (?:vat|gst|tax|sales tax|mwst\\.?|mehrwertsteuer)`,
    ([, p1, n1, n2, p2]) => [`${n1 ?? n2} + ${p1 ?? p2}%`, `${n1 ?? n2} * ${p1 ?? p2}%`],
    (figure, [, p1, , , p2]) =>
      `With ${p1 ?? p2}% tax it is **${figure(0)}**, of which ${figure(1)} is the tax.`,
  ),
  way(
    `${number} (?:without|excluding|minus|less|before|net of|ohne) (?:the )?${percent} (?:vat|gst|tax|sales tax|mwst\\.?|mehrwertsteuer)|(?:remove|take) ${percent} (?:vat|gst|tax|mwst\\.?) (?:from|off) ${number}`,
    ([, n1, p1, p2, n2]) => [
      `${n1 ?? n2} / (1 + ${p1 ?? p2}/100)`,
      `${n1 ?? n2} - ${n1 ?? n2} / (1 + ${p1 ?? p2}/100)`,
    ],
    (figure, [, , p1, p2]) =>
      `Without the ${p1 ?? p2}% tax it is **${figure(0)}**; the tax in it is ${figure(1)}.`,
  ),
  way(
    `${number} (?:is|are|as|ist|sind) (?:what|which|how many|how much|wie ?viel|a) (?:percent(?:age)?|per cent|%|prozent) (?:of|von) ${number}|(?:what|which) (?:percent(?:age)?|per cent|%) of ${number} (?:is|are) ${number}|(?:what|which) (?:percent(?:age)?|per cent|%) (?:is|are) ${number} (?:of|out of) ${number}|(?:percentage of )?${number} (?:out of|of) ${number} (?:in|as a|as) (?:percent(?:age)?|per cent|%)|${number} as (?:a )?(?:percent(?:age)?|per cent|%) of ${number}`,
    (found) => [`${part(found)} / ${whole(found)} * 100`],
    (figure, found) => `${part(found)} is **${figure(0)}%** of ${whole(found)}.`,
    true,
  ),
  way(
    `(?:the )?(?:percent(?:age)?|per cent|%) (?:change|increase|decrease|difference|growth|drop) (?:from|between) ${number} (?:to|and) ${number}`,
    ([, from, to]) => [`(${to} - ${from}) / ${from} * 100`],
    (figure, [, from, to]) =>
      `From ${from} to ${to} is a change of **${figure(0).startsWith("−") ? "" : "+"}${figure(0)}%**.`,
    true,
  ),
  way(
    `(?:increase|raise) ${number} by ${percent}|${number} (?:increased|raised) by ${percent}|${number} (?:plus|\\+) ${percent}`,
    ([, n1, p1, n2, p2, n3, p3]) => [
      `${n1 ?? n2 ?? n3} + ${p1 ?? p2 ?? p3}%`,
      `${n1 ?? n2 ?? n3} * ${p1 ?? p2 ?? p3}%`,
    ],
    (figure, [, n1, p1, n2, p2, n3, p3]) =>
      `${n1 ?? n2 ?? n3} plus ${p1 ?? p2 ?? p3}% is **${figure(0)}** (${figure(1)} more).`,
  ),
  way(
    `(?:decrease|reduce|lower) ${number} by ${percent}|${number} (?:decreased|reduced|lowered) by ${percent}|${number} (?:minus|less|-|−) ${percent}`,
    ([, n1, p1, n2, p2, n3, p3]) => [
      `${n1 ?? n2 ?? n3} - ${p1 ?? p2 ?? p3}%`,
      `${n1 ?? n2 ?? n3} * ${p1 ?? p2 ?? p3}%`,
    ],
    (figure, [, n1, p1, n2, p2, n3, p3]) =>
      `${n1 ?? n2 ?? n3} less ${p1 ?? p2 ?? p3}% is **${figure(0)}** (${figure(1)} less).`,
  ),
  way(
    `${percent} (?:of|von|de|di|do|da|van|av|af|от) ${number}`,
    ([, p, n]) => [`${n} * ${p}%`],
    (figure, [, p, n]) => `${p}% of ${n} is **${figure(0)}**.`,
  ),
  way(
    `${number} (?:is|are) ${percent} of (?:what|which)(?: number)?`,
    ([, n, p]) => [`${n} / (${p}/100)`],
    (figure, [, n, p]) => `${n} is ${p}% of **${figure(0)}**.`,
  ),
];

/** "15% of 240", "20 percent off $59.90", "18% tip on 64.50", "119 without 19% VAT", "30 is what percent of 120". */
export function readPercent(question: string): Ask | undefined {
  if (question.length > 200) return undefined;
  const phrase = figuresForWords(bare(question)).replace(/\s+/g, " ");
  const currency = currencyOf(question);
  for (const { pattern, calls, phrase: sentence, isShare } of ways) {
    const found = pattern.exec(phrase);
    if (found === null) continue;
    return {
      calls: calls(found).map((expression): Call => calculation(expression)),
      about: phrase,
      phrase(results: readonly Json[]) {
        return sentence(
          (at) => (isShare ? figureOf(results[at]).text : moneyOf(results[at], currency)),
          found,
        );
      },
    };
  }
  return undefined;
}

/** The five ways of asking for a share name part and whole in different order. */
function part(found: RegExpExecArray): string {
  return (found[1] ?? found[4] ?? found[5] ?? found[7] ?? found[9] ?? "").trim();
}

function whole(found: RegExpExecArray): string {
  return (found[2] ?? found[3] ?? found[6] ?? found[8] ?? found[10] ?? "").trim();
}
