import type { Thread } from "#contract/endpoints/threads.ts";

/**
 * `pinned`: all pinned threads that are not archived, because they are shown at the top however old they are. `shared`: those
 * of others. `folder:` and an id: those in a folder that are not archived. `loose`: the regular ones in no folder.
 */
export type ThreadListKind = "regular" | "loose" | "archived" | "pinned" | "shared" | `folder:${string}`;
/** The loaded part of a list, newest message first. */
export type CachedThreads = { threads: Thread[]; hasMore: boolean };

/** The prefix of all lists of threads. */
export const threadListsKey = ["threads"] as const;
export const threadListKey = (kind: ThreadListKind) => ["threads", kind] as const;
export const trashKey = ["trash"] as const;
/** The prefix of all single threads. */
export const threadsKey = ["thread"] as const;
export const threadKey = (id: string) => ["thread", id] as const;

export const folderKind = (folderId: string): ThreadListKind => `folder:${folderId}`;

/** 30: about as many as fit on a tall screen. */
export const threadPageSize = 30;

/** Newest message first, then by id, as the server sorts them. */
function byNewestMessage(a: Thread, b: Thread): number {
  if (a.last_message_at !== b.last_message_at) return a.last_message_at < b.last_message_at ? 1 : -1;
  return a.id < b.id ? 1 : a.id > b.id ? -1 : 0;
}

/** Whether another person shares the thread with this one. */
export function isOfOthers({ sharing }: Pick<Thread, "sharing">): boolean {
  return sharing !== undefined && sharing.access !== "owner";
}

/** The list after a change of `thread`, which may move it, add it or remove it. */
export function withThread(list: CachedThreads, kind: ThreadListKind, thread: Thread): CachedThreads {
  const others = list.threads.filter((other) => other.id !== thread.id);
  const belongs =
    thread.deleted_at === null &&
    thread.temporary_until === null &&
    isOfOthers(thread) === (kind === "shared") &&
    thread.is_archived === (kind === "archived") &&
    (kind !== "pinned" || thread.is_pinned) &&
    (kind !== "loose" || thread.folder_id === null) &&
    (!kind.startsWith("folder:") || kind === folderKind(thread.folder_id ?? ""));
  const last = others.at(-1);
  // A thread below the loaded part is loaded with its page.
  const beyond = list.hasMore && last !== undefined && byNewestMessage(thread, last) > 0;
  if (!belongs || beyond) return others.length === list.threads.length ? list : { ...list, threads: others };
  return { ...list, threads: [...others, thread].toSorted(byNewestMessage) };
}

export function withoutThread(list: CachedThreads, id: string): CachedThreads {
  const threads = list.threads.filter((thread) => thread.id !== id);
  return threads.length === list.threads.length ? list : { ...list, threads };
}

/** The list with the next page below it. */
export function withPage(list: CachedThreads, page: Thread[]): CachedThreads {
  const known = new Set(list.threads.map((thread) => thread.id));
  return {
    threads: [...list.threads, ...page.filter((thread) => !known.has(thread.id))],
    hasMore: page.length === threadPageSize,
  };
}
