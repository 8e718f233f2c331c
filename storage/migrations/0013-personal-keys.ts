import { sql, type Kysely } from "kysely";
import type { Engine } from "../lib/engine.ts";
import { sqlTypes } from "./sql-types.ts";

/** Adds the keys with which people use this server's models in editors and scripts. */
export async function personalKeys(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { text, bigint, strict } = sqlTypes(engine);
  await sql`create table personal_keys (
    id ${text} not null primary key,
    key_hash ${text} not null,
    prefix ${text} not null,
    user_id ${text} not null references users (id) on delete cascade,
    name ${text} not null,
    created_at ${bigint} not null,
    last_used_at ${bigint},
    expires_at ${bigint},
    revoked_at ${bigint}
  ) ${strict}`.execute(db);
  await sql`create unique index personal_keys_by_hash on personal_keys (key_hash)`.execute(db);
  await sql`create index personal_keys_by_user on personal_keys (user_id, created_at)`.execute(db);
}
