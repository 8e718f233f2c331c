import { limits } from "#contract/limits.ts";
import type { Visitor } from "#server/lib/route.ts";
import { blankRun, type RunRow } from "../rows.ts";

/** The row of a new run, running and with the lease of this process. */
export function newOwnRun(from: {
  id: string;
  visitor: Pick<Visitor, "projectId" | "workspaceId" | "userId">;
  threadId: string;
  messageId: string;
  replyId: string;
  assistantId: string;
  model: string;
  /** The reasoning effort; null: the assistant's. */
  effort: string | null;
  hash: string;
  timeZone: string | null;
  leaseOwner: string;
  nowMs: number;
  comparison?: { id: string; isBlind: boolean } | undefined;
}): RunRow {
  return {
    ...blankRun,
    id: from.id,
    origin: "own",
    project_id: from.visitor.projectId,
    workspace_id: from.visitor.workspaceId,
    user_id: from.visitor.userId,
    thread_id: from.threadId,
    message_id: from.messageId,
    reply_id: from.replyId,
    assistant_id: from.assistantId,
    model: from.model,
    reasoning_effort: from.effort,
    request_hash: from.hash,
    time_zone: from.timeZone,
    lease_owner: from.leaseOwner,
    lease_expires_at: from.nowMs + limits.runLeaseMs,
    created_at: from.nowMs,
    started_at: from.nowMs,
    comparison_id: from.comparison?.id ?? null,
    is_blind: from.comparison?.isBlind === true ? 1 : 0,
  };
}
