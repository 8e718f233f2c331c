import type { Database } from "../database/database.ts";

/**
 * Runs a transaction that changes no row. Throws what `write` throws; a read-only database refuses even this. On SQLite it
 * does not wait for other transactions; on PostgreSQL it does not use the connection of the answers.
 */
export async function tryWrite(db: Database): Promise<void> {
  const write = db.engine === "sqlite" ? db.writeFirst : db.write;
  await write(
    async (tx) => await tx.q.updateTable("log_topics").set({ last_seq: 0 }).where("topic", "=", "").execute(),
  );
}
