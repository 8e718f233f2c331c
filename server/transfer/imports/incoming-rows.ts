import { limits } from "#contract/limits.ts";
import type { ImportedMessage } from "#server/messages/import-messages.ts";
import type { MessageRow } from "#server/messages/rows.ts";
import type { ThreadContext } from "#server/messages/write-messages.ts";
import type { ImportedScore } from "#server/protocol/scores/transfer-scores.ts";
import type { ImportedThread } from "#server/threads/import-threads.ts";
import type { IdMap, ThreadSummary } from "./summarize-thread.ts";
import type { IncomingMessage, IncomingThread } from "./thread-source.ts";

/** What is stored for the thread, messages and scores of an export, with times that are possible here. */

/** Clocks differ, so times may be up to a day in the future. Later ones are replaced. */
const clockSkewMs = 24 * 3_600_000;

export function threadOf(
  { threadId, nowMs }: ThreadContext,
  { thread: { thread }, messages }: ThreadSummary,
): ImportedThread {
  const at = (instant: string | undefined, otherwise: number) =>
    instant === undefined ? otherwise : timeOf(instant, nowMs + clockSkewMs);
  const times = messages
    .map(({ createdAtMs }) => createdAtMs)
    .filter((ms) => ms > 0 && ms <= nowMs + clockSkewMs);
  const first = times.length === 0 ? nowMs : times.reduce((a, b) => Math.min(a, b));
  const last = times.length === 0 ? nowMs : times.reduce((a, b) => Math.max(a, b));
  const createdAtMs = at(thread.created_at, first);
  const lastMessageAtMs = at(thread.last_message_at, last);
  const deletedAtMs = thread.deleted_at == null ? null : at(thread.deleted_at, nowMs);
  return {
    id: threadId,
    title: thread.title ?? null,
    titleSource: thread.title_source ?? "person",
    externalId: thread.external_id ?? null,
    metadata: thread.metadata ?? null,
    archived: thread.is_archived ?? false,
    pinned: thread.is_pinned ?? false,
    localOnly: thread.local_only ?? false,
    assistantId: thread.assistant_id ?? null,
    model: thread.model ?? null,
    createdAtMs,
    updatedAtMs: at(thread.updated_at, lastMessageAtMs),
    lastMessageAtMs,
    // An old thread from the trash starts its time in the trash again, so that it is not swept at once.
    deletedAtMs: deletedAtMs === null || deletedAtMs > nowMs - limits.trashMs ? deletedAtMs : nowMs,
  };
}

/** `latestMs` 0: any time. */
export function timeOf(instant: string | undefined, latestMs: number): number {
  const ms = instant === undefined ? 0 : Date.parse(instant);
  return Math.max(0, latestMs === 0 ? ms : Math.min(ms, latestMs));
}

export function messageOf(
  message: IncomingMessage,
  at: { id: string; parentId: string | null },
  nowMs: number,
): ImportedMessage {
  const createdAtMs =
    message.created_at === undefined ? nowMs : timeOf(message.created_at, nowMs + clockSkewMs);
  return {
    id: at.id,
    parent_id: at.parentId,
    external_id: message.external_id ?? null,
    role: message.role,
    format: message.format,
    content: message.content,
    author: message.made_by ?? null,
    isPinned: message.is_pinned ?? false,
    status: statusOf(message),
    createdAtMs,
    updatedAtMs:
      message.updated_at === undefined ? createdAtMs : timeOf(message.updated_at, nowMs + clockSkewMs),
  };
}

/** A message that was streaming or waiting when it was exported is interrupted. */
function statusOf({ status }: IncomingMessage): Pick<MessageRow, "status" | "status_reason" | "error_code"> {
  if (status === undefined) return { status: "complete", status_reason: "stop", error_code: null };
  if (status.type === "running" || status.type === "requires-action")
    return { status: "incomplete", status_reason: "interrupted", error_code: null };
  return { status: status.type, status_reason: status.reason, error_code: status.error_code };
}

export function scoresOf({ scores }: IncomingThread, idMap: IdMap, nowMs: number): ImportedScore[] {
  return scores.map((score) => {
    const createdAtMs =
      score.created_at === undefined ? nowMs : timeOf(score.created_at, nowMs + clockSkewMs);
    return {
      message_id: score.message_id === null ? null : idMap.get(score.message_id)!.id,
      name: score.name,
      data_type: score.data_type,
      value: score.value,
      string_value: score.string_value,
      comment: score.comment ?? null,
      created_at: createdAtMs,
      updated_at:
        score.updated_at === undefined ? createdAtMs : timeOf(score.updated_at, nowMs + clockSkewMs),
    };
  });
}
