import { sql, type RawBuilder } from "#storage/database/sql.ts";
import { AppError } from "./errors.ts";

/** What lists with pages and a search have in common. */

/**
 * A page of a list, and the cursor of its last row if more rows follow. `found`: up to `limit + 1` rows. Most cursors are
 * the id of the row.
 */
export function pageOf<Row extends { id: string }>(
  found: readonly Row[],
  limit: number,
  cursorOf: (row: Row) => string = ({ id }) => id,
): { page: Row[]; next: string | null } {
  const page = found.slice(0, limit);
  return { page, next: found.length > limit ? cursorOf(page.at(-1)!) : null };
}

/** The row that `cursor` names. Throws `bad-cursor` if there is none. */
export async function rowAt<Row>(
  cursor: string | undefined,
  find: (cursor: string) => Promise<Row | undefined>,
): Promise<Row | undefined> {
  const row = cursor === undefined ? undefined : await find(cursor);
  if (cursor !== undefined && row === undefined) throw new AppError("bad-cursor");
  return row;
}

/** Where a row was in a list that is sorted by a time and the id, for rows that may move or go. */
export type Position = { atMs: number; id: string };

export function positionCursor({ atMs, id }: Position): string {
  return Buffer.from(JSON.stringify([atMs, id])).toString("base64url");
}

/** Throws `bad-cursor`. */
export function readPosition(cursor: string): Position {
  try {
    const [atMs, id] = JSON.parse(Buffer.from(cursor, "base64url").toString()) as unknown[];
    if (Number.isSafeInteger(atMs) && typeof id === "string") return { atMs: atMs as number, id };
  } catch {
    // Not a cursor of this server.
  }
  throw new AppError("bad-cursor");
}

/**
 * Whether a column contains the text, ignoring the case of ASCII letters, or of all letters in columns that have only
 * lowercase ones. The same in both engines.
 */
export function contains(column: string, text: string): RawBuilder<boolean> {
  // Without wildcards of `like`.
  const pattern = `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
  const inAscii = pattern.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
  const found = sql`lower(${sql.ref(column)}) like`;
  return sql<boolean>`(${found} ${inAscii} escape '\\' or ${found} ${pattern.toLowerCase()} escape '\\')`;
}
