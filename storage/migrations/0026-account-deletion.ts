import { sql, type Kysely } from "kysely";
import type { Engine } from "../lib/engine.ts";
import { sqlTypes } from "./sql-types.ts";

/** Stores when accounts will be deleted whose owners asked for it. */
export async function accountDeletion(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { bigint } = sqlTypes(engine);
  await sql`alter table users add column deletion_due_at ${bigint}`.execute(db);
  await sql`create index users_by_deletion on users (deletion_due_at) where deletion_due_at is not null`.execute(
    db,
  );
}
