import { newId } from "#contract/ids.ts";
import type { Visitor } from "#server/lib/route.ts";
import type * as rows from "./rows.ts";

/** The columns that name what a score is of. */
export function messageTarget(threadId: string, messageId: string): rows.Target {
  return { target: `message:${messageId}`, thread_id: threadId, message_id: messageId, run_id: null };
}

export function threadTarget(threadId: string): rows.Target {
  return { target: `thread:${threadId}`, thread_id: threadId, message_id: null, run_id: null };
}

/** The columns that all new scores of a visitor have in common. */
export function newScore(visitor: Visitor, nowMs: number) {
  return {
    id: newId("score", nowMs),
    app_id: visitor.appId,
    workspace_id: visitor.workspaceId,
    author_id: visitor.userId,
    string_value: null,
    created_at: nowMs,
    updated_at: nowMs,
  };
}
