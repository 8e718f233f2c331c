import type { Database } from "#storage/database/database.ts";
import type { Phrase } from "#storage/database/full-text.ts";
import { findFiles, type FoundFile } from "../files/rows.ts";
import { inTurns } from "../yield-to-event-loop.ts";
import { wordsOf } from "../words.ts";
import type { Concept, Question } from "./question.ts";
import * as rows from "./rows.ts";
import { scorePassages, type Scored, type Weights } from "./score.ts";

/** Pieces of files that are read, of all that the index finds: some 25 pages each. */
const piecesMax = 12;
/** Pages of them that are cut into passages and ranked. */
const pagesMax = 40;
/** A longer page, and a text without any, is cut at the end of a line. */
const pageCharacters = 4_000;

/**
 * The passages of attached files that have anything of the question. The pages of a piece are looked through first, for
 * the index says no more than that it is somewhere among them.
 */
export async function scoreFiles(
  db: Database,
  scope: rows.Scope,
  asked: { key: string; lookups: Phrase[]; weight: number }[],
  question: Question,
  weights: Weights,
): Promise<Scored[]> {
  const numbers = await rows.rankFileDocuments(db, scope, asked, piecesMax);
  const pieces = await findFiles(db, rows.whereOf(scope), numbers);
  const turn = inTurns();
  const weigh = weigher(question.concepts, weights);
  const pages: (Page & { of: FoundFile; weight: number })[] = [];
  for (const piece of pieces)
    for (const page of pagesOf(piece.text ?? "")) {
      const weight = weigh(page.text);
      if (weight > 0) pages.push({ ...page, of: piece, weight });
      await turn();
    }
  const scored: Scored[] = [];
  for (const page of pages.toSorted((a, b) => b.weight - a.weight).slice(0, pagesMax)) {
    const text = textOf(page.of, page);
    scored.push(...scorePassages(text, { ...text, text: page.of.said }, question, weights));
    await turn();
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
    file: { id, name, page: file.page === null ? null : file.page + page.after },
  };
}

type Page = {
  text: string;
  /** How many pages of the piece come before it. */
  after: number;
};

function pagesOf(piece: string): Page[] {
  return piece.split("\f").flatMap((page, after) => {
    const cut: Page[] = [];
    let start = 0;
    while (page.length - start > pageCharacters) {
      const line = page.lastIndexOf("\n", start + pageCharacters) + 1;
      const end = line > start + pageCharacters / 2 ? line : start + pageCharacters;
      cut.push({ text: page.slice(start, end), after });
      start = end;
    }
    return [...cut, { text: page.slice(start), after }];
  });
}

/** What a text has of the question by the words as they are looked up, which is quick: nothing is brought to its stem. */
function weigher(concepts: Concept[], weights: Weights): (text: string) => number {
  const exact = new Map<string, string>();
  const beginnings = new Map<string, string>();
  for (const { key, lookups } of concepts)
    for (const { words, prefix } of lookups) (prefix === true ? beginnings : exact).set(words[0]!, key);
  const lengths = [...new Set([...beginnings.keys()].map(({ length }) => length))];
  return (text) => {
    const met = new Set<string>();
    for (const { term } of wordsOf(text)) {
      const key = exact.get(term);
      if (key !== undefined) met.add(key);
      for (const length of lengths) {
        const begun = beginnings.get(term.slice(0, length));
        if (begun !== undefined) met.add(begun);
      }
    }
    let weight = 0;
    for (const key of met) weight += weights.get(key) ?? 0;
    return weight;
  };
}
