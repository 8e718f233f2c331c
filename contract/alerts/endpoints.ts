import * as z from "zod/mini";
import { email } from "../endpoints/account-fields.ts";
import { endpoints } from "../endpoints/endpoints.ts";
import { described, namedObject, timestamp, wholeNumber } from "../endpoints/fields.ts";
import { mailLanguage } from "../endpoints/mail.ts";
import { limits } from "../limits.ts";
import { alertKinds } from "./alerts.ts";

const kind = described(
  z.enum(alertKinds, `must be one of ${alertKinds.join(", ")}`),
  `What is watched: the share of failed runs in percent, the duration in seconds that 95 of 100 runs do not exceed (both of at least ${limits.alertRunsMin} runs), the cost in US dollars, or that no run began.`,
);
const threshold = z.number().check(z.gte(0, "must not be negative"), z.lte(1e9, "is too large"));

const fields = {
  kind,
  threshold: described(z.nullable(threshold), "The limit. Null for a silence, which has none."),
  window_minutes: described(
    wholeNumber(5, limits.silenceMinutesMax),
    "How far back is counted: at most a day, and at most a week for a silence.",
  ),
  email: described(z.nullable(email), "Who gets an e-mail; null for nobody."),
  language: described(mailLanguage, "The language of the e-mail."),
  is_on: z.boolean(),
};

export const alertRule = namedObject("AlertRule", "What is watched about the runs of an app.", {
  id: z.string(),
  ...fields,
  email: z.nullable(z.string()),
  alert_since: described(z.nullable(timestamp), "Since when there is an alert; null if there is none."),
  value: described(
    z.nullable(z.number()),
    "What was last measured; null if there were too few runs, and for a silence.",
  ),
  checked_at: z.nullable(timestamp),
  created_at: timestamp,
});
export type AlertRule = z.infer<typeof alertRule>;

const rulePut = z.object(fields);
export type AlertRulePut = z.infer<typeof rulePut>;

const common = { caller: "account", permission: "apps.manage" } as const;
const example = {
  body: {
    kind: "error-rate" as const,
    threshold: 20,
    window_minutes: 60,
    email: "ada@example.com",
    language: "en" as const,
    is_on: true,
  },
};

export const alertEndpoints = endpoints(common, {
  "alerts.list": {
    request: "GET /v1/admin/apps/{app_id}/alert-rules",
    summary: "List an app's alert rules",
    description: "Oldest first. Chats of people with an account on this server are not counted.",
    response: z.object({
      rules: z.array(alertRule),
      mail_is_set: described(z.boolean(), "Whether this server can send e-mail."),
    }),
  },
  "alerts.create": {
    request: "POST /v1/admin/apps/{app_id}/alert-rules",
    audit: "alert-rule-created",
    summary: "Create an alert rule",
    description: "Without a mail server, alerts go to webhooks alone.",
    body: rulePut,
    status: 201,
    response: z.object({ rule: alertRule }),
    errors: ["too-many-alert-rules"],
    example,
  },
  "alerts.change": {
    request: "PUT /v1/admin/apps/{app_id}/alert-rules/{alert_rule_id}",
    audit: "alert-rule-changed",
    summary: "Change an alert rule, or turn it on or off",
    description: "An alert that there is ends without a message.",
    body: rulePut,
    response: z.object({ rule: alertRule }),
    example,
  },
  "alerts.remove": {
    request: "DELETE /v1/admin/apps/{app_id}/alert-rules/{alert_rule_id}",
    audit: "alert-rule-removed",
    summary: "Delete an alert rule",
    description: "An alert that there is ends without a message.",
  },
});
