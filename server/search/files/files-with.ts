import type { Database } from "#storage/database/database.ts";
import { documentsWith } from "#storage/database/full-text.ts";
import { sql, type RawBuilder } from "#storage/database/sql.ts";
import { parseQuery } from "../query.ts";
import { prefixPhrases } from "../workspace-prefix.ts";

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
