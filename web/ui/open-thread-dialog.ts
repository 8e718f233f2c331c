import type { Thread } from "#contract/endpoints/threads.ts";
import { createStore } from "#web/lib/store.ts";

export type SortedThread = Pick<Thread, "id" | "title" | "folder_id" | "tag_ids">;

/** The kind of data that dragged threads have: their ids, with spaces between them. */
export const draggedThreads = "application/x-threads";

/** A dialog for threads. They have one host, because each host is loaded with the page. */
export type OpenThreadDialog =
  /** `isOfOthers`: somebody else shares the thread, so the dialog only shows its members. */
  | { kind: "share"; threadId: string; isOfOthers: boolean }
  /** The folder and tags of these threads. */
  | { kind: "sort"; threads: readonly SortedThread[] };

const openDialog = createStore<OpenThreadDialog | undefined>(undefined);

export const useThreadDialog = openDialog.use;
export const closeThreadDialog = () => openDialog.set(undefined);

export function openShareDialog(threadId: string, isOfOthers = false): void {
  openDialog.set({ kind: "share", threadId, isOfOthers });
}

export function openSortDialog(threads: readonly SortedThread[]): void {
  openDialog.set({ kind: "sort", threads });
}
