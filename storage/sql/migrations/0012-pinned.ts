import { sql, type Kysely, type SqlBool } from "kysely";

/** A person's pinned threads are read apart from all others, however old they are. */
export async function pinned(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createIndex("threads_pinned")
    .on("threads")
    .columns(["workspace_id", "archived", "last_message_at desc", "id desc"])
    .where(sql<SqlBool>`pinned = 1 and deleted_at is null`)
    .execute();
}
