import type { Thread } from "#contract/endpoints/threads.ts";
import { openShareDialog } from "./shared-thread.ts";

export type SortedThread = Pick<Thread, "id" | "title" | "folder_id" | "tag_ids">;

/** The kind of data that a dragged thread has: its id. */
export const draggedThread = "application/x-thread";

/** Opens the dialog for the folder and tags of these threads. */
export function openSortDialog(sorted: readonly SortedThread[]): void {
  openShareDialog({ id: "", title: "", sorted });
}
