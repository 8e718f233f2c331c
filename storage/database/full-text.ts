import { sql, type RawBuilder } from "kysely";
import type { Database, Tx } from "./database.ts";

/**
 * Which words stand in which documents: SQLite's FTS5 and PostgreSQL's text search behind one door. Words are ours:
 * letters, digits, colons and anything beyond ASCII, already in the one form in which they are looked up. Neither
 * engine cuts, stems or drops any.
 */

/** Of messages and titles, and of files: an index for each. */
export const wordIndexes = ["search_words", "search_file_words"] as const;
export type WordIndex = (typeof wordIndexes)[number];

/** What a document must hold: each of `all`, and none of `none`. */
export type WordQuery = { all: Wanted[]; none?: Wanted[] };

/** These words in a row; with `prefix`, the last may go on. */
export type Wanted = { words: string[]; prefix?: boolean };

/** Positions beyond this are one and the same to PostgreSQL, so that rows of words are no longer found there. */
export const wordsPerDocumentMax = 8_000;

/** Indexes a document's words in their order, at most `wordsPerDocumentMax`. */
export async function putWords(tx: Tx, index: WordIndex, number: number, words: string[]): Promise<void> {
  const into = sql.table(index);
  if (tx.engine === "sqlite") {
    await sql`insert into ${into} (rowid, words) values (${number}, ${words.join(" ")})`.execute(tx.q);
    return;
  }
  const places = new Map<string, number[]>();
  words.forEach((word, at) => {
    const known = places.get(word);
    if (known === undefined) places.set(word, [at + 1]);
    else if (known.length < placesMax) known.push(at + 1);
  });
  const vector = [...places].map(([word, at]) => `${quoted(word)}:${at.join(",")}`).join(" ");
  await sql`insert into ${into} (number, words) values (${number}, ${vector}::tsvector)`.execute(tx.q);
}

/** PostgreSQL keeps at most 256 places of one word. */
const placesMax = 255;

/** Documents that hold what is wanted, as rows of one column, `number`, the newest first. For `from (…) as found`. */
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

/** Documents that hold any of `wanted`, as rows of one column, `number`, in no order. For `from (…) as found`. */
export function documentsWithAny(
  db: Pick<Database, "engine">,
  index: WordIndex,
  wanted: Wanted[],
  range: { from: number; below: number },
): RawBuilder<{ number: number }> {
  const words = sql.table(index);
  if (db.engine === "sqlite")
    return sql`(select rowid as number from ${words} where ${words} match ${wanted.map(sqliteRow).join(" OR ")}
      and rowid >= ${range.from} and rowid < ${range.below})`;
  return sql`(select number from ${words} where words @@ ${wanted.map(postgresRow).join(" | ")}::tsquery
    and number >= ${range.from} and number < ${range.below})`;
}

function forSqlite({ all, none = [] }: WordQuery): string {
  const wanted = all.map(sqliteRow).join(" AND ");
  return none.length === 0 ? wanted : `(${wanted}) NOT (${none.map(sqliteRow).join(" OR ")})`;
}

function sqliteRow({ words, prefix }: Wanted): string {
  return `"${words.join(" ")}"${prefix === true ? " *" : ""}`;
}

function forPostgres({ all, none = [] }: WordQuery): string {
  return [...all.map(postgresRow), ...none.map((wanted) => `!${postgresRow(wanted)}`)].join(" & ");
}

function postgresRow({ words, prefix }: Wanted): string {
  return `(${words
    .map((word, index) => quoted(word) + (prefix === true && index === words.length - 1 ? ":*" : ""))
    .join(" <-> ")})`;
}

function quoted(word: string): string {
  return `'${word.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`;
}
