import type { LanguageTag } from "../i18n/languages.ts";

/** `{name}` is filled in. */
export type MailText = { subject: string; lines: readonly string[]; button?: string; foot?: string };

export type MailKind =
  | "reset"
  | "invitation"
  | "confirm"
  | "deletion"
  | "export"
  | "test"
  | "alert-error-rate"
  | "alert-latency"
  | "alert-cost"
  | "alert-silence"
  | "alert-ended"
  | "backup-failed"
  | "backups-work";

/** The messages that the server sends by e-mail. */
export const mailTexts: Record<LanguageTag, Record<MailKind, MailText>> = {
  en: {
    reset: {
      subject: "Set a new password",
      lines: [
        "Somebody asked for a new password for your account at {server}.",
        "This link works once, within an hour:",
      ],
      button: "Set a new password",
      foot: "If it wasn’t you, ignore this message. Your password stays as it is.",
    },
    invitation: {
      subject: "{inviter} invited you to {server}",
      lines: [
        "{inviter} invited you to create an account at {server}.",
        "This link works once, within seven days:",
      ],
      button: "Create your account",
      foot: "If you don’t know who this is, ignore this message.",
    },
    confirm: {
      subject: "Confirm your e-mail address",
      lines: [
        "Somebody asked for an account at {server} with this e-mail address.",
        "Open this link within a day and sign in the way you chose:",
      ],
      button: "Sign in",
      foot: "If it wasn’t you, ignore this message.",
    },
    deletion: {
      subject: "Your account at {server} has been deleted",
      lines: [
        "An administrator of {server} has deleted your account. In seven days, everything in it is gone.",
        "Until then you can sign in to download your chats and files:",
      ],
      button: "Sign in",
    },
    export: {
      subject: "Your data at {server} has been exported",
      lines: [
        "The operator of {server} has exported your chats and files, with a command on the server’s machine.",
        "Settings say when. If you don’t know why, ask the operator.",
      ],
      button: "Show your data",
    },
    test: {
      subject: "Test message from {server}",
      lines: ["This server can send e-mail. Nothing else is needed."],
    },
    "alert-error-rate": {
      subject: "{app}: {value} % of runs failed",
      lines: [
        "In the last {minutes} minutes, {value} % of the runs of {app} at {server} failed. The limit is {limit} %.",
      ],
      button: "Show alerts",
      foot: "You get another message when this is over.",
    },
    "alert-latency": {
      subject: "{app}: runs take {value} s",
      lines: [
        "In the last {minutes} minutes, 5 of 100 runs of {app} at {server} took {value} s or longer. The limit is {limit} s.",
      ],
      button: "Show alerts",
      foot: "You get another message when this is over.",
    },
    "alert-cost": {
      subject: "{app}: runs cost ${value}",
      lines: [
        "In the last {minutes} minutes, the runs of {app} at {server} cost ${value}. The limit is ${limit}.",
      ],
      button: "Show alerts",
      foot: "You get another message when this is over.",
    },
    "alert-silence": {
      subject: "{app}: no runs",
      lines: ["No run of {app} at {server} began in the last {minutes} minutes."],
      button: "Show alerts",
      foot: "You get another message when this is over.",
    },
    "alert-ended": {
      subject: "{app}: the alert is over",
      lines: ["An alert about the runs of {app} at {server} is over."],
      button: "Show alerts",
    },
    "backup-failed": {
      subject: "A backup of {server} failed",
      lines: ["A backup of {server} failed. The server tries again, and keeps the older backups."],
      button: "Show why",
      foot: "You get another message when backups work again.",
    },
    "backups-work": {
      subject: "Backups of {server} work again",
      lines: ["A backup of {server} is complete, after others had failed."],
      button: "Show backups",
    },
  },
  ar: {
    reset: {
      subject: "تعيين كلمة مرور جديدة",
      lines: ["طلب أحدهم كلمة مرور جديدة لحسابك على {server}.", "يعمل هذا الرابط مرة واحدة خلال ساعة:"],
      button: "تعيين كلمة مرور جديدة",
      foot: "إن لم تكن أنت من طلب ذلك فتجاهل هذه الرسالة. تبقى كلمة مرورك كما هي.",
    },
    invitation: {
      subject: "دعاك {inviter} إلى {server}",
      lines: ["دعاك {inviter} إلى إنشاء حساب على {server}.", "يعمل هذا الرابط مرة واحدة خلال سبعة أيام:"],
      button: "إنشاء حسابك",
      foot: "إن كنت لا تعرف المرسل فتجاهل هذه الرسالة.",
    },
    confirm: {
      subject: "تأكيد عنوان بريدك",
      lines: [
        "طلب أحدهم حسابًا على {server} بعنوان البريد هذا.",
        "افتح هذا الرابط خلال يوم وسجّل الدخول بالطريقة التي اخترتها:",
      ],
      button: "تسجيل الدخول",
      foot: "إن لم تكن أنت من طلب ذلك فتجاهل هذه الرسالة.",
    },
    deletion: {
      subject: "حُذف حسابك على {server}",
      lines: [
        "حذف أحد المديرين على {server} حسابك. بعد سبعة أيام يزول كل ما فيه.",
        "يمكنك حتى ذلك الحين تسجيل الدخول لتنزيل محادثاتك وملفاتك:",
      ],
      button: "تسجيل الدخول",
    },
    export: {
      subject: "صُدّرت بياناتك على {server}",
      lines: [
        "صدّر مشغّل {server} محادثاتك وملفاتك بأمر على جهاز الخادم.",
        "تجد الموعد في الإعدادات. إن كنت لا تعرف السبب فاسأل المشغّل.",
      ],
      button: "عرض بياناتك",
    },
    test: {
      subject: "رسالة تجريبية من {server}",
      lines: ["يستطيع هذا الخادم إرسال البريد. لا يلزم شيء آخر."],
    },
    "alert-error-rate": {
      subject: "{app}: فشل {value}٪ من التشغيلات",
      lines: ["في آخر {minutes} دقيقة فشل {value}٪ من تشغيلات {app} على {server}. الحد {limit}٪."],
      button: "عرض التنبيهات",
      foot: "تصلك رسالة أخرى حين ينتهي ذلك.",
    },
    "alert-latency": {
      subject: "{app}: تستغرق التشغيلات {value} ث",
      lines: [
        "في آخر {minutes} دقيقة استغرق 5 من كل 100 تشغيل من {app} على {server} مدة {value} ث أو أكثر. الحد {limit} ث.",
      ],
      button: "عرض التنبيهات",
      foot: "تصلك رسالة أخرى حين ينتهي ذلك.",
    },
    "alert-cost": {
      subject: "{app}: كلفة التشغيلات {value}$",
      lines: ["في آخر {minutes} دقيقة كلّفت تشغيلات {app} على {server} مبلغ {value}$. الحد {limit}$."],
      button: "عرض التنبيهات",
      foot: "تصلك رسالة أخرى حين ينتهي ذلك.",
    },
    "alert-silence": {
      subject: "{app}: لا تشغيلات",
      lines: ["لم يبدأ أي تشغيل من {app} على {server} في آخر {minutes} دقيقة."],
      button: "عرض التنبيهات",
      foot: "تصلك رسالة أخرى حين ينتهي ذلك.",
    },
    "alert-ended": {
      subject: "{app}: انتهى التنبيه",
      lines: ["انتهى تنبيه عن تشغيلات {app} على {server}."],
      button: "عرض التنبيهات",
    },
    "backup-failed": {
      subject: "فشلت نسخة احتياطية من {server}",
      lines: ["فشلت نسخة احتياطية من {server}. سيحاول الخادم مرة أخرى، ويحتفظ بالنسخ الأقدم."],
      button: "عرض السبب",
      foot: "تصلك رسالة أخرى حين تعمل النسخ الاحتياطية من جديد.",
    },
    "backups-work": {
      subject: "عادت النسخ الاحتياطية من {server} إلى العمل",
      lines: ["اكتملت نسخة احتياطية من {server} بعد فشل سابقاتها."],
      button: "عرض النسخ الاحتياطية",
    },
  },
};
