import { wordsPerDocumentMax } from "#storage/database/full-text.ts";
import { lengthInSql } from "../characters.ts";
import { withWorkspacePrefix } from "../workspace-prefix.ts";
import { createYielder } from "../../lib/concurrency/yield-to-event-loop.ts";
import { wordsOf } from "../indexed-words.ts";

/** A piece of a file's text as it is indexed: about 25 pages. */
export type FilePiece = {
  /** Position and length in characters as SQL counts them. */
  start: number;
  characters: number;
  /** The page where it begins, counted from 1; null if the file has no pages. */
  page: number | null;
  /** Its words as they are indexed, followed by those of the file's name. */
  words: string[];
};

/** Later words of a longer name are not indexed. */
const wordsPerName = 100;
/** How much text is read to show one hit. */
const charactersPerPiece = 50_000;

/**
 * Splits a file into pieces, each with the words of the file's name: `report budget` finds the word "budget" in a file
 * called "report". A file without text is one piece. Pages in `text` are separated by form feeds.
 */
export async function piecesOf(file: {
  workspaceId: string;
  name: string;
  text: string;
  hasPages: boolean;
}): Promise<FilePiece[]> {
  const { workspaceId, text, hasPages } = file;
  const spaced = (term: string): string => withWorkspacePrefix(workspaceId, term);
  const name = [...wordsOf(file.name)].slice(0, wordsPerName).map(({ term }) => spaced(term));
  // The empty word separates text and name, so that no phrase matches across them.
  const nameWords = name.length === 0 ? [] : [spaced(""), ...name];
  const wordsMax = wordsPerDocumentMax - nameWords.length;
  const maybeYield = createYielder();
  const pieces: FilePiece[] = [];
  const done = { units: 0, characters: 0, pages: 0 };
  let words: string[] = [];

  function close(end: number): void {
    const { characters: start, pages } = done;
    const written = text.slice(done.units, end);
    done.units = end;
    done.characters += lengthInSql(written);
    done.pages += written.split("\f").length - 1;
    const page = hasPages ? pages + 1 : null;
    pieces.push({ start, characters: done.characters - start, page, words: [...words, ...nameWords] });
    words = [];
  }

  for (const { term, start, end } of wordsOf(text)) {
    if (words.length === wordsMax || (words.length > 0 && end - done.units > charactersPerPiece)) {
      close(start);
      await maybeYield();
    }
    words.push(spaced(term));
  }
  if (words.length > 0 || (pieces.length === 0 && nameWords.length > 0)) close(text.length);
  return pieces;
}
