import { plainArabic } from "./arabic.ts";
import { lackInArabic, remedyInArabic, whatICanDoInArabic } from "./connect-arabic.ts";
import type { Situation } from "./connect.ts";

type Talk = { pattern: RegExp; answer(situation: Situation): string; isPleasantry?: true };

/** Of texts as `plainArabic` writes them. */
const talks: readonly Talk[] = [
  {
    pattern: /^(?:مرحبا|اهلا|اهلا وسهلا|سلام|صباح الخير|مساء الخير|تحية طيبة)(?: (?:بك|بكم|جميعا))?[\s!👋]*$/u,
    answer: (situation) => introduced("مرحبًا!", situation),
    isPleasantry: true,
  },
  {
    pattern: /^(?:ال)?سلام عليكم(?: ورحمة الله)?(?: و ?بركاته)?[\s!👋]*$/u,
    answer: (situation) => introduced("وعليكم السلام!", situation),
    isPleasantry: true,
  },
  {
    pattern: /^(?:شكرا(?: (?:جزيلا|كثيرا))?(?: (?:لك|لكم))?|الف شكر(?: لك)?|مشكور|تسلم)[\s!🙏👍]*$/u,
    answer: () => "على الرحب والسعة. اسأل متى شئت عن حساب أو نسبة أو وحدة أو تاريخ.",
    isPleasantry: true,
  },
  {
    pattern: /^(?:مع السلامة|الى اللقاء|وداعا|تصبح على خير|في امان الله)[\s!👋]*$/u,
    answer: () => "إلى اللقاء. تبقى هذه المحادثة في القائمة إن أردت العودة إليها.",
  },
  {
    pattern:
      /^(?:(?:ماذا|ما الذي|بماذا|بم) (?:يمكنك|تستطيع|بامكانك)(?: ان)?(?: (?:تفعل|تفعله|تعمل|تساعدني|تساعد|تقدم))?(?: لي)?|كيف (?:يمكنك|تستطيع) (?:ان )?(?:تساعدني|مساعدتي)|مساعدة|ساعدني)[\s!]*$/u,
    answer: (situation) =>
      `${whatICanDoInArabic(situation)}\n\nأما الأسئلة المفتوحة والكتابة والبرمجة فتحتاج إلى نموذج لغوي، ${lackInArabic(situation)}. ${remedyInArabic(situation, true)}`,
  },
  {
    pattern: /^(?:من انت|ما انت|ما اسمك|عرف بنفسك|هل انت (?:انسان|روبوت|ذكاء اصطناعي|نموذج لغوي))[\s!]*$/u,
    answer: (situation) =>
      `أنا المساعد المدمج في هذا الخادم: برنامج صغير لا نموذج لغوي.\n\n${whatICanDoInArabic(situation)}\n\n${remedyInArabic(situation, true)}`,
  },
  {
    pattern:
      /(?:اصل|اوصل|وصل|ربط|اربط|اضيف|اضافة|تثبيت|اثبت|اعداد|ضبط|اضبط|تشغيل|اشغل).{0,40}(?:نموذج|نماذج|ollama|openai)/iu,
    answer: (situation) =>
      situation.connected === undefined
        ? `لا نموذج لغويًا موصول الآن. ${remedyInArabic(situation, false)}`
        : `هناك نموذج لغوي موصول: **${situation.connected}**. ${remedyInArabic(situation, false)}`,
  },
];

/** `isPleasantry` for who writes in Arabic. */
export function isPleasantryInArabic(message: string): boolean {
  return talks.some(
    ({ pattern, isPleasantry }) => isPleasantry === true && pattern.test(plainArabic(message)),
  );
}

/** `smallTalk` for who writes in Arabic. */
export function smallTalkInArabic(message: string, situation: Situation): string | undefined {
  const text = plainArabic(message);
  return talks.find(({ pattern }) => pattern.test(text))?.answer(situation);
}

function introduced(greeting: string, situation: Situation): string {
  const lacks = situation.connected === undefined ? "، ولا نموذج لغويًا موصول بعد" : "";
  return `${greeting} أنا المساعد المدمج في هذا الخادم${lacks}.\n\n${whatICanDoInArabic(situation)}\n\n${remedyInArabic(situation, true)}`;
}
