import type { ImportCounts, ImportedThread } from "./endpoints/imports.ts";

export const emptyCounts: Readonly<ImportCounts> = {
  added: 0,
  updated: 0,
  unchanged: 0,
  refused: 0,
  messages: 0,
  files: 0,
  missing_files: 0,
  skipped_items: 0,
};

/** Adds one thread to the counts. */
export function addToCounts(counts: ImportCounts, thread: ImportedThread): ImportCounts {
  return {
    ...counts,
    [thread.outcome]: counts[thread.outcome] + 1,
    messages: counts.messages + thread.messages,
    files: counts.files + thread.files,
    missing_files: counts.missing_files + thread.missing_files,
    skipped_items: counts.skipped_items + thread.skipped_items,
  };
}
