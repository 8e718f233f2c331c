import type { Translation } from "#web/i18n/translation.ts";
import type { texts as english } from "./en.ts";

export const texts = {
  "image.position": "الصورة {number} من {count}",
  "image.previous": "الصورة السابقة",
  "image.next": "الصورة التالية",
  "image.zoom": "التكبير",
  "image.zoomIn": "تكبير",
  "image.zoomOut": "تصغير",
  "image.fit": "ملاءمة النافذة",
  "image.loading": "جارٍ تحميل الصورة",
  "image.failed": "تعذّر تحميل الصورة",
  "panel.openBeside": "افتح بجانب المحادثة",
} as const satisfies Translation<typeof english, "one" | "two" | "few">;
