import { sql, type Kysely } from "kysely";
import type { Engine } from "../lib/engine.ts";
import { sqlTypes } from "./sql-types.ts";

/** Adds the mail server that the owner has entered. */
export async function mail(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { text, bigint, int, strict } = sqlTypes(engine);
  const statements = [
    sql`create table mail_settings (
      id ${text} not null primary key,
      host ${text} not null,
      port ${int} not null,
      security ${text} not null,
      username ${text},
      sender ${text} not null,
      updated_at ${bigint} not null
    ) ${strict}`,
    // Apart from the settings, so that backups can leave the password out.
    sql`create table mail_secrets (
      id ${text} not null primary key references mail_settings (id) on delete cascade,
      ciphertext ${text} not null,
      key_id ${text} not null
    ) ${strict}`,
  ];
  for (const statement of statements) await statement.execute(db);
}
