import { sql, type Kysely } from "kysely";
import type { Engine } from "../../lib/engine.ts";
import { sqlTypes } from "../sql-types.ts";
import { textSizeTriggers } from "./triggers.ts";

/**
 * Adds `threads.text_bytes`: the size of a thread's metadata, its messages, sent and queued, and the reports of its runs.
 * The storage quota adds it up from indexes alone.
 */
export async function textSizes(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await sql`alter table threads add column text_bytes ${sqlTypes(engine).bigint} default 0 not null`.execute(
    db,
  );
  for (const statement of [...indexes, countTexts, ...textSizeTriggers(engine)])
    await sql.raw(statement).execute(db);
}

const indexes = [
  "create index run_reports_of_thread on run_reports (thread_id)",
  "drop index threads_by_creator",
  "create index threads_by_creator on threads (project_id, created_by, text_bytes)",
  "drop index files_by_creator",
  "create index files_by_creator on files (project_id, created_by, size_bytes)",
];

const countTexts = `update threads set text_bytes = coalesce(octet_length(metadata), 0)
  + coalesce((select sum(octet_length(content) + octet_length(plain_text)) from messages where thread_id = threads.id), 0)
  + coalesce((select sum(octet_length(content)) from queued_messages where thread_id = threads.id), 0)
  + coalesce((select sum(octet_length(details) + octet_length(attributes)) from run_reports where thread_id = threads.id), 0)`;
