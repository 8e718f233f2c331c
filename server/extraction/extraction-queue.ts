import { BlobMissingError } from "#storage/blobs/blobs.ts";
import type { Database } from "#storage/database/database.ts";
import type { Clock } from "../lib/clock.ts";
import type { Contents } from "../files/contents.ts";
import type { Logger } from "../lib/logger.ts";
import { ExtractionError } from "./extraction-error.ts";
import { kindOf } from "./file-kind.ts";
import * as rows from "./rows.ts";
import { storedSource } from "./file-source.ts";
import { hasScannedPages } from "./ocr/recognizer.ts";
import type { Texts } from "./texts.ts";

/** A PDF takes up to 60 s, an office document up to 20 s behind others, and loading the bytes takes time too. */
const timeoutMs = 3 * 60_000;
/** If a process dies, another one takes its file when the lease has expired. */
const leaseMs = 2 * timeoutMs;
/** Temporary failures are retried after these delays. Later, the file is extracted when it is first needed. */
const retryDelaysMs = [5_000, 30_000, 5 * 60_000, 3_600_000, 24 * 3_600_000];

/**
 * Extracts the text of files, soon after a message refers to them. Each process works on one file at a time, and leases keep
 * two processes from working on the same file.
 */
export function createExtractionQueue(options: {
  db: Database;
  clock: Clock;
  logger: Pick<Logger, "warn">;
  contents: Contents;
  texts: Pick<Texts, "extract">;
  /** Called with each file that has scanned pages. */
  onScanned(file: { fileId: string; workspaceId: string }): Promise<void>;
}) {
  const { db, clock, logger, contents, texts } = options;

  /** Returns whether a file was due. */
  async function extractNext(stopped: AbortSignal): Promise<boolean> {
    if (!(await rows.hasDueFile(db.read, clock.now()))) return false;
    const now = clock.now();
    const leased = await db.write(async (tx) => await rows.leaseNextFile(tx, now, now + leaseMs));
    if (leased === undefined) return false;
    const { fileId, tries } = leased;
    const isDone = await extract(leased, stopped).catch((error: unknown) => {
      if (!stopped.aborted)
        logger.warn({ err: error, fileId, tries }, "the text of a file could not be extracted");
      return false;
    });
    const retryMs = retryDelaysMs[tries];
    await db.write(async (tx) => {
      if (stopped.aborted && !isDone) await rows.reschedule(tx, fileId, { dueAt: 0, tries });
      else if (isDone || retryMs === undefined) await rows.removeFromQueue(tx, fileId);
      else await rows.reschedule(tx, fileId, { dueAt: clock.now() + retryMs, tries: tries + 1 });
    });
    return true;
  }

  /** Returns whether the file is done. A permanent failure is done too: the bytes do not change. */
  async function extract({ fileId, workspaceId }: rows.QueuedFile, stopped: AbortSignal): Promise<boolean> {
    const file = (await contents.find(workspaceId, [fileId])).get(fileId);
    if (file === undefined) return false;
    const kind = kindOf(file.type, file.name);
    if (kind === "picture" || kind === "audio" || kind === "none") return true;
    try {
      const signal = AbortSignal.any([stopped, AbortSignal.timeout(timeoutMs)]);
      const text = await texts.extract(storedSource(contents, file), signal);
      if (text.recognized === undefined && hasScannedPages(text))
        await options.onScanned({ fileId, workspaceId });
    } catch (error) {
      if (error instanceof ExtractionError) return error.reason !== "away";
      if (!(error instanceof BlobMissingError)) throw error;
    }
    return true;
  }

  return {
    /** Extracts what is due, one file after the other, until `stopped` aborts. */
    async extractDue(stopped: AbortSignal): Promise<void> {
      while (!stopped.aborted && (await extractNext(stopped)));
    },
  };
}
