import { sql, type Kysely } from "kysely";
import type { Engine } from "../lib/engine.ts";
import { sqlTypes } from "./sql-types.ts";

/** Stores what the owner decides for all models, and the follow-up questions that models suggest. */
export async function modelSettings(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { text, bigint, int, strict } = sqlTypes(engine);
  await sql`create table model_settings (
    id ${text} not null primary key,
    small_model ${text},
    titles ${int} not null,
    summaries ${int} not null,
    suggestions ${int} not null,
    local_only ${int} not null,
    updated_at ${bigint} not null
  ) ${strict}`.execute(db);
  await sql`create table suggestions (
    message_id ${text} not null primary key references messages (id) on delete cascade,
    run_id ${text} not null,
    texts ${text} not null,
    created_at ${bigint} not null
  ) ${strict}`.execute(db);
}
