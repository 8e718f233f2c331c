import type { NounFacts } from "../facts/noun-facts.ts";

/** The events that an app's backend can be told of. */
export const webhookEvents = [
  "run.ended",
  "run.failed",
  "feedback.given",
  "thread.created",
  "file.stored",
  "alert.started",
  "alert.ended",
  "backup.made",
  "backup.failed",
] as const;
export type WebhookEvent = (typeof webhookEvents)[number];

const webhooksMax = 10;

/** Webhooks tell an app's backend what happened. */
export const webhooks = {
  chapters: {
    webhooks: {
      title: "Webhooks",
      description:
        "Requests that this server sends to an app's backend when something happened. They have ids and no text, and are signed as Standard Webhooks says (https://www.standardwebhooks.com): `webhook-id` is the same for every attempt, `webhook-timestamp` is that of the attempt, and `webhook-signature` has a signature for each secret that counts. A response with a status from 200 to 299 confirms the delivery.",
    },
  },
  ids: { webhook: "hook_0" },
  limits: {
    /** Per app. */
    webhooksMax,
    webhookUrlCharacters: 2_000,
    /** A day: how long the former secret of a webhook still signs. */
    webhookSecretOverlapMs: 24 * 60 * 60_000,
    /** A week: how long deliveries are listed. */
    webhookDeliveriesKeptMs: 7 * 24 * 60 * 60_000,
    webhookDeliveryPage: 50,
    /** 15 s: how long the target has for its whole response. */
    webhookTimeoutMs: 15_000,
    /** What is kept of a response. */
    webhookResponseBytes: 500,
  },
  errors: {
    "404, other clients": {
      "webhook-not-found": {
        en: "This webhook doesn’t exist. It may have been deleted.",
        ar: "خطاف الويب هذا غير موجود. ربما حُذف.",
      },
      "delivery-not-found": {
        en: "This delivery doesn’t exist. It may have been deleted.",
        ar: "هذا الإرسال غير موجود. تُحفظ الإرسالات سبعة أيام.",
      },
    },
    "409, other clients": {
      "too-many-webhooks": {
        en: `You’ve reached the limit of ${webhooksMax} webhooks. Delete one you don’t need.`,
        ar: `بلغت الحد وهو ${webhooksMax} خطافات ويب. احذف واحدًا لا تحتاج إليه.`,
      },
      "webhook-off": {
        en: "This webhook is off. Turn it on first.",
        ar: "خطاف الويب هذا متوقف. شغّله أولًا.",
      },
    },
  },
  changes: [],
  auditActions: [
    "webhook-created",
    "webhook-changed",
    "webhook-removed",
    "webhook-secret-rotated",
    "webhook-switched-off",
  ],
} as const satisfies NounFacts;
