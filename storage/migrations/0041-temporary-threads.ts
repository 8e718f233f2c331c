import { sql, type Kysely } from "kysely";
import type { Engine } from "../lib/engine.ts";
import { sqlTypes } from "./sql-types.ts";

/** Adds temporary threads, which are erased after a time. */
export async function temporaryThreads(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { bigint } = sqlTypes(engine);
  await sql`alter table threads add column temporary_until ${bigint}`.execute(db);
  await sql`create index threads_temporary on threads (temporary_until) where temporary_until is not null`.execute(
    db,
  );
}
