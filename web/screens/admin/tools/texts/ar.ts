import type { Translation } from "#web/i18n/translation.ts";
import type { texts as english } from "./en.ts";

export const texts = {
  "webSearch.title": "البحث في الويب",
  "webSearch.about":
    "يستطيع المساعدون البحث في الويب بهذه الخدمة. يُسأل الأشخاص قبل أن تُرسل كلماتهم إليها، وتذكر كل إجابة ما أُرسل. أما الصفحات فيقرؤها هذا الخادم بنفسه.",
  "webSearch.loading": "جارٍ تحميل خدمة البحث",
  "webSearch.failed": "تعذّر تحميل خدمة البحث",
  "webSearch.service": "الخدمة",
  "webSearch.address": "عنوان خادم SearXNG لديك",
  "webSearch.addressHint":
    "مثل https://search.example.com. يجب أن تسمح إعداداته بالصيغة json (search: formats: [html, json]).",
  "webSearch.noAddress": "أدخل عنوانًا يبدأ بـ https:// أو http://.",
  "webSearch.key": "المفتاح",
  "webSearch.keyOptional": "المفتاح (اختياري)",
  "webSearch.keyHint": "يُحفظ مشفّرًا، ولا يُرسل إلا إلى هذه الخدمة.",
  "webSearch.keyStored": "يوجد مفتاح محفوظ. أدخل غيره لاستبداله.",
  "webSearch.remove": "إزالة الخدمة",
  "webSearch.removeAsk": "لن يستطيع المساعدون البحث في الويب بعد ذلك.",
  "webSearch.removed": "أُزيلت الخدمة.",
  "webSearch.testLabel": "ابحث عن",
  "webSearch.testQuery": "الطقس في هامبورغ",
  "webSearch.test": "اختبار",
  "webSearch.testing": "جارٍ البحث…",
  "webSearch.found": {
    zero: "لم يُعثر على صفحات ({seconds} ث).",
    one: "عُثر على صفحة في {seconds} ث.",
    two: "عُثر على صفحتين في {seconds} ث.",
    few: "عُثر على {count} صفحات في {seconds} ث.",
    many: "عُثر على {count} صفحة في {seconds} ث.",
    other: "عُثر على {count} صفحة في {seconds} ث.",
  },
  "webSearch.said": "قالت الخدمة: {text}",
  "webSearchProblem.unreachable": "الخدمة لا تجيب. تحقّق من العنوان ومن أن هذا الخادم يصل إليه.",
  "webSearchProblem.timeout": "استغرقت الخدمة وقتًا طويلًا.",
  "webSearchProblem.key-refused": "ترفض الخدمة المفتاح.",
  "webSearchProblem.used-up": "لم تبقَ لحساب الخدمة عمليات بحث حاليًا.",
  "webSearchProblem.json-off":
    "لا يجيب SearXNG بصيغة JSON. أضف json إلى الصيغ في ملف settings.yml ثم أعد تشغيله.",
  "webSearchProblem.private": "العنوان في شبكة هذا الخادم. لا يستطيع إدخاله إلا مالك.",
  "webSearchProblem.not-understood": "هناك ما يجيب، لكن ليس كهذه الخدمة.",
  "webSearchProblem.refused": "ترفض الخدمة البحث.",
} as const satisfies Translation<typeof english, "zero" | "one" | "two" | "few" | "many">;
