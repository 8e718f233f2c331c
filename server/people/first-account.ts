import type { BudgetLimits } from "#contract/accounts/budgets.ts";
import type { OpenTo } from "#contract/endpoints/accounts.ts";
import { limits } from "#contract/limits.ts";
import type { Tx } from "#storage/database/database.ts";
import { recordAudit, type Actor } from "#server/audit/audit.ts";
import { putBudget } from "./budgets/rows.ts";
import { turnOffUndecided } from "#server/apps/anonymous-tokens.ts";
import { putGuests } from "./accounts/policy.ts";

/**
 * In the transaction that creates the first account: decides whether people without one may still use the web app, then with
 * a budget that all of them share. Apps issue no anonymous tokens from then on, unless somebody turned theirs on.
 */
export async function decideWhoMayUse(
  tx: Tx,
  {
    openTo = "invited",
    guestTokensPerDay = limits.guestTokensPerDay,
  }: { openTo?: OpenTo | undefined; guestTokensPerDay?: number | undefined },
  actor: Actor,
  nowMs: number,
): Promise<void> {
  const guests = openTo === "anyone";
  await putGuests(tx, guests, nowMs);
  await turnOffUndecided(tx);
  await recordAudit(tx, { action: "sign-in-settings-changed", actor, details: { guests } }, nowMs);
  if (!guests) return;
  const budget: BudgetLimits = {
    tokens_per_day: guestTokensPerDay,
    tokens_per_month: null,
    usd_per_day: null,
    usd_per_month: null,
  };
  await putBudget(tx, {
    id: "guests",
    group_id: null,
    user_id: null,
    limits: JSON.stringify(budget),
    updated_at: nowMs,
  });
  await recordAudit(tx, { action: "budget-set", actor, target: "guests", details: budget }, nowMs);
}
