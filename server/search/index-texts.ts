import * as rows from "./rows.ts";
import { lockByName } from "#storage/database/portable-sql.ts";
import { wordsPerDocumentMax } from "#storage/database/full-text.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import { setImmediate as yieldToEventLoop, setTimeout as sleepFor } from "node:timers/promises";
import { indexFile } from "./files/index-file.ts";
import { limits } from "#contract/limits.ts";
import { lengthInSql } from "./characters.ts";
import { withWorkspacePrefix, pieceMark } from "./workspace-prefix.ts";
import { createYielder } from "../lib/concurrency/yield-to-event-loop.ts";
import { wordsOf } from "./indexed-words.ts";

/** Text after this is not indexed: about 80,000 words, or 200 pages. */
const charactersPerMessage = 400_000;
/** Pending entries per batch. */
const batchSize = 50;
/** Words per transaction. It takes about 10 ms on SQLite, so that streams are not delayed. */
const wordsPerWrite = wordsPerDocumentMax;
/** How long a file is left to another process. Indexing takes less. */
const otherProcessMs = 60_000;

/** Indexes messages, titles and files, and immediately when somebody searches. */
export type Indexer = ReturnType<typeof createIndexer>;

type Indexed = { text: rows.Text; documents: MessagePiece[] };

export function createIndexer({ db }: { db: Database }) {
  // One batch at a time, because two callers would read the same entries.
  let indexing: Promise<number> = Promise.resolve(0);
  // Files separately, one at a time: a long one has as many words as a thousand messages.
  let indexingFile: Promise<boolean> = Promise.resolve(false);
  let hasFiles = false;
  /** Files that another process is indexing, and until when they are left to it. */
  const filesOfOthers = new Map<string, number>();

  /** Returns the number of pending entries. */
  async function indexBatch(): Promise<number> {
    const pending = await rows.findPending(db, batchSize);
    if (pending.length === 0) return 0;
    const texts = await rows.findTexts({ q: db.read, engine: db.engine }, pending, charactersPerMessage);
    const existing = new Set(texts.map(keyOf));
    const deleted = pending.filter((entry) => !existing.has(keyOf(entry)));
    if (deleted.length > 0) await db.write(async (tx) => void (await takeUnchanged(tx, deleted, [])));
    let group: Indexed[] = [];
    let words = 0;
    for (const text of texts.toSorted((a, b) => a.createdAt - b.createdAt)) {
      const documents = await messagePieces(text.text, text.workspaceId);
      const size = documents.reduce((sum, { words: { length } }) => sum + length, 0);
      if (words + size > wordsPerWrite && group.length > 0) {
        await writeGroup(group);
        group = [];
        words = 0;
      }
      group.push({ text, documents });
      words += size;
    }
    await writeGroup(group);
    return pending.length;
  }

  async function writeGroup(group: Indexed[]): Promise<void> {
    const [only] = group;
    if (group.length === 1 && only!.documents.length > 1) await writeLong(only!);
    else if (group.length > 0) await db.write(async (tx) => await write(tx, group));
  }

  /** One document per transaction. The pending entry is deleted last, so that indexing restarts if the process dies. */
  async function writeLong({ text, documents }: Indexed): Promise<void> {
    for (const [index, document] of documents.entries()) {
      const last = index === documents.length - 1;
      const isUnchanged = await db.write(async (tx) => {
        await lockByName(tx, "search");
        const unchanged = last
          ? await takeUnchanged(tx, [text], [text])
          : (await rows.findTexts(tx, [text], charactersPerMessage)).filter((now) => isSame(now, text));
        if (unchanged.length === 0) return false;
        const before = index === 0 ? await rows.deleteDocuments(tx, [text]) : undefined;
        await rows.addDocuments(tx, [{ text, ...document, number: before?.get(text.id) }]);
        return true;
      });
      if (!isUnchanged) return;
    }
  }

  /** Skips texts that changed meanwhile, and those that another process has indexed. */
  async function write(tx: Tx, group: Indexed[]): Promise<void> {
    await lockByName(tx, "search");
    const texts = group.map(({ text }) => text);
    const taken = await takeUnchanged(tx, texts, texts);
    const ownKeys = new Set(taken.map(keyOf));
    const numbers = await rows.deleteDocuments(tx, taken);
    const documents = group
      .filter(({ text }) => ownKeys.has(keyOf(text)))
      .flatMap(({ text, documents: pieces }) =>
        pieces.map((piece, at) => ({ text, ...piece, number: at === 0 ? numbers.get(text.id) : undefined })),
      );
    await rows.addDocuments(tx, documents);
  }

  /** Returns whether there was a pending file. */
  async function indexNextFile(): Promise<boolean> {
    for (const [id, untilMs] of filesOfOthers) if (untilMs < performance.now()) filesOfOthers.delete(id);
    const file = await rows.findPendingFile(db, [...filesOfOthers.keys()]);
    if (file === undefined) return false;
    if (!(await indexFile(db, file.id))) filesOfOthers.set(file.id, performance.now() + otherProcessMs);
    return true;
  }

  /** Returns whether there may be more. */
  async function indexNextBatch(): Promise<boolean> {
    indexing = indexing.catch(() => 0).then(indexBatch);
    return (await indexing) === batchSize;
  }

  async function indexFileInTurn(): Promise<boolean> {
    indexingFile = indexingFile.catch(() => false).then(indexNextFile);
    return await indexingFile;
  }

  /** Repeats `next` while there may be more. Returns whether everything is done. */
  async function repeat(
    next: () => Promise<boolean>,
    untilMs: number,
    stopped?: AbortSignal,
  ): Promise<boolean> {
    while (stopped?.aborted !== true) {
      if (!(await next())) return true;
      if (performance.now() > untilMs) return false;
      await yieldToEventLoop();
    }
    return false;
  }

  /** Indexes pending entries for at most `withinMs`. Returns whether everything is indexed. */
  async function catchUp(withinMs: number): Promise<boolean> {
    const untilMs = performance.now() + withinMs;
    if (!(await repeat(indexNextBatch, untilMs))) return false;
    const files = repeat(indexFileInTurn, untilMs);
    if (withinMs === Infinity) return await files;
    // A search does not wait longer for a long file.
    const leftMs = Math.max(0, untilMs - performance.now());
    return await Promise.race([files, sleepFor(leftMs, false, { ref: false })]);
  }

  return {
    catchUp,
    /** Indexes the pending messages and titles, until `stopped` aborts. */
    async indexTexts(stopped: AbortSignal): Promise<void> {
      const pending = await rows.findPendingKinds(db);
      hasFiles ||= Boolean(pending.files);
      if (pending.texts) await repeat(indexNextBatch, Infinity, stopped);
    },
    /** Indexes the files that `indexTexts` found, until `stopped` aborts: separately, so that many do not delay messages. */
    async indexFiles(stopped: AbortSignal): Promise<void> {
      if (hasFiles) hasFiles = !(await repeat(indexFileInTurn, Infinity, stopped));
    },
  };
}

