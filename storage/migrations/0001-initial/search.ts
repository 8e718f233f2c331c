import { sql, type RawBuilder } from "kysely";
import type { Engine } from "../../lib/engine.ts";
import { sqlTypes } from "../sql-types.ts";

/**
 * The search index, and the triggers that note what has to be indexed. Messages and files have separate word indexes:
 * a document of a file has about a hundred times as many words, and a search in messages alone should read none of them.
 */
export function search(engine: Engine): RawBuilder<unknown>[] {
  const { text, bigint, int, strict, clustered } = sqlTypes(engine);
  return [
    sql`create table search_documents (
      number ${bigint} not null primary key,
      workspace_id ${text} not null,
      thread_id ${text} not null references threads (id) on delete cascade,
      message_id ${text} references messages (id) on delete cascade,
      start ${int} default 0 not null
    ) ${strict}`,
    sql`create index search_documents_of_thread on search_documents (thread_id, message_id)`,
    sql`create index search_documents_of_message on search_documents (message_id)`,
    // For searches that have filters and no words.
    sql`create index search_documents_of_workspace on search_documents (workspace_id, number)`,

    sql`create table search_file_documents (
      number ${bigint} not null primary key,
      last_number ${bigint} not null,
      workspace_id ${text} not null,
      file_id ${text} not null references files (id) on delete cascade,
      start ${int} not null,
      characters ${int} not null,
      page ${int},
      made_in ${text} not null
    ) ${strict}`,
    sql`create index search_file_documents_of_file on search_file_documents (file_id)`,
    sql`create index search_file_documents_of_workspace on search_file_documents (workspace_id, number)`,

    sql`create table search_pending (
      kind ${text} not null,
      id ${text} not null,
      constraint search_pending_key primary key (kind, id)
    ) ${clustered}`,

    ...(engine === "postgres" ? postgresStatements : sqliteStatements).map((statement) => sql.raw(statement)),
  ];
}

const noteMessage = `insert into search_pending (kind, id) values ('message', new.id) on conflict do nothing`;
const noteTitle = `insert into search_pending (kind, id) values ('title', new.id) on conflict do nothing`;
// A thread that moved to another workspace: every message is indexed again.
const noteMessages = `insert into search_pending (kind, id) select 'message', id from messages where thread_id = new.id on conflict do nothing`;

const isClaimed = "exists (select 1 from file_claims where file_id = new.id)";
const isIndexed = "exists (select 1 from search_file_documents where file_id = new.file_id)";
const noteClaimed =
  "insert into search_pending (kind, id) values ('file', new.file_id) on conflict do nothing";
const noteChanged = "insert into search_pending (kind, id) values ('file', new.id) on conflict do nothing";
const noteRead = `insert into search_pending (kind, id) select 'file', id from files where blob_key = new.blob_key
  and exists (select 1 from file_claims where file_id = files.id) order by id on conflict do nothing`;

const sqliteStatements = [
  // Contentless: excerpts are cut from the messages themselves. Our words contain no ASCII except letters, digits and
  // the colon.
  ...["search_words", "search_file_words"].map(
    (table) =>
      `create virtual table ${table} using fts5(words, content = '', contentless_delete = 1, tokenize = "ascii tokenchars ':'")`,
  ),
  `create trigger search_document_gone after delete on search_documents begin
     delete from search_words where rowid = old.number;
   end`,
  `create trigger search_message_new after insert on messages when new.plain_text <> '' begin
     ${noteMessage};
   end`,
  `create trigger search_message_changed after update of plain_text on messages when new.plain_text is not old.plain_text begin
     ${noteMessage};
   end`,
  `create trigger search_title_new after insert on threads when new.title is not null begin
     ${noteTitle};
   end`,
  `create trigger search_title_changed after update of title, workspace_id on threads
   when new.title is not old.title or new.workspace_id <> old.workspace_id begin
     ${noteTitle};
   end`,
  `create trigger search_thread_moved after update of workspace_id on threads when new.workspace_id <> old.workspace_id begin
     ${noteMessages};
   end`,
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
  ...[
    { table: "search_words", documents: "search_documents" },
    { table: "search_file_words", documents: "search_file_documents" },
  ].flatMap(({ table, documents }) => [
    `create table ${table} (
       number bigint not null primary key references ${documents} (number) on delete cascade,
       words tsvector not null
     )`,
    `create index ${table}_by_word on ${table} using gin (words)`,
  ]),
  noteFunction("search_note_message", `${noteMessage};`),
  noteFunction("search_note_title", `${noteTitle};`),
  noteFunction("search_note_moved", `${noteMessages};`),
  noteFunction("search_note_file_claimed", `if not ${isIndexed} then ${noteClaimed}; end if;`),
  noteFunction("search_note_file_changed", `if ${isClaimed} then ${noteChanged}; end if;`),
  noteFunction("search_note_file_read", `${noteRead};`),
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
];

function noteFunction(name: string, body: string): string {
  return `create function ${name}() returns trigger language plpgsql as $$
   begin
     ${body}
     return null;
   end $$`;
}
