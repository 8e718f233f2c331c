import type { Json } from "#contract/json.ts";
import { calculation, dateQuestion, numberOf, textOf, type Ask } from "./ask.ts";
import { isExpression } from "./expression.ts";
import { figureOf } from "./figures.ts";
import { shown } from "./shown.ts";

/** What a new chat offers to say in Arabic, and what is near to it: shares, days until a date, units, sums. Answered in Arabic. */
export function readArabic(question: string): Ask | undefined {
  if (question.length > questionCharactersMax || !/[\p{Script=Arabic}٠-٩۰-۹]/u.test(question))
    return undefined;
  const phrase = plainArabic(question);
  return readShare(phrase) ?? readDaysUntil(phrase) ?? readUnits(phrase) ?? readSum(phrase);
}

const questionCharactersMax = 200;

/** Whether a text is in Arabic: most of its letters are, and none that only other languages have in this script. */
export function isArabic(text: string): boolean {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const arabic = text.match(/(?=\p{L})\p{Script=Arabic}/gu)?.length ?? 0;
  return arabic > letters / 2 && !/[پچژگکیٹڈڑںھہےۓ]/u.test(text);
}

/** Without marks of vowels, with one form of alef and our own figures: people write all of them. */
export function plainArabic(text: string): string {
  return text
    .replace(/[\u064B-\u0652\u0670\u0640\u200E\u200F\u061C]/g, "")
    .replace(/[أإآ]/g, "ا")
    .replace(/[٠-٩]/g, (digit) => String(digit.charCodeAt(0) - 0x660))
    .replace(/[۰-۹]/g, (digit) => String(digit.charCodeAt(0) - 0x6f0))
    .replace(/٪/g, "%")
    .replace(/٫/g, ".")
    .replace(/٬/g, ",")
    .replace(/\s+/g, " ")
    .replace(/[\s?؟!.،:]+$/u, "")
    .trim();
}

const number = String.raw`(\d[\d,]*(?:\.\d+)?)`;
const request =
  "(?:(?:من فضلك|رجاء|كم|ما|احسب|حول|هو|هي|يساوي|تساوي|يعادل|تعادل|مقدار|نسبة|ناتج|حاصل)[،:]? )*";

const requestOnly = new RegExp(`^${request}`, "u");

/** Words for operations, between figures. */
const operations: readonly (readonly [RegExp, string])[] = [
  [/(?<=[\d)%]) ?(?:زائد|\+) ?(?=[\d(])/gu, " + "],
  [/(?<=[\d)%]) ?(?:ناقص) ?(?=[\d(])/gu, " - "],
  [/(?<=[\d)%]) ?(?:ضرب|في|مضروبا في|×) ?(?=[\d(])/gu, " * "],
  [/(?<=[\d)%]) ?(?:على|تقسيم|قسمة|مقسوما على|÷) ?(?=[\d(])/gu, " / "],
];

function readSum(phrase: string): Ask | undefined {
  const bare = phrase.replace(requestOnly, "").replace(/ ?(?:=|يساوي|تساوي)(?: ?كم)?$/u, "");
  const expression = operations.reduce((now, [pattern, sign]) => now.replace(pattern, sign), bare).trim();
  // Units and functions are for those who write them in Latin letters alone.
  if (/\p{L}/u.test(expression) || !isExpression(expression)) return undefined;
  return {
    calls: [calculation(expression)],
    about: expression,
    phrase([result]) {
      const { text, before } = figureOf(result);
      if (before === undefined) return `${shown(expression)} = **${text}**`;
      return `${shown(expression)} ≈ **${text}** (قبل التقريب: ${before})`;
    },
  };
}

const share = new RegExp(
  `^${request}${number} ?(?:%|بالمئة|بالمائة|في المئة|في المائة) (?:من )?${number}$`,
  "u",
);

function readShare(phrase: string): Ask | undefined {
  const [, percent, whole] = share.exec(phrase) ?? [];
  if (percent === undefined || whole === undefined) return undefined;
  return {
    calls: [calculation(`${whole} * ${percent}%`)],
    about: phrase,
    phrase: ([result]) => `${percent}% من ${whole} تساوي **${figureOf(result).text}**.`,
  };
}

/** Of the Gregorian year: the names of the Nile and the Gulf, and those of the Levant. */
const months = [
  ["يناير", "كانون الثاني"],
  ["فبراير", "شباط"],
  ["مارس", "اذار"],
  ["ابريل", "نيسان"],
  ["مايو", "ايار"],
  ["يونيو", "حزيران"],
  ["يوليو", "تموز"],
  ["اغسطس", "اب"],
  ["سبتمبر", "ايلول"],
  ["اكتوبر", "تشرين الاول"],
  ["نوفمبر", "تشرين الثاني"],
  ["ديسمبر", "كانون الاول"],
] as const;
const englishMonths =
  "January February March April May June July August September October November December".split(" ");

