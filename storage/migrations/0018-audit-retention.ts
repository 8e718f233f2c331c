import { sql, type Kysely } from "kysely";
import type { Engine } from "../lib/engine.ts";

const message = "audit entries cannot be changed, or deleted within 30 days";
/** In milliseconds: 30 days. */
const keptMs = 2_592_000_000;

/** Lets audit entries be deleted when they are 30 days old, by the database's clock. Changes are still refused. */
export async function auditRetention(db: Kysely<unknown>, engine: Engine): Promise<void> {
  for (const statement of statements[engine]) await sql.raw(statement).execute(db);
}

const statements: Record<Engine, string[]> = {
  sqlite: [
    "drop trigger audit_no_delete",
    `create trigger audit_no_delete before delete on audit_entries
     when old.at > unixepoch() * 1000 - ${keptMs}
     begin select raise(abort, '${message}'); end`,
  ],
  postgres: [
    `create or replace function audit_append_only() returns trigger language plpgsql as $$
     begin
       if tg_op = 'DELETE' and old.at <= extract(epoch from now()) * 1000 - ${keptMs} then return old; end if;
       raise exception '${message}';
     end $$`,
  ],
};
