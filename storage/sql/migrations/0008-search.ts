import { sql, type Kysely } from "kysely";
import type { Engine } from "../database.ts";
import { columnTypes, createTable, key, newTable, required } from "./columns.ts";

/**
 * Search: which words stand where, and what is still to be read. Triggers note every message and title that is new or
 * changed, whoever writes it; the index follows from those notes and can be made again from nothing.
 */
export async function search(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { text, bigint } = columnTypes(engine);
  await createTable(
    engine,
    newTable(db, "search_documents")
      // Rises with the time of what is indexed, so that the newest hits are found without sorting all.
      .addColumn("number", bigint, key)
      .addColumn("workspace_id", text, required)
      .addColumn("thread_id", text, (c) => c.notNull().references("threads.id").onDelete("cascade"))
      .addColumn("message_id", text, (c) => c.references("messages.id").onDelete("cascade")),
  );
  await db.schema
    .createIndex("search_documents_of_thread")
    .on("search_documents")
    .columns(["thread_id", "message_id"])
    .execute();
  await db.schema
    .createIndex("search_documents_of_message")
    .on("search_documents")
    .column("message_id")
    .execute();

  await createTable(
    engine,
    newTable(db, "search_pending")
      .addColumn("kind", text, required)
      .addColumn("id", text, required)
      .addPrimaryKeyConstraint("search_pending_key", ["kind", "id"]),
    "keyed",
  );

  for (const statement of engine === "postgres" ? postgresStatements : sqliteStatements)
    await sql.raw(statement).execute(db);

  // What was said before there was a search.
  await sql`insert into search_pending (kind, id) select 'message', id from messages where plain_text <> ''`.execute(
    db,
  );
  await sql`insert into search_pending (kind, id) select 'title', id from threads where title is not null`.execute(
    db,
  );
}

const sqliteStatements = [
  // The words alone, not the text: excerpts are cut from the messages themselves. Our own words hold no ASCII but
  // letters, digits and the colon.
  `create virtual table search_words using fts5(words, content = '', contentless_delete = 1, tokenize = "ascii tokenchars ':'")`,
  `create trigger search_document_gone after delete on search_documents begin
     delete from search_words where rowid = old.number;
   end`,
  `create trigger search_message_new after insert on messages when new.plain_text <> '' begin
     insert into search_pending (kind, id) values ('message', new.id) on conflict do nothing;
   end`,
  `create trigger search_message_changed after update of plain_text on messages when new.plain_text is not old.plain_text begin
     insert into search_pending (kind, id) values ('message', new.id) on conflict do nothing;
   end`,
  `create trigger search_title_new after insert on threads when new.title is not null begin
     insert into search_pending (kind, id) values ('title', new.id) on conflict do nothing;
   end`,
  `create trigger search_title_changed after update of title, workspace_id on threads
   when new.title is not old.title or new.workspace_id <> old.workspace_id begin
     insert into search_pending (kind, id) values ('title', new.id) on conflict do nothing;
   end`,
  `create trigger search_thread_moved after update of workspace_id on threads when new.workspace_id <> old.workspace_id begin
     insert into search_pending (kind, id) select 'message', id from messages where thread_id = new.id on conflict do nothing;
   end`,
];

const postgresStatements = [
  `create table search_words (
     number bigint not null primary key references search_documents (number) on delete cascade,
     words tsvector not null
   )`,
  `create index search_words_by_word on search_words using gin (words)`,
  `create function search_note_message() returns trigger language plpgsql as $$
   begin
     insert into search_pending (kind, id) values ('message', new.id) on conflict do nothing;
     return null;
   end $$`,
  `create function search_note_title() returns trigger language plpgsql as $$
   begin
     insert into search_pending (kind, id) values ('title', new.id) on conflict do nothing;
     return null;
   end $$`,
  `create function search_note_moved() returns trigger language plpgsql as $$
   begin
     insert into search_pending (kind, id) select 'message', id from messages where thread_id = new.id on conflict do nothing;
     return null;
   end $$`,
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
];
