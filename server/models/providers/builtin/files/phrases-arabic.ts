import type { UnreadReason } from "#contract/unread-files.ts";
import { countInArabic } from "../arabic.ts";
import { lackInArabic, remedyInArabic } from "../connect-arabic.ts";
import type { FigureName, FilePhrases } from "./phrases.ts";

const before = "(?<!\\p{L})(?:و?[فبكل]?(?:ال)?|و?لل)";
/** "More than" and "more about" compare, and name no end of a row. */
const notThan = "(?! (?:من|عن)(?!\\p{L}))";
/** Without a question before it, the word for "its sum" is how many write "a group"; "collected" is no sum either. */
const sum = new RegExp(
  `${before}(?:مجموع(?:ها|هم)?|اجمالي|اجمالى|حاصل جمع)(?!\\p{L})|(?<=(?:كم|ما|احسب) )مجموعه(?!\\p{L})|(?<!\\p{L})(?:و?اجمع(?:ها)?(?= \\p{L})|نجمع)(?!\\p{L})`,
  "u",
);
/** Behind a noun with "the" the word for "average" means "modified". */
const average = new RegExp(
  `${before}(?:متوسط(?:ه|ها|هم)?|وسطي|وسط (?:ال)?حسابي|(?<!(?<!\\p{L})[وفبكل]?(?:ال|لل)\\p{L}+ (?:ال)?)معدل(?:ه|ها|هم)?)(?!\\p{L})`,
  "u",
);

/** Looked for in a text of which `plainArabic` has made one way of writing. */
export const inArabic: FilePhrases = {
  wishes: [
    { word: sum, name: "sum" },
    { word: average, name: "average" },
    { word: wish(`(?:اصغر|اقل|ادني|ادنى|ارخص)${notThan}|صغري|صغرى`), name: "smallest" },
    {
      word: wish(`(?:اكبر|اعلي|اعلى|اكثر|اقصي|اقصى|اغلي|اغلى)${notThan}|عظمي|عظمى|كبري|كبرى`),
      name: "largest",
    },
  ],

  file(name, { mediaType, sizeBytes, pages, isCut }) {
    const facts = [
      mediaType,
      sizeOf(sizeBytes),
      ...(pages === undefined ? [] : [pagesOf(pages)]),
      ...(isCut ? ["لديّ بدايته فقط"] : []),
    ];
    return `الملف **${name}** (${facts.join("، ")})`;
  },

  unread(name, { mediaType, sizeBytes, reason }) {
    const facts = [mediaType, ...(sizeBytes === undefined ? [] : [sizeOf(sizeBytes)])];
    return `الملف **${name}** (${facts.join("، ")}): ${reasons[reason]}.`;
  },

  shape({ name, rows, columns, named }) {
    const whose = name === undefined ? "" : `الورقة *${name}*: `;
    return `${whose}${rowsOf(rows)}، ${columnsOf(columns)} (${named})`;
  },

  comma: "، ",
  noText: "لا نص فيه.",
  begins: "بدايته:",

  figure({ what, column, table, value, numbers, without, isOfBeginning }) {
    const left = [
      ...(without === 0 ? [] : [`${rowsOf(without)} بلا عدد`]),
      ...(isOfBeginning ? ["من بداية الملف وحدها"] : []),
    ];
    const note = left.length === 0 ? "" : `؛ ${left.join("، ")}`;
    return `${figures[what]} **${column}** في *${table}*: **${value}** (${numbersOf(numbers)}${note}).`;
  },

  standsIn: (name) => `جاء في **${name}**:`,

  withoutModel: (situation, told) =>
    `هذا ما يمكن قراءته دون نموذج لغوي، ${lackInArabic(situation)}. ${remedyInArabic(situation, told)}`,
};

/** A word with what Arabic writes before it as one: and, by, for, the. */
function wish(words: string): RegExp {
  return new RegExp(`${before}(?:${words})(?:ه|ها|هم)?(?!\\p{L})`, "u");
}

const figures: Record<FigureName, string> = {
  sum: "مجموع",
  average: "متوسط",
  smallest: "أصغر قيمة في",
  largest: "أكبر قيمة في",
};

const reasons: Record<UnreadReason, string> = {
  gone: "لم يعد موجودًا",
  kind: "هذا النوع من الملفات لا يُقرأ هنا",
  model: "لا أستطيع قراءة هذا النوع من الملفات",
  refused: "لم يقبله مزوّد النموذج",
  locked: "لا يُفتح إلا بكلمة مرور",
  damaged: "الملف تالف ولا يمكن قراءته",
  "too-large": "أكبر من أن يُقرأ",
  "no-text": "فيه صور لنص ولا نص فيه، ولا أستطيع قراءة الصور",
  "only-pictures": "فيه صور ولا نص فيه، والصور التي في داخله لا تُقرأ هنا",
  scanned: "بعض صفحاته صور بلا نص، ولم أقرأها",
  "no-room": "تُرك لأن الملفات الأحدث شغلت المكان كله",
  partly: "لم أقرأ منه إلا بدايته",
  elsewhere: "هو في عنوان خارج هذا الخادم، ولم يُجلب",
  away: "لا يمكن قراءته الآن",
};

const rowsOf = (count: number): string => countInArabic(count, ["صف واحد", "صفان", "صفوف", "صفًا", "صف"]);
const columnsOf = (count: number): string =>
  countInArabic(count, ["عمود واحد", "عمودان", "أعمدة", "عمودًا", "عمود"]);
const numbersOf = (count: number): string =>
  countInArabic(count, ["عدد واحد", "عددان", "أعداد", "عددًا", "عدد"]);
const pagesOf = (count: number): string =>
  countInArabic(count, ["صفحة واحدة", "صفحتان", "صفحات", "صفحة", "صفحة"]);

function sizeOf(bytes: number): string {
  if (bytes < 1_000) return countInArabic(bytes, ["بايت واحد", "بايتان", "بايتات", "بايتًا", "بايت"]);
  const [unit, size] = bytes < 999_500 ? ["كيلوبايت", bytes / 1_000] : ["ميغابايت", bytes / 1_000_000];
  return `${size < 10 ? Number(size.toFixed(1)) : Math.round(size)} ${unit}`;
}
