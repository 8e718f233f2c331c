import type { Translation } from "#web/i18n/translation.ts";
import type { texts as english } from "./en.ts";

export const texts = {
  "select.askDelete": {
    one: "هل تريد حذف محادثة واحدة نهائيًا؟ لا يمكن التراجع عن ذلك.",
    two: "هل تريد حذف محادثتين نهائيًا؟ لا يمكن التراجع عن ذلك.",
    few: "هل تريد حذف {count} محادثات نهائيًا؟ لا يمكن التراجع عن ذلك.",
    other: "هل تريد حذف {count} محادثة نهائيًا؟ لا يمكن التراجع عن ذلك.",
  },
  "trash.hint": "تُحذف المحادثات في سلة المحذوفات نهائيًا بعد ثلاثين يومًا.",
  "trash.empty": "سلة المحذوفات فارغة.",
  "trash.emptyHint": "تبقى المحادثات المحذوفة هنا ثلاثين يومًا.",
  "trash.failed": "تعذّر تحميل سلة المحذوفات",
  "trash.deletePermanently": "حذف نهائي",
  "trash.deletePermanentlyThis": "حذف «{title}» نهائيًا",
  "trash.emptyIt": "إفراغ السلة",
  "trash.askOne": "هل تريد حذف «{title}» نهائيًا؟ لا يمكن التراجع عن ذلك.",
  "trash.askAll": "هل تريد حذف كل ما في السلة نهائيًا؟ لا يمكن التراجع عن ذلك.",
  "trash.goneOne": "حُذفت «{title}» نهائيًا.",
  "trash.goneAll": {
    zero: "لم تُحذف أي محادثة.",
    one: "حُذفت محادثة واحدة نهائيًا.",
    two: "حُذفت محادثتان نهائيًا.",
    few: "حُذفت {count} محادثات نهائيًا.",
    other: "حُذفت {count} محادثة نهائيًا.",
  },
  "archive.empty": "لا توجد محادثات مؤرشفة.",
  "archive.emptyHint": "أرشِف محادثة من قائمتها لإخفائها من الشريط الجانبي من دون حذفها.",
  "archive.failed": "تعذّر تحميل الأرشيف",
  "archive.restoreThis": "استعادة «{title}»",
  "archive.deleteThis": "حذف «{title}»",
} as const satisfies Translation<typeof english, "one" | "two" | "few">;
