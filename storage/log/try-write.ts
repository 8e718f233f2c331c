import type { Database } from "../database/database.ts";

/** Runs a transaction that changes no row. Throws what `write` throws; a read-only database refuses even this. */
export async function tryWrite(db: Database): Promise<void> {
  await db.writeFirst(
    async (tx) => await tx.q.updateTable("log_topics").set({ last_seq: 0 }).where("topic", "=", "").execute(),
  );
}
