import type { Translation } from "#web/i18n/translation.ts";
import type { texts as english } from "./en.ts";

export const texts = {
  "audio.play": "تشغيل",
  "audio.pause": "إيقاف مؤقت",
  "audio.position": "الموضع",
  "audio.of": "{at} من {length}",
  "audio.mute": "كتم الصوت",
  "audio.volume": "مستوى الصوت",
  "audio.speed": "السرعة {speed}",
  "file.previewFailed": "تعذّر فتح الملف",
  "file.previewLoading": "جارٍ فتح الملف",
  "file.page": "الصفحة {number} من {count}",
  "file.beginning": "تظهر بداية الملف فقط. نزّله لتقرأ بقيته.",
  "file.noPreview": "لا يمكن عرض هذا النوع من الملفات هنا.",
  "file.noText": "لا يحتوي هذا الملف على نص.",
  "file.empty": "هذا الملف فارغ.",
  "file.locked": "هذا الملف محمي بكلمة مرور، لذا لا يمكن عرض نصه.",
  "file.damaged": "هذا الملف تالف، لذا لا يمكن عرض نصه.",
  "file.tooLarge": "هذا الملف أكبر من أن يُعرض هنا.",
  "file.textAway": "نص هذا الملف غير متاح الآن. حاول مرة أخرى بعد دقيقة.",
  "file.copyBeginning": "نسخ المعروض",
  "file.rows": {
    one: "يظهر الصف الأول.",
    two: "يظهر أول صفين.",
    few: "تظهر أول {count} صفوف.",
    many: "يظهر أول {count} صفًا.",
    other: "يظهر أول {count} صف.",
  },
  "answerEdit.byHand": "عُدّلت يدويًا",
} as const satisfies Translation<typeof english, "one" | "two" | "few">;
