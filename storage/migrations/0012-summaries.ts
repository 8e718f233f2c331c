import { sql, type Kysely } from "kysely";
import type { Engine } from "../lib/engine.ts";
import { sqlTypes } from "./sql-types.ts";

/** Stores the summaries that replace the oldest messages of long branches in requests, and how much context runs used. */
export async function summaries(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { text, bigint, int, strict } = sqlTypes(engine);
  await sql`create table summaries (
    message_id ${text} not null primary key references messages (id) on delete cascade,
    thread_id ${text} not null,
    text ${text} not null,
    model ${text},
    is_edited ${int} not null,
    pending_until ${bigint},
    removed_at ${bigint},
    created_at ${bigint} not null,
    updated_at ${bigint} not null
  ) ${strict}`.execute(db);
  await sql`create index summaries_of_thread on summaries (thread_id)`.execute(db);
  await sql`alter table runs add column context_tokens ${int}`.execute(db);
}
