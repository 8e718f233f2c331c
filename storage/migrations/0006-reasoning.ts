import { sql, type Kysely } from "kysely";
import type { Engine } from "../lib/engine.ts";
import { sqlTypes } from "./sql-types.ts";

/** Stores what providers require back from the steps of an answer, and how hard a model thinks in each thread. */
export async function reasoning(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { text, int, strict } = sqlTypes(engine);
  await sql`create table reply_steps (
    message_id ${text} not null references messages (id) on delete cascade,
    first_call ${int} not null,
    parts ${text} not null,
    constraint reply_steps_key primary key (message_id, first_call)
  ) ${strict}`.execute(db);
  for (const table of ["threads", "queued_messages", "runs"])
    await sql`alter table ${sql.table(table)} add column reasoning_effort ${text}`.execute(db);
}
