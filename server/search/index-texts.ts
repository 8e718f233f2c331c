import { lockByName } from "#storage/database/portable-sql.ts";
import { wordsPerDocumentMax } from "#storage/database/full-text.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import { setImmediate as letOthersIn, setTimeout as sleepFor } from "node:timers/promises";
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/logger.ts";
import { indexFile } from "./files/index-file.ts";
import { messagePieces, type MessagePiece } from "./message-pieces.ts";
import * as rows from "./rows.ts";

/** Of a longer message, what comes later is not found: about 80,000 words, or 200 pages. */
export const charactersPerMessage = 400_000;
/** Notes that are read at once. */
const batch = 50;
/** Words that are written in one transaction, about 10 ms on SQLite: no answer that streams stutters. */
const wordsPerWrite = wordsPerDocumentMax;
const lookEveryMs = 1_000;
/** Longer than any file takes. */
const leftToOthersMs = 60_000;

/** Keeps the index behind what is written by a second at the most, and by nothing when somebody searches. */
export type Indexer = {
  /** Indexes what is pending, for at most `withinMs`. Answers whether everything is indexed. */
  catchUp(withinMs: number): Promise<boolean>;
  stop(): Promise<void>;
};

type Indexed = { text: rows.Text; documents: MessagePiece[] };

export function startIndexer(options: { db: Database; clock: Clock; logger: Logger }): Indexer {
  const { db, clock, logger } = options;
  const stopped = new AbortController();
  // One batch at a time: two callers would read the same notes.
  let working: Promise<number> = Promise.resolve(0);
  // Files beside them, one at a time: a long one has as many words as a thousand messages.
  let filing: Promise<boolean> = Promise.resolve(false);
  /** Files that another process is at, and until when they are left to it. */
  const othersFiles = new Map<string, number>();

  /** Answers how many notes there were. */
  async function indexBatch(): Promise<number> {
    const pending = await rows.findPending(db, batch);
    if (pending.length === 0) return 0;
    const texts = await rows.findTexts({ q: db.read, engine: db.engine }, pending, charactersPerMessage);
    const there = new Set(texts.map(keyOf));
    const gone = pending.filter((note) => !there.has(keyOf(note)));
    if (gone.length > 0) await db.write(async (tx) => void (await rows.takePending(tx, gone)));
    let group: Indexed[] = [];
    let words = 0;
    for (const text of texts) {
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

  /** A document a transaction; its note goes last, so that a death in between begins it anew. */
  async function writeLong({ text, documents }: Indexed): Promise<void> {
    for (const [index, document] of documents.entries()) {
      const last = index === documents.length - 1;
      const wentOn = await db.write(async (tx) => {
        await lockByName(tx, "search");
        const [now] = await rows.findTexts(tx, [text], charactersPerMessage);
        if (now === undefined || !same(now, text)) return false;
        if (last && (await rows.takePending(tx, [text])).length === 0) return false;
        if (index === 0) await rows.forget(tx, [text]);
        await rows.addDocument(tx, text, document);
        return true;
      });
      if (!wentOn) return;
    }
  }

  /** What changed while its words were read is left for the next time, as is what another process was quicker with. */
  async function write(tx: Tx, group: Indexed[]): Promise<void> {
    await lockByName(tx, "search");
    const now = await rows.findTexts(
      tx,
      group.map(({ text }) => text),
      charactersPerMessage,
    );
    const byKey = new Map(now.map((text) => [keyOf(text), text]));
    const unchanged = group.filter(({ text }) => same(byKey.get(keyOf(text)), text));
    const taken = await rows.takePending(
      tx,
      unchanged.map(({ text }) => text),
    );
    const mine = new Set(taken.map(keyOf));
    await rows.forget(tx, taken);
    for (const { text, documents } of unchanged.filter((one) => mine.has(keyOf(one.text))))
      for (const document of documents) await rows.addDocument(tx, text, document);
  }

  /** Answers whether there was one. */
  async function indexNextFile(): Promise<boolean> {
    for (const [id, untilMs] of othersFiles) if (untilMs < performance.now()) othersFiles.delete(id);
    const file = await rows.findPendingFile(db, [...othersFiles.keys()]);
    if (file === undefined) return false;
    if (!(await indexFile(db, file.id))) othersFiles.set(file.id, performance.now() + leftToOthersMs);
    return true;
  }

  /** Answers whether there may be more. */
  async function nextIsFull(): Promise<boolean> {
    working = working.catch(() => 0).then(indexBatch);
    return (await working) === batch;
  }

  async function nextFile(): Promise<boolean> {
    filing = filing.catch(() => false).then(indexNextFile);
    return await filing;
  }

  /** Does `next` for as long as it answers that there may be more. */
  async function work(next: () => Promise<boolean>, untilMs: number): Promise<boolean> {
    while (!stopped.signal.aborted) {
      if (!(await next())) return true;
      if (performance.now() > untilMs) return false;
      await letOthersIn();
    }
    return false;
  }

  async function catchUp(withinMs: number): Promise<boolean> {
    const untilMs = performance.now() + withinMs;
    if (!(await work(nextIsFull, untilMs))) return false;
    const files = work(nextFile, untilMs);
    if (withinMs === Infinity) return await files;
    // Nobody waits longer because a long file is under way.
    const leftMs = Math.max(0, untilMs - performance.now());
    return await Promise.race([files, sleepFor(leftMs, false, { ref: false })]);
  }

  async function loop(all: () => Promise<boolean>): Promise<void> {
    while (!stopped.signal.aborted) {
      await clock.sleep(lookEveryMs, stopped.signal).catch(() => {});
      if (stopped.signal.aborted) return;
      await all().catch((error: unknown) =>
        logger.error({ err: error }, "could not index what was said; trying again"),
      );
    }
  }

  // Apart, so that many files hold up no message.
  const looping = [
    loop(async () => await work(nextIsFull, Infinity)),
    loop(async () => await work(nextFile, Infinity)),
  ];
  return {
    catchUp,
    async stop() {
      stopped.abort();
      await Promise.all(looping);
      await working.catch(() => {});
      await filing.catch(() => {});
    },
  };
}

function keyOf({ kind, id }: rows.Pending): string {
  return `${kind} ${id}`;
}

function same(a: rows.Text | undefined, b: rows.Text): boolean {
  return a?.text === b.text && a.workspaceId === b.workspaceId;
}
