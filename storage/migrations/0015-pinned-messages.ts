import { sql, type Kysely } from "kysely";
import type { Engine } from "../lib/engine.ts";
import { sqlTypes } from "./sql-types.ts";

/** Stores which messages people pinned, so that models always read them in full. */
export async function pinnedMessages(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { int } = sqlTypes(engine);
  await sql`alter table messages add column is_pinned ${int} not null default 0`.execute(db);
  await sql`create index messages_pinned on messages (thread_id) where is_pinned = 1`.execute(db);
}
