import { limits } from "#contract/limits.ts";
import { wordsPerDocumentMax } from "#storage/database/full-text.ts";
import { lengthInSql } from "./characters.ts";
import { inSpace, pieceMark } from "./workspace-prefix.ts";
import { inTurns } from "./yield-to-event-loop.ts";
import { wordsOf } from "./words.ts";

/** What of a message one document holds. */
export type MessagePiece = {
  /** Where it begins in the message, in characters as SQL counts them. */
  start: number;
  /** As they are indexed. */
  words: string[];
};

/** One is the mark of a piece. */
const wordsPerPiece = wordsPerDocumentMax - 1;
/** What is read of a message to show one hit. */
const charactersPerPiece = 50_000;
/** Said once more at the beginning of the next piece: no row of words that is looked for is longer. */
const wordsSharedMax = limits.searchCharacters;

/**
 * A message as it is indexed: whole, or in pieces that overlap, so that each row of words is whole in one of them. Each
 * piece is marked as one: what is looked for may stand in several.
 */
export async function messagePieces(text: string, workspaceId: string): Promise<MessagePiece[]> {
  const turn = inTurns();
  const pieces: MessagePiece[] = [];
  const passed = { units: 0, characters: 0 };
  let words: { term: string; start: number }[] = [];

  function close(): void {
    const from = pieces.length === 0 ? 0 : words[0]!.start;
    passed.characters += lengthInSql(text.slice(passed.units, from));
    passed.units = from;
    pieces.push({ start: passed.characters, words: words.map(({ term }) => inSpace(workspaceId, term)) });
  }

  for (const { term, start, end } of wordsOf(text)) {
    const isFull = words.length === wordsPerPiece || end - (words[0]?.start ?? end) > charactersPerPiece;
    if (isFull) {
      close();
      words = words.slice(-Math.min(wordsSharedMax, Math.floor(words.length / 2)));
      await turn();
    }
    words.push({ term, start });
  }
  if (words.length > 0) close();
  if (pieces.length > 1) for (const piece of pieces) piece.words.push(pieceMark(workspaceId));
  return pieces;
}