const daysUntil = new RegExp(
  `^كم (?:عدد )?(?:يوما?|الايام|ايام) ?(?:بقي|بقيت|يبقى|تبقى|متبقي|متبقية|باقي|هناك|يفصلنا)? ?(?:حتى|الى|على|عن|قبل) (\\d{1,2}) (${months.flat().join("|")})(?: (\\d{4}))?$`,
  "u",
);

function readDaysUntil(phrase: string): Ask | undefined {
  const [, day, month, year] = daysUntil.exec(phrase) ?? [];
  if (day === undefined) return undefined;
  const name = englishMonths[months.findIndex((names) => (names as readonly string[]).includes(month!))]!;
  return {
    calls: [dateQuestion({ to: [day, name, ...(year === undefined ? [] : [year])].join(" ") })],
    about: phrase,
    phrase([result]) {
      const days = numberOf(result, "days") ?? 0;
      const iso = textOf(result, "to", "date");
      const date = `${longDay.format(new Date(`${iso}T00:00:00Z`))} (${iso})`;
      if (days === 0) return `هذا هو اليوم، **${date}**.`;
      return days < 0 ? `مضى **${daysOf(-days)}** على ${date}.` : `بقي **${daysOf(days)}** حتى ${date}.`;
    },
  };
}

const longDay = new Intl.DateTimeFormat("ar-EG-u-ca-gregory-nu-latn", { dateStyle: "full", timeZone: "UTC" });
const plural = new Intl.PluralRules("ar");

/** `forms`: one, two, a few, many, and other numbers of a thing. */
export function countInArabic(
  count: number,
  forms: readonly [string, string, string, string, string],
): string {
  const at = { zero: 4, one: 0, two: 1, few: 2, many: 3, other: 4 }[plural.select(count)];
  return at < 2 ? forms[at]! : `${count} ${forms[at]!}`;
}

const daysOf = (count: number): string => countInArabic(count, ["يوم واحد", "يومان", "أيام", "يومًا", "يوم"]);

/** How people write a unit, without "ال" before it; first as it is said of a result. */
const units: Record<string, readonly string[]> = {
  mi: ["ميل", "ميلا", "أميال"],
  km: ["كيلومتر", "كيلومترا", "كيلومترات", "كم", "كلم"],
  m: ["متر", "مترا", "أمتار"],
  cm: ["سنتيمتر", "سنتيمترا", "سنتيمترات", "سم"],
  mm: ["مليمتر", "مليمترا", "مليمترات", "مم"],
  ft: ["قدم", "قدما", "أقدام"],
  in: ["بوصة", "بوصات", "إنش"],
  yd: ["ياردة", "ياردات"],
  kg: ["كيلوغرام", "كيلوغراما", "كيلوغرامات", "كيلوجرام", "كيلوجراما", "كيلوجرامات", "كيلو", "كغ", "كجم"],
  g: ["غرام", "غراما", "غرامات", "جرام", "جراما", "جرامات", "غ"],
  lb: ["رطل", "رطلا", "أرطال", "باوند"],
  oz: ["أونصة", "أونصات", "أوقية"],
  l: ["لتر", "لترا", "لترات", "ليتر", "ليترا", "ليترات"],
  ml: ["مليلتر", "مليلترا", "مليلترات", "مل"],
  gal: ["غالون", "غالونا", "غالونات", "جالون", "جالونا", "جالونات"],
  celsius: ["درجة مئوية", "مئوية", "مئوي"],
  fahrenheit: ["فهرنهايت", "درجة فهرنهايت"],
};
const unitOf = new Map(
  Object.entries(units).flatMap(([unit, names]) => names.map((name) => [plainArabic(name), { unit, name }])),
);
const unit = `(${[...unitOf.keys()].toSorted((a, b) => b.length - a.length).join("|")})`;

const conversion = new RegExp(`^${request}${number} ?${unit} (?:الى |ب|بال|في )(?:ال)?${unit}$`, "u");

function readUnits(phrase: string): Ask | undefined {
  const [, amount, from, to] = conversion.exec(phrase) ?? [];
  const [source, target] = [unitOf.get(from ?? ""), unitOf.get(to ?? "")];
  if (amount === undefined || source === undefined || target === undefined) return undefined;
  return {
    calls: [calculation(`${amount} ${source.unit} to ${target.unit}`)],
    about: phrase,
    phrase: ([result]) => `${amount} ${source.name} ${sizeOf(result, units[target.unit]![0]!)}.`,
  };
}

function sizeOf(result: Json | undefined, name: string): string {
  const { text, before } = figureOf(result);
  const figure = /^[−\d.,]+/.exec(text)?.[0];
  return `${before === undefined ? "=" : "≈"} **${figure === undefined ? text : `${figure} ${name}`}**`;
}
