import { isoTime } from "#server/lib/clock.ts";
import { createYielder } from "#server/lib/concurrency/yield-to-event-loop.ts";
import {
  exportVersion,
  threadFormat,
  type ExportedFile,
  type ExportedMessage,
  type ExportedScore,
  type ExportedThread,
} from "#contract/endpoints/exports.ts";
import type { JsonObject } from "#contract/json.ts";
import type { AnsweredBy } from "#contract/endpoints/messages.ts";
import type { Score } from "#contract/endpoints/scores.ts";
import type { Thread } from "#contract/endpoints/threads.ts";
import type { MessageRow } from "#server/messages/rows.ts";

/** A message and its author, if known. */
export type ExportMessage = { row: MessageRow; answeredBy: AnsweredBy | null };

export type ThreadFacts = {
  thread: Thread;
  shown: string | undefined;
  scores: Score[];
  files: ExportedFile[];
};

/** Streams a thread with all its branches as JSON. The content of messages is written exactly as it is stored. */
export async function* threadJson(
  { thread, shown, scores, files }: ThreadFacts,
  pages: AsyncIterable<ExportMessage[]>,
  exportedAt: string,
): AsyncGenerator<string> {
  const head: Omit<ExportedThread, "messages"> = {
    format: threadFormat,
    version: exportVersion,
    exported_at: exportedAt,
    thread: headOf(thread),
    shown: shown ?? null,
    scores: scores.map(scoreOf),
    files,
  };
  // One message per line, so that line-based diffs work.
  yield `${JSON.stringify(head).slice(0, -1)},"messages":[`;
  let separator = "\n";
  const yieldNow = createYielder();
  for await (const page of pages)
    for (const message of page) {
      yield separator + messageJson(message);
      separator = ",\n";
      await yieldNow();
    }
  yield "\n]}\n";
}

function headOf(thread: Thread): ExportedThread["thread"] {
  return {
    id: thread.id,
    title: thread.title,
    title_source: thread.title_source,
    external_id: thread.external_id,
    is_archived: thread.is_archived,
    is_pinned: thread.is_pinned,
    local_only: thread.local_only,
    metadata: thread.metadata as JsonObject | null,
    assistant_id: thread.assistant_id,
    model: thread.model,
    created_at: thread.created_at,
    updated_at: thread.updated_at,
    last_message_at: thread.last_message_at,
    deleted_at: thread.deleted_at,
  };
}

function messageJson({ row, answeredBy }: ExportMessage): string {
  const message: Omit<Required<ExportedMessage>, "content"> = {
    id: row.id,
    parent_id: row.parent_id,
    external_id: row.external_id,
    role: row.role,
    format: row.format,
    status: { type: row.status, reason: row.status_reason, error_code: row.error_code },
    made_by: answeredBy,
    is_pinned: row.is_pinned === 1,
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
  };
  return `${JSON.stringify(message).slice(0, -1)},"content":${row.content}}`;
}

function scoreOf(score: Score): ExportedScore {
  return {
    message_id: score.message_id,
    name: score.name,
    data_type: score.data_type,
    value: score.value,
    string_value: score.string_value,
    comment: score.comment,
    created_at: score.created_at,
    updated_at: score.updated_at,
  };
}
