import { bigint, integer, real, text } from "../../schema/column.ts";
import { table } from "../../schema/table.ts";

/** What is watched about the runs of apps. */
export const alertRules = table("alert_rules", {
  since: "0058-webhooks",
  columns: {
    id: text().primaryKey(),
    app_id: text().references("apps", "cascade"),
    kind: text<"error-rate" | "latency" | "cost" | "silence">(),
    /** Percent, seconds or US dollars; null for a silence. */
    threshold: real().nullable(),
    window_minutes: integer(),
    email: text().nullable(),
    language: text(),
    is_on: integer(),
    /** When it was created or changed: a silence begins later. */
    changed_at: bigint(),
    /** When it is measured next. */
    due_at: bigint(),
    checked_at: bigint().nullable(),
    value: real().nullable(),
    /** When the alert began; null while there is none. */
    alert_since: bigint().nullable(),
    /** Since when the limit is not exceeded any longer. */
    calm_since: bigint().nullable(),
    /** The e-mail that is not sent yet, and since when. */
    mail_due: text<"started" | "ended">().nullable(),
    mail_due_since: bigint().nullable(),
    created_at: bigint(),
  },
  indexes: {
    alert_rules_of_app: "app_id, created_at",
    alert_rules_due: { on: "due_at", where: "is_on = 1" },
  },
  backup: "in backup",
});
