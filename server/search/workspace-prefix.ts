import { createHash } from "node:crypto";
import type { Database } from "#storage/database/database.ts";
import type { Phrase, WordQuery } from "#storage/database/full-text.ts";
import { idsOf } from "#storage/database/portable-sql.ts";
import { sql, type RawBuilder, type SqlBool } from "#storage/database/sql.ts";

/** A workspace, or those of all people who share threads with the visitor. */
export type WorkspaceIds = string | readonly string[];

/** Whether the column has one of the workspaces. */
export function isIn(
  db: Pick<Database, "engine">,
  column: string,
  workspaceId: WorkspaceIds,
): RawBuilder<SqlBool> {
  if (typeof workspaceId === "string") return sql`${sql.ref(column)} = ${workspaceId}`;
  return sql`${sql.ref(column)} in ${idsOf(db, workspaceId)}`;
}

/**
 * Adds the workspace's prefix to a word. A search then reads only the entries of its own workspace: its duration does not
 * depend on other workspaces, and reveals nothing about them.
 */
export function withWorkspacePrefix(workspaceId: string, term: string): string {
  return `${prefixOf(workspaceId)}:${term}`;
}

/** A word in each piece of a long message. No text contains it, because words contain no colon. */
export const pieceMark = ":piece";

export function prefixPhrases(workspaceId: string, phrases: Phrase[]): Phrase[] {
  return phrases.map((phrase) => ({
    ...phrase,
    words: phrase.words.map((word) => withWorkspacePrefix(workspaceId, word)),
  }));
}

/** Each phrase as it is in any of the workspaces. All phrases that a document has are of its own workspace. */
export function phrasesIn(workspaceId: WorkspaceIds, phrases: Phrase[]): WordQuery["all"] {
  if (typeof workspaceId === "string") return prefixPhrases(workspaceId, phrases);
  return phrases.map((phrase) => workspaceId.flatMap((id) => prefixPhrases(id, [phrase])));
}

const prefixes = new Map<string, string>();
const prefixesMax = 1_000;

/** 8 letters and digits. If two workspaces have the same prefix, the rows of the documents separate them. */
function prefixOf(workspaceId: string): string {
  const cached = prefixes.get(workspaceId);
  if (cached !== undefined) return cached;
  if (prefixes.size >= prefixesMax) prefixes.clear();
  const digest = createHash("sha256").update(workspaceId).digest();
  const prefix = digest.readUIntBE(0, 6).toString(36).padStart(10, "0").slice(-8);
  prefixes.set(workspaceId, prefix);
  return prefix;
}
