import type { Tx } from "#storage/sql/database.ts";
import type { Kysely } from "#storage/sql/sql.ts";
import type { NewRow, Row, Tables } from "#storage/sql/tables.ts";

/** The SQL of the text that files hold: a table that only this room writes. */

export type FileTextRow = Row<"file_texts">;

export async function findText(q: Kysely<Tables>, blobKey: string): Promise<FileTextRow | undefined> {
  return await q.selectFrom("file_texts").selectAll().where("blob_key", "=", blobKey).executeTakeFirst();
}

/** What another process may have written meanwhile is the same. Nothing happens where the blob has gone. */
export async function keepText(tx: Tx, text: NewRow<"file_texts">): Promise<void> {
  const blob = await tx.q
    .selectFrom("blobs")
    .select("key")
    .where("key", "=", text.blob_key)
    .executeTakeFirst();
  if (blob === undefined) return;
  const { blob_key: _, ...rest } = text;
  await tx.q
    .insertInto("file_texts")
    .values(text)
    .onConflict((conflict) => conflict.column("blob_key").doUpdateSet(rest))
    .execute();
}
