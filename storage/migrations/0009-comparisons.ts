import { sql, type Kysely } from "kysely";
import type { Engine } from "../lib/engine.ts";
import { sqlTypes } from "./sql-types.ts";

/** Stores questions that several models answer at once, and which answer the person chose. */
export async function comparisons(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { text, bigint, int, strict } = sqlTypes(engine);
  await sql`create table comparisons (
    id ${text} not null primary key,
    thread_id ${text} not null references threads (id) on delete cascade,
    message_id ${text} not null,
    user_id ${text} not null,
    is_blind ${int} not null,
    request_hash ${text} not null,
    chosen_reply_id ${text},
    created_at ${bigint} not null,
    chosen_at ${bigint}
  ) ${strict}`.execute(db);
  await sql`create index comparisons_of_thread on comparisons (thread_id)`.execute(db);
  await sql`alter table runs add column comparison_id ${text}`.execute(db);
  await sql`alter table runs add column is_blind ${int} not null default 0`.execute(db);
  await sql`create index runs_of_comparison on runs (comparison_id) where comparison_id is not null`.execute(
    db,
  );
}
