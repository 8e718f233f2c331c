import type { FeedbackReason } from "#contract/endpoints/scores.ts";
import type { StringKey } from "#web/i18n/translate.ts";

/** Why an answer is bad, in the order of the form. */
export const reasonKeys = {
  "not-correct": "feedback.notCorrect",
  "not-asked": "feedback.notAsked",
  "too-long": "feedback.tooLong",
  style: "feedback.style",
  unsafe: "feedback.unsafe",
  other: "feedback.other",
} as const satisfies Record<FeedbackReason, StringKey>;

export const reasons = Object.keys(reasonKeys) as FeedbackReason[];
