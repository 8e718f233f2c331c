import { sql, type Kysely } from "kysely";
import type { Engine } from "../lib/engine.ts";
import { sqlTypes } from "./sql-types.ts";

/** Adds the folders and tags with which people sort their threads. */
export async function labels(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { text, bigint, strict } = sqlTypes(engine);
  await sql`create table labels (
    id ${text} not null primary key,
    workspace_id ${text} not null references workspaces (id) on delete cascade,
    kind ${text} not null,
    name ${text} not null,
    name_key ${text} not null,
    created_at ${bigint} not null,
    unique (workspace_id, kind, name_key)
  ) ${strict}`.execute(db);
  await sql`create table thread_tags (
    thread_id ${text} not null references threads (id) on delete cascade,
    label_id ${text} not null references labels (id) on delete cascade,
    primary key (thread_id, label_id)
  ) ${strict}`.execute(db);
  await sql`create index thread_tags_by_label on thread_tags (label_id)`.execute(db);
  await sql`alter table threads add column folder_id ${text} references labels (id) on delete set null`.execute(
    db,
  );
  await sql`create index threads_by_folder on threads (folder_id, workspace_id, archived, last_message_at, id)
    where folder_id is not null`.execute(db);
}
