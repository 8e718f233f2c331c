import type { Translation } from "#web/i18n/translation.ts";
import type { texts as english } from "./en.ts";

export const texts = {
  "console.revoked": "أُلغي {day}",
  "console.keyFromSetting": "من الإعداد PARLANCE_API_KEY. أزله هناك أيضًا وإلا أضافه التشغيل التالي.",
  "keys.about":
    "بالمفتاح تستعمل المحرّرات والبرامج نماذج هذا الخادم ومساعديه باسمك. تحتاج إلى هذا العنوان الأساسي وإلى مفتاح:",
  "keys.baseUrl": "العنوان الأساسي",
  "keys.name": "الاسم",
  "keys.nameHint": "مثلًا: محرّري",
  "keys.create": "إنشاء مفتاح",
  "keys.secret": "مفتاحك الجديد",
  "keys.secretWhat": "انسخه الآن. لن يظهر مرة أخرى.",
  "keys.copy": "نسخ المفتاح",
  "keys.loading": "جارٍ تحميل المفاتيح",
  "keys.failed": "تعذّر تحميل المفاتيح",
  "keys.empty": "ليست لديك مفاتيح.",
  "keys.used": "استُعمل {day}",
  "keys.unused": "لم يُستعمل بعد",
  "keys.expires": "ينتهي {day}",
  "keys.expired": "انتهى {day}",
  "keys.revoke": "إلغاء",
  "keys.revokeNamed": "إلغاء {name}",
  "keys.revokeAsk": "ستتوقف البرامج التي تستعمل هذا المفتاح.",
  "keys.revoked": "أُلغي.",
} as const satisfies Translation<typeof english, "one" | "two" | "few">;
