import { sql, type Kysely } from "kysely";
import type { Engine } from "../lib/engine.ts";

/**
 * On PostgreSQL, a text that changes locks the entry that it is to be indexed. Without the lock the entry could be
 * deleted, for the former text, before the change was committed. SQLite has one transaction at a time.
 */
export async function searchChanges(db: Kysely<unknown>, engine: Engine): Promise<void> {
  if (engine === "sqlite") return;
  for (const { name, body } of functions)
    await sql
      .raw(
        `create or replace function ${name}() returns trigger language plpgsql as $$
   begin
     ${body}
     return null;
   end $$`,
      )
      .execute(db);
}

const lock = "on conflict (kind, id) do update set id = excluded.id";
const isClaimed = "exists (select 1 from file_claims where file_id = new.id)";
const isIndexed = "exists (select 1 from search_file_documents where file_id = new.file_id)";

const functions = [
  {
    name: "search_note_message",
    body: `insert into search_pending (kind, id) values ('message', new.id) ${lock};`,
  },
  {
    name: "search_note_title",
    body: `insert into search_pending (kind, id) values ('title', new.id) ${lock};`,
  },
  {
    name: "search_note_moved",
    body: `insert into search_pending (kind, id)
       select 'message', id from messages where thread_id = new.id order by id ${lock};`,
  },
  {
    name: "search_note_file_claimed",
    body: `if not ${isIndexed} then
       insert into search_pending (kind, id) values ('file', new.file_id) ${lock};
     end if;`,
  },
  {
    name: "search_note_file_changed",
    body: `if ${isClaimed} then insert into search_pending (kind, id) values ('file', new.id) ${lock}; end if;`,
  },
  {
    name: "search_note_file_read",
    body: `insert into search_pending (kind, id) select 'file', id from files where blob_key = new.blob_key
       and exists (select 1 from file_claims where file_id = files.id) order by id ${lock};`,
  },
];
