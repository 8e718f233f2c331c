import { sql, type RawBuilder } from "kysely";
import type { Database, Tx } from "./database.ts";
import { jsonElements } from "./portable-sql.ts";

/**
 * A full-text index on SQLite's FTS5 and PostgreSQL's text search. The caller splits and normalizes the words: letters,
 * digits, colons and anything beyond ASCII. Neither engine splits, stems or drops any.
 */

/** One index for messages and titles, one for files. */
export const wordIndexes = ["search_words", "search_file_words"] as const;
export type WordIndex = (typeof wordIndexes)[number];

/** A document must contain every phrase of `all` and no phrase of `none`. A list of phrases stands for any of them. */
export type WordQuery = { all: (Phrase | Phrase[])[]; none?: (Phrase | Phrase[])[] };

/** Words that follow each other; with `prefix`, the last one may be the beginning of a word. */
export type Phrase = { words: string[]; prefix?: boolean };

/** PostgreSQL does not distinguish higher positions, so phrases would no longer be found there. */
export const wordsPerDocumentMax = 8_000;

/** The words of a document in their order; at most `wordsPerDocumentMax`. */
export type DocumentWords = { number: number; words: string[] };

export async function indexWords(tx: Tx, index: WordIndex, documents: DocumentWords[]): Promise<void> {
  const into = sql.table(index);
  if (tx.engine === "sqlite") {
    const rows = documents.map(({ number, words }) => [number, words.join(" ")]);
    await sql`insert into ${into} (rowid, words) select value->>0, value->>1 from ${jsonElements(tx, rows)}`.execute(
      tx.q,
    );
    return;
  }
  const rows = documents.map(({ number, words }) => [number, vectorOf(words)]);
  await sql`insert into ${into} (number, words)
    select cast(value->>0 as bigint), cast(value->>1 as tsvector) from ${jsonElements(tx, rows)}`.execute(
    tx.q,
  );
}

function vectorOf(words: string[]): string {
  const positionsOf = new Map<string, number[]>();
  words.forEach((word, at) => {
    const known = positionsOf.get(word);
    if (known === undefined) positionsOf.set(word, [at + 1]);
    else if (known.length < positionsMax) known.push(at + 1);
  });
  return [...positionsOf].map(([word, at]) => `${quoted(word)}:${at.join(",")}`).join(" ");
}

/** PostgreSQL stores at most 256 positions of one word. */
const positionsMax = 255;

/** Documents that match `query` as rows of one column, `number`, newest first. For `from (…) as found`. */
export function documentsWith(
  db: Pick<Database, "engine">,
  index: WordIndex,
  query: WordQuery,
  range: { from: number; below: number },
): RawBuilder<{ number: number }> {
  const words = sql.table(index);
  if (db.engine === "sqlite")
    return sql`(select rowid as number from ${words} where ${words} match ${forSqlite(query)}
      and rowid >= ${range.from} and rowid < ${range.below} order by rowid desc)`;
  return sql`(select number from ${words} where words @@ ${forPostgres(query)}::tsquery
    and number >= ${range.from} and number < ${range.below} order by number desc)`;
}

/** Documents that contain any of `phrases` as rows of one column, `number`, in no order. For `from (…) as found`. */
export function documentsWithAny(
  db: Pick<Database, "engine">,
  index: WordIndex,
  phrases: (Phrase | Phrase[])[],
  range: { from: number; below: number },
): RawBuilder<{ number: number }> {
  const words = sql.table(index);
  if (db.engine === "sqlite")
    return sql`(select rowid as number from ${words} where ${words} match ${phrases.map(sqlitePhrase).join(" OR ")}
      and rowid >= ${range.from} and rowid < ${range.below})`;
  return sql`(select number from ${words} where words @@ ${phrases.map(postgresPhrase).join(" | ")}::tsquery
    and number >= ${range.from} and number < ${range.below})`;
}

function forSqlite({ all, none = [] }: WordQuery): string {
  const wanted = all.map(sqlitePhrase).join(" AND ");
  return none.length === 0 ? wanted : `(${wanted}) NOT (${none.map(sqlitePhrase).join(" OR ")})`;
}

function sqlitePhrase(phrase: Phrase | Phrase[]): string {
  if (Array.isArray(phrase)) return `(${phrase.map(sqlitePhrase).join(" OR ")})`;
  const { words, prefix } = phrase;
  return `"${words.join(" ")}"${prefix === true ? " *" : ""}`;
}

function forPostgres({ all, none = [] }: WordQuery): string {
  return [...all.map(postgresPhrase), ...none.map((phrase) => `!${postgresPhrase(phrase)}`)].join(" & ");
}

function postgresPhrase(phrase: Phrase | Phrase[]): string {
  if (Array.isArray(phrase)) return `(${phrase.map(postgresPhrase).join(" | ")})`;
  const { words, prefix } = phrase;
  return `(${words
    .map((word, index) => quoted(word) + (prefix === true && index === words.length - 1 ? ":*" : ""))
    .join(" <-> ")})`;
}

function quoted(word: string): string {
  return `'${word.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`;
}
