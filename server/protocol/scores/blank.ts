import { newId } from "#contract/ids.ts";
import type { Visitor } from "#server/lib/route.ts";
import type * as rows from "./rows.ts";

/** What is judged, as its row says it. */
export function ofMessage(threadId: string, messageId: string): rows.Target {
  return { target: `message:${messageId}`, thread_id: threadId, message_id: messageId, run_id: null };
}

export function ofThread(threadId: string): rows.Target {
  return { target: `thread:${threadId}`, thread_id: threadId, message_id: null, run_id: null };
}

/** What every score of a visitor has in common. */
export function blankScore(visitor: Visitor, nowMs: number) {
  return {
    id: newId("score", nowMs),
    project_id: visitor.projectId,
    workspace_id: visitor.workspaceId,
    author_id: visitor.userId,
    string_value: null,
    created_at: nowMs,
    updated_at: nowMs,
  };
}
