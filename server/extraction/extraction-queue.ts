import { BlobMissingError } from "#storage/blobs/blobs.ts";
import type { Database } from "#storage/database/database.ts";
import type { Clock } from "../lib/clock.ts";
import type { Contents } from "../files/contents.ts";
import type { Logger } from "../lib/logger.ts";
import { kindOf } from "./kinds.ts";
import { FaultError } from "./office/fault.ts";
import * as rows from "./rows.ts";
import { storedSource } from "./source.ts";
import type { Texts } from "./texts.ts";

/**
 * Reads the text of files soon after a message speaks of them, before anybody asks: one at a time in each process, and
 * each by one process alone.
 */
export type ReadingAhead = { stop(): Promise<void> };

const lookEveryMs = 1_000;
/** The longest that one may take: a PDF 60 s, an office document 20 s behind others, and the store before that. */
const readMs = 3 * 60_000;
/** Until then nobody else begins with it; who dies over it leaves it to the next one. */
const takenMs = 2 * readMs;
/** What could not be had is tried again after these, and then left to whoever asks for it. */
const againAfterMs = [5_000, 30_000, 5 * 60_000, 3_600_000, 24 * 3_600_000];

export function startReadingAhead(options: {
  db: Database;
  clock: Clock;
  logger: Pick<Logger, "warn" | "error">;
  contents: Contents;
  texts: Texts;
}): ReadingAhead {
  const { db, clock, logger, contents, texts } = options;
  const stopped = new AbortController();

  /** Answers whether there was one. */
  async function readNext(): Promise<boolean> {
    if (!(await rows.isAnyUnread(db.read, clock.now()))) return false;
    const now = clock.now();
    const taken = await db.write(async (tx) => await rows.takeUnread(tx, now, now + takenMs));
    if (taken === undefined) return false;
    const { fileId, tries } = taken;
    const isRead = await read(taken).catch((error: unknown) => {
      if (!stopped.signal.aborted)
        logger.warn({ err: error, fileId, tries }, "a file could not be had to be read");
      return false;
    });
    const againMs = againAfterMs[tries];
    await db.write(async (tx) => {
      if (stopped.signal.aborted && !isRead) await rows.putOff(tx, fileId, { dueAt: 0, tries });
      else if (isRead || againMs === undefined) await rows.forgetUnread(tx, fileId);
      else await rows.putOff(tx, fileId, { dueAt: clock.now() + againMs, tries: tries + 1 });
    });
    return true;
  }

  /** Answers whether all is known that there is to know: what is wrong with its bytes will not change. */
  async function read({ fileId, workspaceId }: rows.Unread): Promise<boolean> {
    const file = (await contents.find(workspaceId, [fileId])).get(fileId);
    if (file === undefined) return false;
    const kind = kindOf(file.type, file.name);
    if (kind === "picture" || kind === "audio" || kind === "none") return true;
    try {
      const signal = AbortSignal.any([stopped.signal, AbortSignal.timeout(readMs)]);
      await texts.of(storedSource(contents, file), signal);
    } catch (error) {
      if (error instanceof FaultError) return error.reason !== "away";
      if (!(error instanceof BlobMissingError)) throw error;
    }
    return true;
  }

  async function loop(): Promise<void> {
    while (!stopped.signal.aborted) {
      const wentOn = await readNext().catch((error: unknown) => {
        logger.error({ err: error }, "could not read files ahead; trying again");
        return false;
      });
      if (!wentOn) await clock.sleep(lookEveryMs, stopped.signal).catch(() => {});
    }
  }

  const looping = loop();
  return {
    async stop() {
      stopped.abort(new Error("the server is going down"));
      await looping;
    },
  };
}
