import type { Database } from "#storage/database/database.ts";
import type { Clock } from "../lib/clock.ts";
import { createExports, type Exports } from "./exports/exports.ts";
import type { Files } from "../files/files.ts";
import { createBring } from "./imports/import-threads.ts";
import { createImports, type Imports } from "./imports/imports.ts";
import { clearUploads } from "./imports/upload.ts";
import type { Live } from "../live/live.ts";
import type { Logger } from "../lib/logger.ts";
import { createMessageImport } from "../messages/import-messages.ts";
import type { AuthorsOf } from "../messages/authors.ts";
import { createTranscripts } from "../messages/transcripts.ts";
import { createScoreTransfer } from "../protocol/scores/transfer-scores.ts";
import { createSlots } from "../lib/concurrency-limit.ts";
import { createThreadImport } from "../threads/import-threads.ts";
import type { Threads } from "../threads/threads.ts";
import { programVersion } from "../lib/version.ts";

/** The rooms that threads go out and come in by: the server's, and those of the operator's commands. */
export type Carrying = {
  exports: Exports;
  imports: Imports;
  /** Clears away what imports left behind that were broken off by the end of their process. */
  clear(): Promise<void>;
};

/** An hour: no thread takes as long to be brought in, piece by piece. */
const stagedMs = 60 * 60_000;
/** Imports for one person, and for all behind one address. */
const most = { perVisitor: 1, perAddress: 8 };

export function createCarrying(options: {
  db: Database;
  clock: Clock;
  live: Live;
  threads: Threads;
  files: Pick<Files, "transfer" | "mentions">;
  makersOf: AuthorsOf;
  dataDir: string;
  importBytes: number;
  logger: Logger;
}): Carrying {
  const { db, clock, live, threads, files, makersOf, dataDir, importBytes, logger } = options;
  const scores = createScoreTransfer({ db, clock });
  const broughtThreads = createThreadImport({ db, live, clock });
  const broughtMessages = createMessageImport({ db, live, mentions: files.mentions });
  const { transfer: carried } = files;
  const bring = createBring({ db, clock, threads, broughtThreads, broughtMessages, scores, carried });
  // A lone process (SQLite) clears away, at its start, what the one before it began.
  let isFirst = db.engine === "sqlite";
  return {
    exports: createExports({
      threads,
      transcripts: createTranscripts({ db }),
      scores,
      carried,
      makersOf,
      clock,
      version: programVersion(),
    }),
    imports: createImports({
      bring,
      dataDir,
      bytesMax: importBytes,
      slots: createSlots("too-many-transfers", most),
      logger,
    }),
    async clear() {
      await broughtThreads.deleteStagedBefore(isFirst ? Number.MAX_SAFE_INTEGER : clock.now() - stagedMs);
      isFirst = false;
      await clearUploads(dataDir, clock.now());
    },
  };
}
