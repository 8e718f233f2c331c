import { sql, type Kysely } from "kysely";
import type { Engine } from "../lib/engine.ts";
import { sqlTypes } from "./sql-types.ts";

/** Stores what each request to a model was made from, as references, sizes and hashes. */
export async function requestContents(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { text, int, strict } = sqlTypes(engine);
  await sql`create table request_contents (
    request_id ${text} not null primary key references model_requests (id) on delete cascade,
    -- Hashes of deleted content are deleted too.
    thread_id ${text} not null references threads (id) on delete cascade,
    begins_as ${text},
    begins_items ${int} not null,
    items ${text} not null
  ) ${strict}`.execute(db);
  await sql`create index request_contents_of_thread on request_contents (thread_id)`.execute(db);
}
