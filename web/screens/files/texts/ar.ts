import type { Translation } from "#web/i18n/translation.ts";
import type { texts as english } from "./en.ts";

export const texts = {
  "library.threadsMore": {
    one: "محادثة أخرى",
    two: "محادثتان أخريان",
    few: "{count} محادثات أخرى",
    other: "{count} محادثة أخرى",
  },
  "library.find": "ابحث في الملفات بالاسم أو المحتوى",
  "library.sort": "ترتيب الملفات",
  "librarySort.newest": "الأحدث أولًا",
  "librarySort.name": "حسب الاسم",
  "librarySort.largest": "الأكبر أولًا",
  "library.empty": "لا توجد ملفات هنا بعد.",
  "library.emptyHint": "تظهر هنا الملفات التي ترفقها بالرسائل.",
  "library.none": "لا ملفات تطابق «{typed}».",
  "library.loading": "جارٍ تحميل الملفات",
  "library.failed": "تعذّر تحميل الملفات",
  "library.moreFailed": "تعذّر تحميل المزيد من الملفات",
  "library.unsent": "لم يُرسل، فسيُحذف بعد يوم",
  "library.thread": "افتح المحادثة «{title}»",
  "library.deleteNamed": "حذف {name}",
  "library.ask": "هل تريد حذف «{name}» نهائيًا؟ لا يمكن التراجع عن ذلك.",
  "library.askUsed": "هل تريد حذف «{name}» نهائيًا؟ سيختفي من الرسائل التي تستخدمه. لا يمكن التراجع عن ذلك.",
  "library.gone": "حُذف «{name}» نهائيًا.",
  "library.used": "تشغل ملفاتك ومحادثاتك {size}.",
  "library.usedOf": "تشغل ملفاتك ومحادثاتك {size} من {quota}.",
} as const satisfies Translation<typeof english, "one" | "two" | "few">;
