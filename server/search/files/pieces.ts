import { wordsPerDocumentMax } from "#storage/database/full-text.ts";
import { lengthInSql } from "../characters.ts";
import { inSpace } from "../workspace-prefix.ts";
import { inTurns } from "../yield-to-event-loop.ts";
import { wordsOf } from "../words.ts";

/** A piece of a file's text as it is indexed: about 25 pages. */
export type FilePiece = {
  /** Where it begins, and how long it is, in characters as SQL counts them. */
  start: number;
  characters: number;
  /** On which page it begins, counted from 1; null for what has no pages. */
  page: number | null;
  /** Its words, and then those of the file's name, as they are indexed. */
  words: string[];
};

/** Of a longer name, what comes later is not found. */
const wordsPerName = 100;
/** What is read of a file to show one hit. */
const charactersPerPiece = 50_000;

/**
 * The pieces of a file, in the order of its text, each with the words of its name: `report budget` finds the word in a
 * file that is called so. A file without text is one piece. `text` has its pages between form feeds, where it has any.
 */
export async function piecesOf(file: {
  workspaceId: string;
  name: string;
  text: string;
  hasPages: boolean;
}): Promise<FilePiece[]> {
  const { workspaceId, text, hasPages } = file;
  const spaced = (term: string): string => inSpace(workspaceId, term);
  const name = [...wordsOf(file.name)].slice(0, wordsPerName).map(({ term }) => spaced(term));
  // Nobody looks for this: no row of words goes on from the text to the name.
  const named = name.length === 0 ? [] : [spaced(""), ...name];
  const wordsMax = wordsPerDocumentMax - named.length;
  const turn = inTurns();
  const pieces: FilePiece[] = [];
  const passed = { units: 0, characters: 0, pages: 0 };
  let words: string[] = [];

  function close(end: number): void {
    const { characters: start, pages } = passed;
    const written = text.slice(passed.units, end);
    passed.units = end;
    passed.characters += lengthInSql(written);
    passed.pages += written.split("\f").length - 1;
    const page = hasPages ? pages + 1 : null;
    pieces.push({ start, characters: passed.characters - start, page, words: [...words, ...named] });
    words = [];
  }

  for (const { term, start, end } of wordsOf(text)) {
    if (words.length === wordsMax || (words.length > 0 && end - passed.units > charactersPerPiece)) {
      close(start);
      await turn();
    }
    words.push(spaced(term));
  }
  if (words.length > 0 || (pieces.length === 0 && named.length > 0)) close(text.length);
  return pieces;
}
