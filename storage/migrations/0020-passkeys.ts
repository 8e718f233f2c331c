import { sql, type Kysely } from "kysely";
import type { Engine } from "../lib/engine.ts";
import { sqlTypes } from "./sql-types.ts";

/** Adds passkeys, their challenges, and when somebody last confirmed with a password who they are. */
export async function passkeys(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { text, bigint, strict } = sqlTypes(engine);
  const statements = [
    sql`alter table sessions add column confirmed_at ${bigint}`,
    sql`create table passkeys (
      id ${text} not null primary key,
      credential_id ${text} not null,
      user_id ${text} not null references users (id) on delete cascade,
      name ${text} not null,
      public_key ${text} not null,
      counter ${bigint} not null,
      transports ${text} not null,
      created_at ${bigint} not null,
      last_used_at ${bigint}
    ) ${strict}`,
    sql`create unique index passkeys_by_credential on passkeys (credential_id)`,
    sql`create index passkeys_by_user on passkeys (user_id)`,
    sql`create table passkey_challenges (
      challenge_hash ${text} not null primary key,
      purpose ${text} not null,
      user_id ${text} references users (id) on delete cascade,
      expires_at ${bigint} not null
    ) ${strict}`,
    sql`create index passkey_challenges_by_user on passkey_challenges (user_id)`,
    sql`create index passkey_challenges_by_expiry on passkey_challenges (expires_at)`,
  ];
  for (const statement of statements) await statement.execute(db);
}
