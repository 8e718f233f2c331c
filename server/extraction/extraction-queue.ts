import { BlobMissingError } from "#storage/blobs/blobs.ts";
import type { Database } from "#storage/database/database.ts";
import type { Clock } from "../lib/clock.ts";
import type { Contents } from "../files/contents.ts";
import type { Logger } from "../lib/logger.ts";
import { ExtractionError } from "./extraction-error.ts";
import { kindOf } from "./file-kind.ts";
import * as rows from "./rows.ts";
import { storedSource } from "./file-source.ts";
import type { Texts } from "./texts.ts";

/**
 * Extracts the text of files in the background, soon after a message refers to them. Each process works on one file at
 * a time, and leases keep two processes from working on the same file.
 */
export type ExtractionQueue = { stop(): Promise<void> };

const pollMs = 1_000;
/** A PDF takes up to 60 s, an office document up to 20 s behind others, and loading the bytes takes time too. */
const timeoutMs = 3 * 60_000;
/** If a process dies, another one takes its file when the lease has expired. */
const leaseMs = 2 * timeoutMs;
/** Temporary failures are retried after these delays. Later, the file is extracted when it is first needed. */
const retryDelaysMs = [5_000, 30_000, 5 * 60_000, 3_600_000, 24 * 3_600_000];

export function startExtractionQueue(options: {
  db: Database;
  clock: Clock;
  logger: Pick<Logger, "warn" | "error">;
  contents: Contents;
  texts: Texts;
}): ExtractionQueue {
  const { db, clock, logger, contents, texts } = options;
  const stopped = new AbortController();

  /** Returns whether a file was due. */
  async function extractNext(): Promise<boolean> {
    if (!(await rows.hasDueFile(db.read, clock.now()))) return false;
    const now = clock.now();
    const leased = await db.write(async (tx) => await rows.leaseNextFile(tx, now, now + leaseMs));
    if (leased === undefined) return false;
    const { fileId, tries } = leased;
    const isDone = await extract(leased).catch((error: unknown) => {
      if (!stopped.signal.aborted)
        logger.warn({ err: error, fileId, tries }, "the text of a file could not be extracted");
      return false;
    });
    const retryMs = retryDelaysMs[tries];
    await db.write(async (tx) => {
      if (stopped.signal.aborted && !isDone) await rows.reschedule(tx, fileId, { dueAt: 0, tries });
      else if (isDone || retryMs === undefined) await rows.removeFromQueue(tx, fileId);
      else await rows.reschedule(tx, fileId, { dueAt: clock.now() + retryMs, tries: tries + 1 });
    });
    return true;
  }

  /** Returns whether the file is done. A permanent failure is done too: the bytes do not change. */
  async function extract({ fileId, workspaceId }: rows.QueuedFile): Promise<boolean> {
    const file = (await contents.find(workspaceId, [fileId])).get(fileId);
    if (file === undefined) return false;
    const kind = kindOf(file.type, file.name);
    if (kind === "picture" || kind === "audio" || kind === "none") return true;
    try {
      const signal = AbortSignal.any([stopped.signal, AbortSignal.timeout(timeoutMs)]);
      await texts.extract(storedSource(contents, file), signal);
    } catch (error) {
      if (error instanceof ExtractionError) return error.reason !== "away";
      if (!(error instanceof BlobMissingError)) throw error;
    }
    return true;
  }

  async function loop(): Promise<void> {
    while (!stopped.signal.aborted) {
      const wasDue = await extractNext().catch((error: unknown) => {
        logger.error({ err: error }, "the extraction queue failed; trying again");
        return false;
      });
      if (!wasDue) await clock.sleep(pollMs, stopped.signal).catch(() => {});
    }
  }

  const looping = loop();
  return {
    async stop() {
      stopped.abort(new Error("the server is shutting down"));
      await looping;
    },
  };
}
