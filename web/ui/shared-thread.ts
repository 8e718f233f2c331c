import type { Thread } from "#contract/endpoints/threads.ts";
import { createStore } from "#web/lib/store.ts";

export type SortedThread = Pick<Thread, "id" | "title" | "folder_id" | "tag_ids">;

/** The kind of data that a dragged thread has: its id. */
export const draggedThread = "application/x-thread";

/**
 * `isOfOthers`: somebody else shares it, so the dialog only shows its members. `sorted`: the dialog is the one for the folder
 * and tags of these threads, which has the same host, because each host is loaded with the page.
 */
export type ThreadToShare = {
  id: string;
  title: string;
  isOfOthers?: boolean;
  sorted?: readonly SortedThread[];
};

/** The thread whose share dialog is open. */
const sharedThread = createStore<ThreadToShare | undefined>(undefined);

export const useSharedThread = sharedThread.use;
export const openShareDialog = sharedThread.set;

export function closeShareDialog(): void {
  sharedThread.set(undefined);
}

/** Opens the dialog for the folder and tags of these threads. */
export function openSortDialog(sorted: readonly SortedThread[]): void {
  openShareDialog({ id: "", title: "", sorted });
}
