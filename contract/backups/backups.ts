import type { NounFacts } from "../facts/noun-facts.ts";

/** Why a backup failed. */
export const backupProblems = [
  "target-full",
  "target-unusable",
  "target-damaged",
  "files-damaged",
  "passphrase-missing",
  "other",
] as const;
export type BackupProblem = (typeof backupProblems)[number];

/** Why a restore failed. Nothing was changed. */
export const restoreProblems = [
  "wrong-passphrase",
  "damaged",
  "newer-version",
  "target-unusable",
  "in-use",
  "disk-full",
  "other",
] as const;
export type RestoreProblem = (typeof restoreProblems)[number];

/** Encrypted backups of the whole server in a folder or a bucket. */
export const backups = {
  chapters: {
    backups: {
      title: "Backups",
      description:
        "Encrypted backups of the whole server, with its files and secrets, which it writes every day to a folder or a bucket. Each is read back before older ones are removed.",
    },
    restores: {
      title: "Restores",
      description:
        "An empty server takes over what is in a backup. Somebody who opened the owner's link, and has no account yet, can do that in the web app.",
    },
  },
  ids: {},
  limits: {
    backupPassphraseMin: 12,
    backupPassphraseMax: 1_000,
    /** Ten years. */
    backupKeepDaysMax: 3_650,
    /** Passphrases that somebody can try in a minute. */
    restoresPerMinute: 10,
  },
  errors: {
    "403, other clients": {
      "wrong-passphrase": {
        en: "This isn’t the passphrase of this backup. Nothing was changed.",
        ar: "ليست هذه عبارة مرور هذه النسخة الاحتياطية. لم يتغير شيء.",
      },
    },
    "409, other clients": {
      "backup-target-refused": {
        en: "The server can’t use this place for backups.",
        ar: "لا يستطيع الخادم استخدام هذا المكان للنسخ الاحتياطية.",
      },
      "server-not-empty": {
        en: "This server already has chats or people.",
        ar: "في هذا الخادم محادثات أو أشخاص بالفعل.",
      },
      "backups-by-settings": {
        en: "Backups are set up in the server’s environment. Change them there.",
        ar: "النسخ الاحتياطية معدّة في بيئة الخادم. غيّرها هناك.",
      },
      "backups-not-set": {
        en: "Nobody has set up backups. Choose a folder or a bucket first.",
        ar: "لم يُعدّ أحد النسخ الاحتياطية. اختر مجلدًا أو حاوية أولًا.",
      },
      "restore-not-possible": {
        en: "This server can’t restore a backup now. Use the command restore.",
        ar: "لا يستطيع هذا الخادم استعادة نسخة احتياطية الآن. استخدم الأمر restore.",
      },
    },
  },
  changes: [],
  auditActions: ["backup-settings-changed"],
} as const satisfies NounFacts;
