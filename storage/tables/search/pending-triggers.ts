import type { Engine } from "../../lib/engine.ts";

/**
 * The entry is locked on PostgreSQL. Without the lock it could be deleted, for the former text, before the change is
 * committed. SQLite has one transaction at a time.
 */
const onConflict: Record<Engine, string> = {
  sqlite: "on conflict do nothing",
  postgres: "on conflict (kind, id) do update set id = excluded.id",
};

const isClaimed = "exists (select 1 from file_claims where file_id = new.id)";
const isIndexed = "exists (select 1 from search_file_documents where file_id = new.file_id)";

function notes(engine: Engine) {
  const note = (kind: string, id: string): string =>
    `insert into search_pending (kind, id) values ('${kind}', ${id}) ${onConflict[engine]};`;
  return {
    message: note("message", "new.id"),
    title: note("title", "new.id"),
    // A thread that moved to another workspace: every message is indexed again.
    moved: `insert into search_pending (kind, id)
       select 'message', id from messages where thread_id = new.id order by id ${onConflict[engine]};`,
    claimed: note("file", "new.file_id"),
    changed: note("file", "new.id"),
    read: `insert into search_pending (kind, id) select 'file', id from files where blob_key = new.blob_key
       and exists (select 1 from file_claims where file_id = files.id) order by id ${onConflict[engine]};`,
  };
}

const onSqlite = notes("sqlite");
const onPostgres = notes("postgres");

/** Note what has to be indexed. */
export const pendingTriggers: Record<Engine, string[]> = {
  sqlite: [
    `create trigger search_message_new after insert on messages when new.plain_text <> '' begin ${onSqlite.message} end`,
    `create trigger search_message_changed after update of plain_text on messages
   when new.plain_text is not old.plain_text begin ${onSqlite.message} end`,
    `create trigger search_title_new after insert on threads when new.title is not null begin ${onSqlite.title} end`,
    `create trigger search_title_changed after update of title, workspace_id on threads
   when new.title is not old.title or new.workspace_id <> old.workspace_id begin ${onSqlite.title} end`,
    `create trigger search_thread_moved after update of workspace_id on threads
   when new.workspace_id <> old.workspace_id begin ${onSqlite.moved} end`,
    `create trigger search_file_claimed after insert on file_claims when not ${isIndexed} begin ${onSqlite.claimed} end`,
    `create trigger search_file_changed after update of name, workspace_id, blob_key on files
   when (new.name <> old.name or new.workspace_id <> old.workspace_id or new.blob_key is not old.blob_key) and ${isClaimed}
   begin ${onSqlite.changed} end`,
    `create trigger search_file_read after insert on file_texts begin ${onSqlite.read} end`,
    `create trigger search_file_read_anew after update on file_texts begin ${onSqlite.read} end`,
  ],
  postgres: [
    noteFunction("search_note_message", onPostgres.message),
    noteFunction("search_note_title", onPostgres.title),
    noteFunction("search_note_moved", onPostgres.moved),
    noteFunction("search_note_file_claimed", `if not ${isIndexed} then ${onPostgres.claimed} end if;`),
    noteFunction("search_note_file_changed", `if ${isClaimed} then ${onPostgres.changed} end if;`),
    noteFunction("search_note_file_read", onPostgres.read),
    `create trigger search_message_new after insert on messages for each row
   when (new.plain_text <> '') execute function search_note_message()`,
    `create trigger search_message_changed after update of plain_text on messages for each row
   when (new.plain_text is distinct from old.plain_text) execute function search_note_message()`,
    `create trigger search_title_new after insert on threads for each row
   when (new.title is not null) execute function search_note_title()`,
    `create trigger search_title_changed after update of title, workspace_id on threads for each row
   when (new.title is distinct from old.title or new.workspace_id <> old.workspace_id) execute function search_note_title()`,
    `create trigger search_thread_moved after update of workspace_id on threads for each row
   when (new.workspace_id <> old.workspace_id) execute function search_note_moved()`,
    `create trigger search_file_claimed after insert on file_claims for each row execute function search_note_file_claimed()`,
    `create trigger search_file_changed after update of name, workspace_id, blob_key on files for each row
   when (new.name <> old.name or new.workspace_id <> old.workspace_id or new.blob_key is distinct from old.blob_key)
   execute function search_note_file_changed()`,
    `create trigger search_file_read after insert or update on file_texts for each row execute function search_note_file_read()`,
  ],
};

function noteFunction(name: string, body: string): string {
  return `create function ${name}() returns trigger language plpgsql as $$ begin ${body} return null; end $$`;
}
