import type { Thread } from "#contract/endpoints/threads.ts";

/** `pinned` are those of `regular` that are, whole: they stand at the top however old they are. */
export type ThreadListKind = "regular" | "archived" | "pinned";
/** The loaded part of a list, newest message first. */
export type ThreadList = { threads: Thread[]; hasMore: boolean };

export const threadListKey = (kind: ThreadListKind) => ["threads", kind] as const;
export const trashKey = ["trash"] as const;
export const threadKey = (id: string) => ["thread", id] as const;

/** 30: a tall screen shows about that many, and a page more is loaded as one scrolls. */
export const threadPage = 30;

/** Newest message first, then by id, as the service lists them. */
export function byNewestMessage(a: Thread, b: Thread): number {
  if (a.last_message_at !== b.last_message_at) return a.last_message_at < b.last_message_at ? 1 : -1;
  return a.id < b.id ? 1 : a.id > b.id ? -1 : 0;
}

/** The list once `thread` is as it is now: moved, added or taken out. */
export function withThread(list: ThreadList, kind: ThreadListKind, thread: Thread): ThreadList {
  const others = list.threads.filter((other) => other.id !== thread.id);
  const belongs =
    thread.deleted_at === null &&
    thread.is_archived === (kind === "archived") &&
    (kind !== "pinned" || thread.is_pinned);
  const last = others.at(-1);
  // Below the loaded part it comes with the page that it is on.
  const beyond = list.hasMore && last !== undefined && byNewestMessage(thread, last) > 0;
  if (!belongs || beyond) return others.length === list.threads.length ? list : { ...list, threads: others };
  return { ...list, threads: [...others, thread].toSorted(byNewestMessage) };
}

export function withoutThread(list: ThreadList, id: string): ThreadList {
  const threads = list.threads.filter((thread) => thread.id !== id);
  return threads.length === list.threads.length ? list : { ...list, threads };
}

/** The list with the next page below it. */
export function withPage(list: ThreadList, page: Thread[]): ThreadList {
  const known = new Set(list.threads.map((thread) => thread.id));
  return {
    threads: [...list.threads, ...page.filter((thread) => !known.has(thread.id))],
    hasMore: page.length === threadPage,
  };
}
