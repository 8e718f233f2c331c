import type { Database } from "#storage/database/database.ts";
import type { Phrase } from "#storage/database/full-text.ts";
import { findFiles, type FoundFile } from "../files/rows.ts";
import { createYielder } from "../../lib/concurrency/yield-to-event-loop.ts";
import { wordsOf } from "../indexed-words.ts";
import type { Concept, Question } from "./question.ts";
import * as rows from "./rows.ts";
import { scorePassages, type Scored, type Weights } from "./score.ts";

/** How many of the found pieces of files are read: some 25 pages each. */
const piecesMax = 12;
/** How many of their pages are split into passages and ranked. */
const pagesMax = 40;
/** Longer pages are split at the end of a line. */
const pageCharacters = 4_000;

/**
 * The passages of attached files that match anything of the question. The pages of a piece are ranked first, because the
 * index finds only the piece.
 */
export async function scoreFiles(
  db: Database,
  scope: rows.Scope,
  concepts: { key: string; lookups: Phrase[]; weight: number }[],
  question: Question,
  weights: Weights,
): Promise<Scored[]> {
  const numbers = await rows.rankFileDocuments(db, scope, concepts, piecesMax);
  const pieces = await findFiles(db, rows.fileFilterOf(scope), numbers);
  const maybeYield = createYielder();
  const estimate = createEstimate(question.concepts, weights);
  const pages: (Page & { of: FoundFile; weight: number })[] = [];
  for (const piece of pieces)
    for (const page of pagesOf(piece.text ?? "")) {
      const weight = estimate(page.text);
      if (weight > 0) pages.push({ ...page, of: piece, weight });
      await maybeYield();
    }
  const scored: Scored[] = [];
  for (const page of pages.toSorted((a, b) => b.weight - a.weight).slice(0, pagesMax)) {
    const text = textOf(page.of, page);
    scored.push(...scorePassages(text, { ...text, text: page.of.messageText }, question, weights));
    await maybeYield();
  }
  return scored;
}

function textOf(file: FoundFile, page: Page): rows.Text {
  const { messageId, threadId, role, createdAt, title, archived, fileId: id, name } = file;
  return {
    id: messageId,
    threadId,
    parentId: null,
    role,
    createdAt,
    title,
    archived,
    text: page.text,
    file: { id, name, page: file.page === null ? null : file.page + page.pagesBefore },
  };
}

type Page = {
  text: string;
  /** How many pages of the piece precede it. */
  pagesBefore: number;
};

function pagesOf(piece: string): Page[] {
  return piece.split("\f").flatMap((page, pagesBefore) => {
    const cut: Page[] = [];
    let start = 0;
    while (page.length - start > pageCharacters) {
      const line = page.lastIndexOf("\n", start + pageCharacters) + 1;
      const end = line > start + pageCharacters / 2 ? line : start + pageCharacters;
      cut.push({ text: page.slice(start, end), pagesBefore });
      start = end;
    }
    return [...cut, { text: page.slice(start), pagesBefore }];
  });
}

/** A fast estimate of how much of the question a text matches, without stemming. */
function createEstimate(concepts: Concept[], weights: Weights): (text: string) => number {
  const exact = new Map<string, string>();
  const prefixes = new Map<string, string>();
  for (const { key, lookups } of concepts)
    for (const { words, prefix } of lookups) (prefix === true ? prefixes : exact).set(words[0]!, key);
  const lengths = [...new Set([...prefixes.keys()].map(({ length }) => length))];
  return (text) => {
    const matched = new Set<string>();
    for (const { term } of wordsOf(text)) {
      const key = exact.get(term);
      if (key !== undefined) matched.add(key);
      for (const length of lengths) {
        const prefixKey = prefixes.get(term.slice(0, length));
        if (prefixKey !== undefined) matched.add(prefixKey);
      }
    }
    let weight = 0;
    for (const key of matched) weight += weights.get(key) ?? 0;
    return weight;
  };
}
