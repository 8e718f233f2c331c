import type { TextPart } from "#contract/parts/text.ts";
import { fenced } from "#server/parts/markdown-text.ts";

/** A document that an assistant writes beside the conversation: ChatGPT's canvas, Claude's artifacts. */
export type ConvertedDocument = {
  id: string;
  title: string;
  /** The language of the code; empty for Markdown. */
  language: string;
  content: string;
};

/** A document as a message shows it. Becomes a text part when the whole message is known. */
export type DocumentPart = { type: "document"; document: ConvertedDocument };

/** The documents of a branch, by id, the newest last. It is not changed, because branches share it. */
export type Documents = ReadonlyMap<string, ConvertedDocument>;

/** A branch keeps so many documents that can be changed. */
const documentsMax = 100;

/** Characters of documents per conversation. Each version is shown in full, so that many versions of a long one add up. */
const charactersMax = 32 * 1024 * 1024;

export type DocumentBudget = { charactersLeft: number };
export const newBudget = (): DocumentBudget => ({ charactersLeft: charactersMax });

/** Whether the budget still has `characters`, which are taken from it. */
export function spend(budget: DocumentBudget, characters: number): boolean {
  if (characters > budget.charactersLeft) return false;
  budget.charactersLeft -= characters;
  return true;
}

/** Adds the version of a document to a branch. */
export function withDocument(documents: Documents, document: ConvertedDocument): Documents {
  const next = new Map(documents);
  next.delete(document.id);
  next.set(document.id, document);
  if (next.size > documentsMax) next.delete(next.keys().next().value!);
  return next;
}

/** Shows a version in a message, in place of an earlier version in the same message. */
export function showDocument<Other extends { type: string }>(
  parts: (Other | DocumentPart)[],
  document: ConvertedDocument,
): void {
  const before = parts.findIndex(
    (part) => part.type === "document" && (part as DocumentPart).document.id === document.id,
  );
  if (before !== -1) parts.splice(before, 1);
  parts.push({ type: "document", document });
}

/** A heading, and the code in a fence or the Markdown as it is. */
export function documentText({ title, language, content }: ConvertedDocument): TextPart {
  const heading = title === "" ? "" : `### ${title.replaceAll(/\s+/g, " ")}\n\n`;
  return { type: "text", text: heading + (language === "" ? content : fenced(content, language)) };
}
