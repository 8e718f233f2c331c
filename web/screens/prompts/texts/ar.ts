import type { Translation } from "#web/i18n/translation.ts";
import type { texts as english } from "./en.ts";

export const texts = {
  "prompts.about": "نصوص تستخدمها كثيرًا. اكتب / ثم العنوان في الرسالة لإدراج أحدها.",
  "prompts.loading": "جارٍ تحميل نصوصك الجاهزة",
  "prompts.failed": "تعذّر تحميل نصوصك الجاهزة",
  "prompts.empty": "ليس لديك نصوص جاهزة بعد.",
  "prompts.new": "نص جاهز جديد",
  "prompts.edit": "تعديل النص الجاهز",
  "prompts.shared": "للجميع",
  "prompts.actions": "إجراءات {title}",
  "prompts.copy": "نسخ إلى نصوصي الجاهزة",
  "prompts.copied": "نُسخ «{title}» إلى نصوصك الجاهزة.",
  "prompts.deleted": "حُذف «{title}».",
  "prompts.saved": "حُفظ «{title}».",
  "prompts.missing": "لا يمكنك تعديل هذا النص",
  "prompts.missingText": "ربما حُذف، أو يشاركه أحد المديرين.",
  "prompts.titleLabel": "العنوان",
  "prompts.titleHint": "به تجد النص عندما تكتب / في الرسالة.",
  "prompts.noTitle": "اكتب عنوانًا للنص.",
  "prompts.textLabel": "النص",
  "prompts.textHint": "تُسأل عن قيمة كل {variable} عند استخدام النص.",
  "prompts.textPlaceholder": "مثلًا: ترجم هذا إلى {language} بأسلوب ودّي:",
  "prompts.noText": "اكتب النص.",
  "prompts.share": "يمكن للجميع استخدامه",
  "prompts.shareHint": "وإلا فلن يراه غيرك.",
} as const satisfies Translation<typeof english, "one" | "two" | "few">;
