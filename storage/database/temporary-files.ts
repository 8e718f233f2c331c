/**
 * A file that was uploaded for a temporary thread, and that no message has linked to, has a `released_at` before its
 * `created_at`. It is in no list and no backup, and is deleted before other unsent files.
 */
export const isUnsentTemporarySql = "files.released_at < files.created_at";

/** Like `isUnsentTemporarySql`, for a row. */
export function isUnsentTemporary(file: { created_at: number; released_at: number | null }): boolean {
  return file.released_at !== null && file.released_at < file.created_at;
}
