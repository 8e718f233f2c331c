import type { NounFacts } from "../facts/noun-facts.ts";

export const retention = {
  // Its endpoints are in the chapter of the console.
  chapters: {},
  ids: {},
  limits: {
    /** Ten years. The protocol's number. */
    retentionDaysMax: 3_650,
    /** A shorter time applies a day after it was set, so that a mistake can be undone. The protocol's number. */
    retentionDelayMs: 24 * 3_600_000,
    /** A longer request, with pictures in it, is not kept. Its hash is. */
    keptRequestBytesMax: 4 * 1024 * 1024,
  },
  errors: {
    "404, other clients": {
      "run-steps-not-kept": {
        protocol: "Steps not kept",
        en: "The steps of this run are not kept.",
        ar: "لا يُحتفظ بخطوات هذا التشغيل.",
      },
    },
  },
  changes: [],
  auditActions: ["app-retention-changed"],
} as const satisfies NounFacts;
