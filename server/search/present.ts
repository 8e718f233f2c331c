import { isoTime } from "#server/lib/clock.ts";
import type { SearchHit, SearchThread } from "#contract/endpoints/search.ts";
import type { Phrase } from "#storage/database/full-text.ts";
import { withoutFileSecrets } from "../lib/file-urls/file-urls.ts";
import { excerptOf, excerptWithPosition, markHits } from "./excerpt.ts";
import type { FoundFile } from "./files/rows.ts";
import type { Found } from "./rows.ts";
import type { FoundThread } from "./thread-rows.ts";

/** Who shares a thread with the visitor; null for their own. A member does not see that the owner archived it. */
export type SharedBy = (threadId: string) => SearchHit["shared_by"];

/** Members do not get what opens files for everyone. */
function shown(text: string, sharedBy: SearchHit["shared_by"]): string {
  return sharedBy === null ? text : withoutFileSecrets(text);
}

function titleOf(row: { title: string | null }, sharedBy: SearchHit["shared_by"]): string | null {
  return row.title === null ? null : shown(row.title, sharedBy);
}

function keptBy(row: { archived: number }, sharedBy: SearchHit["shared_by"]) {
  return { is_archived: sharedBy === null && row.archived === 1, shared_by: sharedBy };
}

/** How much text of each hit is read for its excerpt. */
export const charactersPerHit = 100_000;

export function presentHit(row: Found, phrases: Phrase[], sharedBy: SharedBy): SearchHit {
  const by = sharedBy(row.thread_id);
  return {
    thread_id: row.thread_id,
    message_id: row.message_id,
    role: row.role,
    file: null,
    title: titleOf(row, by),
    ...keptBy(row, by),
    excerpt: excerptOf(shown((row.message_id === null ? row.title : row.text) ?? "", by), phrases),
    created_at: isoTime(row.created_at),
  };
}

export function presentFile(file: FoundFile, phrases: Phrase[], sharedBy: SharedBy): SearchHit {
  const text = file.text ?? "";
  const by = sharedBy(file.threadId);
  const { excerpt, hitAt } = excerptWithPosition(text, phrases);
  const pagesBefore = text.slice(0, hitAt ?? 0).split("\f").length - 1;
  return {
    thread_id: file.threadId,
    message_id: file.messageId,
    role: file.role,
    file: {
      id: file.fileId,
      name: file.name,
      type: file.type,
      marked_name: markHits(file.name, phrases),
      page: file.page === null || hitAt === undefined ? null : file.page + pagesBefore,
    },
    title: titleOf(file, by),
    ...keptBy(file, by),
    excerpt,
    created_at: isoTime(file.createdAt),
  };
}

/** A thread with its newest matching messages. */
export function presentThread(
  thread: FoundThread,
  found: { hits: SearchHit[]; matches: number; tags: string[] },
  phrases: Phrase[],
  sharedBy: SharedBy,
): SearchThread {
  const by = sharedBy(thread.thread_id);
  const title = titleOf(thread, by);
  return {
    thread_id: thread.thread_id,
    title,
    marked_title: markHits(title ?? "", phrases),
    ...keptBy(thread, by),
    file: null,
    ...found,
    created_at: found.hits[0]?.created_at ?? isoTime(thread.created_at),
  };
}

/** A file as a result of its own. */
export function presentFileResult(hit: SearchHit, phrases: Phrase[]): SearchThread {
  return {
    thread_id: hit.thread_id,
    title: hit.title,
    marked_title: markHits(hit.title ?? "", phrases),
    is_archived: hit.is_archived,
    shared_by: hit.shared_by,
    tags: [],
    file: hit,
    hits: [],
    matches: 0,
    created_at: hit.created_at,
  };
}
