import { sql, type Kysely } from "kysely";
import type { Engine } from "../lib/engine.ts";
import { sqlTypes } from "./sql-types.ts";

/** Adds what the panel of a thread shows each person. */
export async function threadPanels(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { text, bigint, clustered } = sqlTypes(engine);
  await sql`create table thread_panels (
    thread_id ${text} not null references threads (id) on delete cascade,
    user_id ${text} not null,
    panel ${text},
    updated_at ${bigint} not null,
    primary key (thread_id, user_id)
  ) ${clustered}`.execute(db);
}
