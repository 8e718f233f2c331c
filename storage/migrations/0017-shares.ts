import { sql, type Kysely } from "kysely";
import type { Engine } from "../lib/engine.ts";
import { sqlTypes } from "./sql-types.ts";

/** Adds the links with which people share threads. */
export async function shares(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { text, bigint, int, strict } = sqlTypes(engine);
  await sql`create table shares (
    id ${text} not null primary key,
    token_hash ${text} not null,
    thread_id ${text} not null references threads (id) on delete cascade,
    user_id ${text} not null references users (id) on delete cascade,
    head_id ${text} references messages (id) on delete cascade,
    with_files ${int} not null,
    audience ${text} not null,
    password_hash ${text},
    expires_at ${bigint},
    views ${bigint} not null,
    created_at ${bigint} not null
  ) ${strict}`.execute(db);
  await sql`create unique index shares_by_hash on shares (token_hash)`.execute(db);
  await sql`create index shares_by_user on shares (user_id, created_at)`.execute(db);
  await sql`create index shares_by_thread on shares (thread_id)`.execute(db);
  await sql`create index shares_by_head on shares (head_id)`.execute(db);
}
