import type { NounFacts } from "../facts/noun-facts.ts";

/** What a rule watches. */
export const alertKinds = ["error-rate", "latency", "cost", "silence"] as const;

const alertRulesMax = 20;

/** Rules that watch the runs of an app. */
export const alerts = {
  chapters: {
    alerts: {
      title: "Alerts",
      description:
        "Rules that watch the runs of an app, every minute. An alert begins when a rule's limit is exceeded, and is over when it has not been for five minutes. Both are sent once, by e-mail and to the webhooks that chose it.",
    },
  },
  ids: { alertRule: "alert_0" },
  limits: {
    /** Per app. */
    alertRulesMax,
    /** A day. */
    alertWindowMinutesMax: 24 * 60,
    /** A week: how long a silence may be. */
    silenceMinutesMax: 7 * 24 * 60,
    /** A share or a percentile of fewer runs says little. */
    alertRunsMin: 5,
    /** 5 min: how long a limit is not exceeded before the alert is over. */
    alertCalmMs: 5 * 60_000,
  },
  errors: {
    "404, other clients": {
      "alert-rule-not-found": {
        en: "This alert rule doesn’t exist. It may have been deleted.",
        ar: "قاعدة التنبيه هذه غير موجودة. ربما حُذفت.",
      },
    },
    "409, other clients": {
      "too-many-alert-rules": {
        en: `You’ve reached the limit of ${alertRulesMax} alert rules. Delete one you don’t need.`,
        ar: `بلغت الحد وهو ${alertRulesMax} قاعدة تنبيه. احذف واحدة لا تحتاج إليها.`,
      },
    },
  },
  changes: [],
  auditActions: ["alert-rule-created", "alert-rule-changed", "alert-rule-removed"],
} as const satisfies NounFacts;
