import type { Database } from "#storage/database/database.ts";
import type { WordQuery } from "#storage/database/full-text.ts";
import { findDocuments, findTogether, type FileDocument, type Where } from "./rows.ts";

/** What is read of the index at once: of a long file several pieces may have what is wanted. */
const documentsPerRead = 100;

/**
 * Of each file that has what is wanted the first piece that has it, or most of it, the newest file first; files that only threads in the
 * trash hold are left out.
 */
export async function findFileDocuments(
  db: Database,
  where: Where,
  wanted: WordQuery,
  range: { from: number; below: number },
  limit: number,
): Promise<FileDocument[]> {
  const { all, none = [] } = wanted;
  if (all.length > 0 && all.length + none.length > 1)
    return await findTogether(db, where, wanted, range, limit);
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
