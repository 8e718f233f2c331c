import { sql, type Kysely } from "kysely";
import type { Engine } from "../database.ts";
import { columnTypes } from "./columns.ts";

/** Where in its message a document begins; long messages are indexed anew, in pieces that know of each other. */
export async function searchPieces(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { int } = columnTypes(engine);
  await db.schema
    .alterTable("search_documents")
    .addColumn("start", int, (column) => column.notNull().defaultTo(0))
    .execute();
  // No shorter one has as many words as a document holds.
  await sql`insert into search_pending (kind, id) select 'message', id from messages
    where length(plain_text) >= 8000 on conflict do nothing`.execute(db);
}