function keyOf({ kind, id }: rows.Pending): string {
  return `${kind} ${id}`;
}

function isSame(a: rows.Text | undefined, b: rows.Text | undefined): boolean {
  return a?.text === b?.text && a?.workspaceId === b?.workspaceId;
}

/** Takes the pending entries whose texts are still as in `texts`, or still missing. The others stay pending. */
async function takeUnchanged(tx: Tx, pending: rows.Pending[], texts: rows.Text[]): Promise<rows.Pending[]> {
  const taken = await rows.takePending(tx, pending);
  const before = new Map(texts.map((text) => [keyOf(text), text]));
  const now = new Map(
    (await rows.findTexts(tx, taken, charactersPerMessage)).map((text) => [keyOf(text), text]),
  );
  const { true: unchanged = [], false: changed = [] } = Object.groupBy(
    taken,
    (entry) => String(isSame(now.get(keyOf(entry)), before.get(keyOf(entry)))) as "true" | "false",
  );
  await rows.addPending(tx, changed);
  return unchanged;
}

/** The part of a message in one document. */
type MessagePiece = {
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
async function messagePieces(text: string, workspaceId: string): Promise<MessagePiece[]> {
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
  if (pieces.length > 1)
    for (const piece of pieces) piece.words.push(withWorkspacePrefix(workspaceId, pieceMark));
  return pieces;
}
