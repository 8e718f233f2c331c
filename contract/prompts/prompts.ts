import type { NounFacts } from "../facts/noun-facts.ts";

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
    promptsMax: 100,
    promptTitleCharacters: 60,
    promptCharacters: 16_000,
  },
  errors: {
    404: { "prompt-not-found": "This prompt doesn’t exist. It may have been deleted." },
    409: { "too-many-prompts": "You’ve reached the limit of 100 prompts. Delete one you don’t need." },
  },
  changes: ["prompts-put"],
  auditActions: ["prompt-shared", "shared-prompt-changed", "shared-prompt-removed"],
} as const satisfies NounFacts;
