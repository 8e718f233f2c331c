import type { Database } from "#storage/database/database.ts";
import { type WordQuery, documentsWith } from "#storage/database/full-text.ts";
import { findDocuments, findAcrossPieces, type FileDocument, type FileFilter } from "./rows.ts";
import { sql, type RawBuilder } from "#storage/database/sql.ts";
import { parseQuery } from "../query.ts";
import { prefixPhrases } from "../workspace-prefix.ts";

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

/**
 * A subquery for the ids of the workspace's files whose name and text match a query: `id in ${…}`. `undefined` if the
 * query has no words. The caller checks who may see the files.
 */
export function filesWith(db: Database, workspaceId: string, typed: string): RawBuilder<string> | undefined {
  const { all, none } = parseQuery(typed, "UTC");
  if (all.length === 0) return undefined;
  const wanted = { all: prefixPhrases(workspaceId, all), none: prefixPhrases(workspaceId, none) };
  const found = documentsWith(db, "search_file_words", wanted, { from: 0, below: Number.MAX_SAFE_INTEGER });
  return sql`(select file_id from ${found} as found cross join search_file_documents
    where search_file_documents.number = found.number and workspace_id = ${workspaceId})`;
}
