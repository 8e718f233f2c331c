import { createHash } from "node:crypto";
import type { Phrase } from "#storage/database/full-text.ts";

/**
 * Adds the workspace's prefix to a word. A search then reads only the entries of its own workspace: its duration does not
 * depend on other workspaces, and reveals nothing about them.
 */
export function withWorkspacePrefix(workspaceId: string, term: string): string {
  return `${prefixOf(workspaceId)}:${term}`;
}

/** A word in each piece of a long message. No text contains it, because words contain no colon. */
export function pieceMark(workspaceId: string): string {
  return withWorkspacePrefix(workspaceId, ":piece");
}

export function prefixPhrases(workspaceId: string, phrases: Phrase[]): Phrase[] {
  return phrases.map((phrase) => ({
    ...phrase,
    words: phrase.words.map((word) => withWorkspacePrefix(workspaceId, word)),
  }));
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
