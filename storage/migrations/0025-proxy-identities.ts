import { sql, type Kysely } from "kysely";
import type { Engine } from "../lib/engine.ts";
import { sqlTypes } from "./sql-types.ts";

/** Adds who accounts are to the proxy that people sign in with. */
export async function proxyIdentities(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { text, bigint, strict } = sqlTypes(engine);
  const statements = [
    sql`create table proxy_identities (
      subject ${text} not null primary key,
      user_id ${text} not null references users (id) on delete cascade,
      created_at ${bigint} not null,
      last_used_at ${bigint} not null
    ) ${strict}`,
    sql`create unique index proxy_identities_by_user on proxy_identities (user_id)`,
  ];
  for (const statement of statements) await statement.execute(db);
}
