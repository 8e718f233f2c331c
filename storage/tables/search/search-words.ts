import type { Engine } from "../../lib/engine.ts";

/**
 * The words of documents, for `full-text.ts`. Messages and files have separate indexes: a document of a file has about a
 * hundred times as many words, and a search in messages alone should read none of them.
 */
export function wordIndex(name: string, documents: string): Record<Engine, string[]> {
  return {
    // Contentless: excerpts are cut from the messages themselves. Our words contain no ASCII except letters, digits and
    // the colon.
    sqlite: [
      `create virtual table ${name} using fts5(words, content = '', contentless_delete = 1, tokenize = "ascii tokenchars ':'")`,
    ],
    postgres: [
      `create table ${name} (
       number bigint not null primary key references ${documents} (number) on delete cascade,
       words tsvector not null
     )`,
      `create index ${name}_by_word on ${name} using gin (words)`,
    ],
  };
}

/** Deletes the words with their document. On PostgreSQL a foreign key does. */
export function wordTriggers(name: string, documents: string): Record<Engine, string[]> {
  return {
    sqlite: [
      `create trigger ${name}_gone after delete on ${documents} begin
     delete from ${name} where rowid = old.number;
   end`,
    ],
    postgres: [],
  };
}
