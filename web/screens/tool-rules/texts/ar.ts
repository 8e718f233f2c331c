import type { Translation } from "#web/i18n/translation.ts";
import type { texts as english } from "./en.ts";

export const texts = {
  "toolRules.title": "متى تُستخدم الأدوات",
  "toolRules.aboutOwn":
    "يسأل المساعدون قبل أن يغيّروا شيئًا أو يرسلوا شيئًا خارج هذا الخادم. هنا تختار غير ذلك لنفسك. ولا يمكنك إلغاء ما يشترطه المسؤول.",
  "toolRules.about":
    "يسأل المساعدون قبل أن يغيّروا شيئًا أو يرسلوا شيئًا خارج هذا الخادم. هنا تختار غير ذلك. إذا انطبقت عدة قواعد فالأشد هي المعتمدة، ولا يمكن للأشخاص إلغاؤها.",
  "toolRules.loading": "جارٍ تحميل الأدوات",
  "toolRules.failed": "تعذّر تحميل الأدوات",
  "toolRules.for": "القواعد لـ",
  "toolRules.everybody": "الجميع",
  "toolRules.group": "المجموعة {name}",
  "toolRules.assistant": "المساعد {name}",
  "toolRules.ruleOf": "متى تُستخدم {name}",
  "toolRules.none": "كالمعتاد",
  "toolRules.always": "دائمًا دون سؤال",
  "toolRules.ask": "السؤال كل مرة",
  "toolRules.never": "أبدًا",
  "toolRules.reads": "تقرأ فقط على هذا الخادم: لا تسأل",
  "toolRules.writes": "تغيّر شيئًا: تسأل",
  "toolRules.sendsTo": "ترسل إلى {place}: تسأل",
  "toolRules.writesAt": "ترسل إلى {place} وتغيّر شيئًا هناك: تسأل",
  "toolRules.other": "من خادم أدوات",
  "toolName.calculate": "الحاسبة",
  "toolName.date": "التواريخ والأوقات",
  "toolName.ask_person": "أسئلة إليك",
  "toolName.artifact": "الصفحات والبرامج",
  "toolName.search_threads": "البحث في محادثاتك",
  "toolName.list_threads": "قائمة محادثاتك",
  "toolName.read_thread": "محادثاتك الأخرى",
  "toolName.search_web": "البحث في الويب",
  "toolName.read_page": "قارئ الصفحات",
  "toolRules.steps": "خطوات كل إجابة",
  "toolRules.stepsHint": "كل مرة يستخدم فيها النموذج الأدوات ثم يتابع هي خطوة. بعدها تنتهي الإجابة.",
} as const satisfies Translation<typeof english, "one" | "two" | "few">;
