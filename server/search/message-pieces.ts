import { limits } from "#contract/limits.ts";
import { wordsPerDocumentMax } from "#storage/database/full-text.ts";
import { lengthInSql } from "./characters.ts";
import { withWorkspacePrefix, pieceMark } from "./workspace-prefix.ts";
import { createYielder } from "./yield-to-event-loop.ts";
import { wordsOf } from "./words.ts";

/** The part of a message in one document. */
export type MessagePiece = {
  /** Its position in the message, in characters as SQL counts them. */
  start: number;
  /** The words as they are indexed. */
  words: string[];
};

/** One word is the mark of a piece. */
const wordsPerPiece = wordsPerDocumentMax - 1;
/** How much text is read to show one hit. */
const charactersPerPiece = 50_000;
/** Words that two consecutive pieces share. No phrase in a query is longer. */
const overlapWordsMax = limits.searchCharacters;

/**
 * Splits a long message into overlapping pieces, so that each phrase is complete in one of them. Each of several pieces
 * has a mark, because the words of a query may be in different pieces.
 */
export async function messagePieces(text: string, workspaceId: string): Promise<MessagePiece[]> {
  const maybeYield = createYielder();
  const pieces: MessagePiece[] = [];
  const done = { units: 0, characters: 0 };
  let words: { term: string; start: number }[] = [];

  function close(): void {
    const from = pieces.length === 0 ? 0 : words[0]!.start;
    done.characters += lengthInSql(text.slice(done.units, from));
    done.units = from;
    pieces.push({
      start: done.characters,
      words: words.map(({ term }) => withWorkspacePrefix(workspaceId, term)),
    });
  }

  for (const { term, start, end } of wordsOf(text)) {
    const isFull = words.length === wordsPerPiece || end - (words[0]?.start ?? end) > charactersPerPiece;
    if (isFull) {
      close();
      words = words.slice(-Math.min(overlapWordsMax, Math.floor(words.length / 2)));
      await maybeYield();
    }
    words.push({ term, start });
  }
  if (words.length > 0) close();
  if (pieces.length > 1) for (const piece of pieces) piece.words.push(pieceMark(workspaceId));
  return pieces;
}
