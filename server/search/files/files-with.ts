import type { Database } from "#storage/database/database.ts";
import { documentsWith } from "#storage/database/full-text.ts";
import { sql, type RawBuilder } from "#storage/database/sql.ts";
import { parseQuery } from "../query.ts";
import { wantedInSpace } from "../workspace-prefix.ts";

/**
 * The ids of files of the workspace whose names and text have what was typed, as rows of a subquery: `id in ${…}`.
 * `undefined` where no words were typed. Who may see them is for the caller to say.
 */
export function filesWith(db: Database, workspaceId: string, typed: string): RawBuilder<string> | undefined {
  const { all, none } = parseQuery(typed, "UTC");
  if (all.length === 0) return undefined;
  const wanted = { all: wantedInSpace(workspaceId, all), none: wantedInSpace(workspaceId, none) };
  const found = documentsWith(db, "search_file_words", wanted, { from: 0, below: Number.MAX_SAFE_INTEGER });
  return sql`(select file_id from ${found} as found cross join search_file_documents
    where search_file_documents.number = found.number and workspace_id = ${workspaceId})`;
}
