import { limits } from "#contract/limits.ts";
import type { Estimate } from "#server/people/budgets/budgets.ts";
import type { Visitor } from "#server/lib/route.ts";
import { blankRun, type RunRow } from "../rows.ts";

/** The row of a new run, running and with the lease of this process. */
export function newRun(
  { appId, workspaceId, userId }: Pick<Visitor, "appId" | "workspaceId" | "userId">,
  {
    leaseOwner,
    nowMs,
    reserved,
    ...columns
  }: Pick<RunRow, "id" | "origin"> &
    Partial<RunRow> & {
      leaseOwner: string;
      nowMs: number;
      /** Of the person's budgets; `undefined` without one. */
      reserved: Estimate | undefined;
    },
): RunRow {
  return {
    ...blankRun,
    app_id: appId,
    workspace_id: workspaceId,
    user_id: userId,
    lease_owner: leaseOwner,
    lease_expires_at: nowMs + limits.runLeaseMs,
    created_at: nowMs,
    started_at: nowMs,
    reserved_tokens: reserved?.tokens ?? null,
    reserved_micros: reserved?.costMicros ?? null,
    ...columns,
  };
}
