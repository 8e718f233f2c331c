import { sql, type Kysely } from "kysely";

/** Stores which administrator has deleted an account whose person can still export what is in it. */
export async function finalDeletions(db: Kysely<unknown>): Promise<void> {
  await sql`alter table users add column deletion_by text`.execute(db);
}
