import { sql, type Kysely } from "kysely";
import type { Engine } from "../lib/engine.ts";
import { sqlTypes } from "./sql-types.ts";

/** Counts wrong passwords and codes, so that guessing stays slow after a restart and with several servers. */
export async function failedAttempts(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { text, bigint, int, strict } = sqlTypes(engine);
  await sql`create table failed_attempts (
    key_hash ${text} not null primary key,
    failures ${int} not null,
    last_at ${bigint} not null
  ) ${strict}`.execute(db);
  await sql`create index failed_attempts_by_time on failed_attempts (last_at)`.execute(db);
}
