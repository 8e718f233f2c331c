import type { Temporal } from "temporal-polyfill";
import { plainArabic } from "../arabic.ts";
import { readPeriod, type Period } from "./period.ts";
import type { Recall } from "./recall.ts";

/** What a message in Arabic wants of what was said before; of texts as `plainArabic` writes them. */
export function readRecallInArabic(message: string, today: Temporal.PlainDate): Recall | undefined {
  const text = plainArabic(message).replace(/^(?:من فضلك|رجاء|لو سمحت)،? /u, "");
  return readList(text, today) ?? readSummary(message, text) ?? readSearch(message, text, today);
}

/** How days and longer times are called, how they are written, and what `readPeriod` calls them. */
const times: readonly (readonly [names: string, written: string, inEnglish: string])[] = [
  ["اليوم|هذا اليوم", "اليوم", "today"],
  ["امس|البارحة|يوم امس", "أمس", "yesterday"],
  ["اول امس|قبل امس|اول من امس", "أول أمس", "day before yesterday"],
  ["هذا الاسبوع", "هذا الأسبوع", "this week"],
  ["الاسبوع الماضي|الاسبوع السابق", "الأسبوع الماضي", "last week"],
  ["هذا الشهر", "هذا الشهر", "this month"],
  ["الشهر الماضي|الشهر السابق", "الشهر الماضي", "last month"],
  ["هذه السنة|هذا العام", "هذا العام", "this year"],
  ["السنة الماضية|العام الماضي", "العام الماضي", "last year"],
];
const anyTime = times.map(([names]) => names).join("|");
const recently = "مؤخرا|اخيرا|حديثا|سابقا|من قبل|في الاونة الاخيرة";

const talked = "(?:تحدثنا|نتحدث|تكلمنا|نتكلم|ناقشنا|تناقشنا|دردشنا)";
const talkedOf = new RegExp(
  `^(?:عم|عما|عن ماذا|عن اي شيء|ماذا|فيم|فيما) (?:كنا )?${talked}(?: عنه)?(?: (?:${recently}|(?:في )?(${anyTime})))?$`,
  "u",
);
const listed = new RegExp(
  `^(?:(?:اعرض|اذكر|اسرد|هات|ارني|ما هي|ما)(?: لي)? )?(?:اخر )?(?:محادثاتي|محادثاتنا)(?: (?:الاخيرة|السابقة))?(?: (?:من |في |منذ )?(${anyTime}))?$`,
  "u",
);

function readList(text: string, today: Temporal.PlainDate): Recall | undefined {
  const found = talkedOf.exec(text) ?? listed.exec(text);
  if (found === null) return undefined;
  const period = periodOf(found[1], today);
  return { kind: "list", ...(period === undefined ? {} : { period }) };
}

const summaryOf = /^(?:لخص|اختصر|اجمل|اعطني ملخص|ملخص)(?: لي)? (.+)$/u;
const thisOne = /^(?:هذه المحادثة|المحادثة الحالية|محادثتنا(?: هذه)?|هذا|كل ما قلناه)$/u;
const lastOne = /^(?:محادثتي|محادثتنا|المحادثة) (?:الاخيرة|السابقة)$|^اخر محادثة(?: لي| لنا)?$/u;
const oneAbout = /^(?:المحادثة|محادثتنا|محادثتي|ما (?:قلناه|ناقشناه)) (?:عن|حول|بشان|بخصوص) (.+)$/u;

function readSummary(message: string, text: string): Recall | undefined {
  const of = summaryOf.exec(text)?.[1];
  if (of === undefined) return undefined;
  if (thisOne.test(of)) return { kind: "summary", of: "this" };
  if (lastOne.test(of)) return { kind: "summary", of: "last" };
  const query = oneAbout.exec(of)?.[1];
  return query === undefined ? undefined : { kind: "summary", of: { query: asWritten(message, query) } };
}

const said = "(?:قلت|قلنا|ذكرت|ذكرنا|كتبت|كتبنا|قررنا|ناقشنا|سالت|سالنا|اتفقنا)";
const searches: readonly RegExp[] = [
  new RegExp(
    `^(?:ماذا|ما الذي|متى|اين|لماذا|كيف|علام) ${said}(?:ه)?(?: لك)? (?:عن|حول|بشان|بخصوص|على) (.+)$`,
    "u",
  ),
  /^(?:ابحث|فتش)(?: لي)?(?: في (?:محادثاتي|محادثاتنا|المحادثات|ملاحظاتي|رسائلي|ملفاتي))? عن (.+)$/u,
  /^(?:ذكرني|هل تذكر|هل تتذكر) (?:عن |ب)?(.+)$/u,
];
const timeAtEnd = new RegExp(`^(.+?) (?:في )?(${anyTime})$`, "u");

function readSearch(message: string, text: string, today: Temporal.PlainDate): Recall | undefined {
  for (const pattern of searches) {
    const asked = pattern.exec(text)?.[1];
    if (asked === undefined) continue;
    const [, query = asked, time] = timeAtEnd.exec(asked) ?? [];
    const period = periodOf(time, today);
    return { kind: "search", query: asWritten(message, query), ...(period === undefined ? {} : { period }) };
  }
  return undefined;
}

function periodOf(time: string | undefined, today: Temporal.PlainDate): Period | undefined {
  const [, written, inEnglish] = times.find(([names]) => names.split("|").includes(time ?? "")) ?? [];
  const period = inEnglish === undefined ? undefined : readPeriod(inEnglish, today);
  return period === undefined ? undefined : { ...period, words: written! };
}

/** A piece of what `plainArabic` made of a message as the message has it, where it is whole words of it. */
function asWritten(message: string, piece: string): string {
  const words = message.split(/\s+/).filter((word) => plainArabic(word) !== "");
  const count = piece.split(" ").length;
  const at = words.findIndex((_, from) => plainArabic(words.slice(from, from + count).join(" ")) === piece);
  return at === -1
    ? piece
    : words
        .slice(at, at + count)
        .join(" ")
        .replace(/[\s?؟!.،:]+$/u, "");
}
