import type { Kysely } from "kysely";

/** What a workspace has said is listed without words too, the newest first, by its filters alone. */
export async function searchLists(db: Kysely<unknown>): Promise<void> {
  for (const table of ["search_documents", "search_file_documents"])
    await db.schema
      .createIndex(`${table}_of_workspace`)
      .on(table)
      .columns(["workspace_id", "number"])
      .execute();
}
