import { createHash } from "node:crypto";
import type { Phrase } from "#storage/database/full-text.ts";

/**
 * Words are indexed with the workspace that they were said in: a search reads nothing but its own workspace's entries,
 * takes no longer where others have much, and cannot tell what they have.
 */
export function inSpace(workspaceId: string, term: string): string {
  return `${markOf(workspaceId)}:${term}`;
}

/** Stands in every piece of what is indexed in several; no text has it, for words hold no colon. */
export function pieceMark(workspaceId: string): string {
  return inSpace(workspaceId, ":piece");
}

export function wantedInSpace(workspaceId: string, wanted: Phrase[]): Phrase[] {
  return wanted.map((one) => ({ ...one, words: one.words.map((word) => inSpace(workspaceId, word)) }));
}

const marks = new Map<string, string>();
const marksMax = 1_000;

/** 8 letters and digits; two workspaces with the same mark share entries, and rows tell them apart. */
function markOf(workspaceId: string): string {
  const known = marks.get(workspaceId);
  if (known !== undefined) return known;
  if (marks.size >= marksMax) marks.clear();
  const digest = createHash("sha256").update(workspaceId).digest();
  const mark = digest.readUIntBE(0, 6).toString(36).padStart(10, "0").slice(-8);
  marks.set(workspaceId, mark);
  return mark;
}
