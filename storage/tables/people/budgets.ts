import { bigint, text } from "../../schema/column.ts";
import { table } from "../../schema/table.ts";
import { usageTriggers } from "./usage-triggers.ts";

/**
 * How much people may use: everyone, those of a role, those of apps, the members of a group together, or one person. The
 * id is that of the group or the person, or one of `commonBudgets`.
 */
export const budgets = table("budgets", {
  columns: {
    id: text().primaryKey(),
    group_id: text().nullable().references("user_groups", "cascade"),
    user_id: text().nullable().references("users", "cascade"),
    /** JSON of `BudgetLimits`. */
    limits: text(),
    updated_at: bigint(),
  },
  indexes: {
    budgets_of_groups: "group_id",
    budgets_of_users: "user_id",
  },
  backup: "in backup",
});

/** What requests outside of runs reserve of budgets until they end. Runs have theirs in their row. */
export const budgetReservations = table("budget_reservations", {
  columns: {
    id: text().primaryKey(),
    app_id: text(),
    workspace_id: text(),
    user_id: text(),
    tokens: bigint(),
    cost_micros: bigint(),
    lease_owner: text(),
    lease_expires_at: bigint(),
  },
  indexes: {
    budget_reservations_of_users: "user_id",
  },
  // Requests in progress, which a restore does not continue.
  backup: "rebuilt",
});

/**
 * What the requests of somebody used on a day or in a month in UTC (`2026-01-31`, `2026-01`), and those of guests
 * together, without an app. Triggers keep it.
 */
export const usageSums = table("usage_sums", {
  columns: {
    user_id: text(),
    period: text(),
    app_id: text(),
    tokens: bigint(),
    cost_micros: bigint(),
  },
  withoutRowid: true,
  constraints: ["primary key (user_id, period, app_id)"],
  triggers: usageTriggers,
  // They rebuild the sums while the requests are restored.
  backup: "rebuilt",
});
