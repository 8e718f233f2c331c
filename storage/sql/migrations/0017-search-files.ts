import { sql, type Kysely } from "kysely";
import type { Engine } from "../database.ts";
import { columnTypes, createTable, key, newTable, required } from "./columns.ts";

/**
 * The names and the text of attached files in the index. Their words stand apart from those of messages: one document
 * of a file has some hundred times as many, and a search for messages alone reads none of them.
 */
export async function searchFiles(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { text, int, bigint } = columnTypes(engine);
  await createTable(
    engine,
    newTable(db, "search_file_documents")
      .addColumn("number", bigint, key)
      .addColumn("last_number", bigint, required)
      .addColumn("workspace_id", text, required)
      .addColumn("file_id", text, (c) => c.notNull().references("files.id").onDelete("cascade"))
      .addColumn("start", int, required)
      .addColumn("characters", int, required)
      .addColumn("page", int)
      .addColumn("made_in", text, required),
  );
  await db.schema
    .createIndex("search_file_documents_of_file")
    .on("search_file_documents")
    .column("file_id")
    .execute();
  for (const statement of engine === "postgres" ? postgresStatements : sqliteStatements)
    await sql.raw(statement).execute(db);

  // What was attached before.
  await sql`insert into search_pending (kind, id) select distinct 'file', file_id from file_claims`.execute(
    db,
  );
}

const isClaimed = "exists (select 1 from file_claims where file_id = new.id)";
const isIndexed = "exists (select 1 from search_file_documents where file_id = new.file_id)";
const noteClaimed =
  "insert into search_pending (kind, id) values ('file', new.file_id) on conflict do nothing";
const noteChanged = "insert into search_pending (kind, id) values ('file', new.id) on conflict do nothing";
const noteRead = `insert into search_pending (kind, id) select 'file', id from files where blob_key = new.blob_key
  and exists (select 1 from file_claims where file_id = files.id) order by id on conflict do nothing`;

const sqliteStatements = [
  `create virtual table search_file_words using fts5(words, content = '', contentless_delete = 1, tokenize = "ascii tokenchars ':'")`,
  `create trigger search_file_document_gone after delete on search_file_documents begin
     delete from search_file_words where rowid = old.number;
   end`,
  `create trigger search_file_claimed after insert on file_claims when not ${isIndexed} begin ${noteClaimed}; end`,
  `create trigger search_file_changed after update of name, workspace_id, blob_key on files
   when (new.name <> old.name or new.workspace_id <> old.workspace_id or new.blob_key is not old.blob_key) and ${isClaimed} begin
     ${noteChanged};
   end`,
  `create trigger search_file_read after insert on file_texts begin ${noteRead}; end`,
  `create trigger search_file_read_anew after update on file_texts begin ${noteRead}; end`,
];

const postgresStatements = [
  `create table search_file_words (
     number bigint not null primary key references search_file_documents (number) on delete cascade,
     words tsvector not null
   )`,
  `create index search_file_words_by_word on search_file_words using gin (words)`,
  `create function search_note_file_claimed() returns trigger language plpgsql as $$
   begin
     if not ${isIndexed} then ${noteClaimed}; end if;
     return null;
   end $$`,
  `create function search_note_file_changed() returns trigger language plpgsql as $$
   begin
     if ${isClaimed} then ${noteChanged}; end if;
     return null;
   end $$`,
  `create function search_note_file_read() returns trigger language plpgsql as $$
   begin
     ${noteRead};
     return null;
   end $$`,
  `create trigger search_file_claimed after insert on file_claims for each row execute function search_note_file_claimed()`,
  `create trigger search_file_changed after update of name, workspace_id, blob_key on files for each row
   when (new.name <> old.name or new.workspace_id <> old.workspace_id or new.blob_key is distinct from old.blob_key)
   execute function search_note_file_changed()`,
  `create trigger search_file_read after insert or update on file_texts for each row execute function search_note_file_read()`,
];
