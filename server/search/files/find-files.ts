import type { Database } from "#storage/database/database.ts";
import type { WordQuery } from "#storage/database/full-text.ts";
import { findDocuments, findAcrossPieces, type FileDocument, type FileFilter } from "./rows.ts";

/** More than the limit of files, because several pieces of a long file may match. */
const documentsPerRead = 100;

/**
 * The matching files, the newest first, each with its first piece that matches, or that matches most. Files that are only
 * in threads in the trash are left out.
 */
export async function findFileDocuments(
  db: Database,
  where: FileFilter,
  wanted: WordQuery,
  range: { from: number; below: number },
  limit: number,
): Promise<FileDocument[]> {
  const { all, none = [] } = wanted;
  if (all.length > 0 && all.length + none.length > 1)
    return await findAcrossPieces(db, where, wanted, range, limit);
  const found = new Map<string, FileDocument>();
  let { below } = range;
  for (;;) {
    const documents = await findDocuments(db, where, wanted, { from: range.from, below }, documentsPerRead);
    for (const document of documents) if (!found.has(document.fileId)) found.set(document.fileId, document);
    if (found.size >= limit || documents.length < documentsPerRead)
      return [...found.values()].slice(0, limit);
    below = documents.at(-1)!.lastNumber;
  }
}
