import { sql, type Kysely } from "kysely";
import type { Engine } from "../lib/engine.ts";

/**
 * Makes the search index and an index of messages smaller on SQLite. Numbers of documents are closer together than before,
 * so everything is indexed again after the start.
 */
export async function denseSearch(db: Kysely<unknown>, engine: Engine): Promise<void> {
  if (engine === "postgres") return;
  for (const statement of statements) await sql.raw(statement).execute(db);
}

// Without these triggers, SQLite empties a table at once.
const triggers = ["search_document", "search_file_document"].map((document) => ({
  name: `${document}_gone`,
  documents: `${document}s`,
  words: document.replace("document", "words"),
}));

const statements = [
  ...triggers.flatMap(({ name, documents, words }) => [
    `drop trigger ${name}`,
    `delete from ${documents}`,
    `insert into ${words} (${words}) values ('delete-all')`,
    `create trigger ${name} after delete on ${documents} begin
     delete from ${words} where rowid = old.number;
   end`,
  ]),
  `insert into search_pending (kind, id)
     select 'message', id from messages where plain_text <> ''
     union all select 'title', id from threads where title is not null
     union all select distinct 'file', file_id from file_claims where true
     on conflict do nothing`,
  "drop index messages_by_creator",
  "create index messages_by_creator on messages (created_by)",
];
