import { sql, type Kysely } from "kysely";
import type { Engine } from "../lib/engine.ts";
import { sqlTypes } from "./sql-types.ts";

/** Adds second factors, their recovery codes, and who must have one. */
export async function secondFactors(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { text, bigint, strict } = sqlTypes(engine);
  const statements = [
    sql`create table second_factors (
      user_id ${text} not null primary key references users (id) on delete cascade,
      last_counter ${bigint} not null,
      created_at ${bigint} not null
    ) ${strict}`,
    // Apart from the second factor, so that backups can leave the secrets out.
    sql`create table second_factor_secrets (
      user_id ${text} not null primary key references second_factors (user_id) on delete cascade,
      ciphertext ${text} not null,
      key_id ${text} not null
    ) ${strict}`,
    sql`create table recovery_codes (
      user_id ${text} not null references second_factors (user_id) on delete cascade,
      code_hash ${text} not null,
      primary key (user_id, code_hash)
    ) ${strict}`,
    sql`alter table auth_settings add column second_factor ${text} not null default 'optional'`,
  ];
  for (const statement of statements) await statement.execute(db);
}
