import type { NounFacts } from "../facts/noun-facts.ts";

const promptsMax = 100;

export const prompts = {
  chapters: {
    prompts: {
      title: "Prompts",
      description:
        "Texts that people keep for their messages, and those that administrators share with everybody.",
    },
  },
  ids: { prompt: "prm_0" },
  limits: {
    /** Per person, and shared ones per app. A list has the texts of all. */
    promptsMax,
    promptTitleCharacters: 60,
    promptCharacters: 16_000,
  },
  errors: {
    "404, other clients": {
      "prompt-not-found": {
        en: "This prompt doesn’t exist. It may have been deleted.",
        ar: "هذا النص غير موجود. ربما حُذف.",
      },
    },
    "409, other clients": {
      "too-many-prompts": {
        en: `You’ve reached the limit of ${promptsMax} prompts. Delete one you don’t need.`,
        ar: `بلغت الحد وهو ${promptsMax} نص جاهز. احذف نصًا لا تحتاج إليه.`,
      },
    },
  },
  changes: ["prompts-put"],
  auditActions: ["prompt-shared", "shared-prompt-changed", "shared-prompt-removed"],
} as const satisfies NounFacts;
