import type { Assistants } from "../assistants/assistants.ts";
import { createPreparePeople } from "../people/prepared/prepare-person.ts";
import { createGroups } from "../people/groups/groups.ts";
import type { Prompts } from "../assistants/prompts/prompts.ts";
import type { Database } from "#storage/database/database.ts";
import type { SteadyClock } from "../lib/clock.ts";
import { createExportEveryone } from "./exports/everyone.ts";
import { createExports } from "./exports/exports.ts";
import { createOperatorExports } from "./exports/operator-exports.ts";
import type { Files } from "../files/files.ts";
import { createPace, createImportCandidate, createImportPrompts } from "./imports/import-candidate.ts";
import { createImportAssistants } from "./imports/servers/import-assistants.ts";
import { createImportEveryone } from "./imports/servers/import-everyone.ts";
import { createImportThread } from "./imports/import-thread.ts";
import { createImports } from "./imports/imports.ts";
import { createPreviewThread } from "./imports/preview-thread.ts";
import { removeOldUploads } from "./imports/upload.ts";
import type { Quota } from "../quota/quota.ts";
import type { Models } from "../models/models.ts";
import type { Live } from "../live/live.ts";
import type { Logger } from "../lib/logger.ts";
import { createMessageImport } from "../messages/import-messages.ts";
import type { AuthorsOf } from "../messages/authors.ts";
import { createTranscripts } from "../messages/transcripts.ts";
import { createScoreTransfer } from "../protocol/scores/transfer-scores.ts";
import { createConcurrencyLimiter } from "../lib/concurrency-limit.ts";
import { createWatchReaders } from "../threads/members/group-changes.ts";
import { createThreadImport } from "../threads/import-threads.ts";
import type { Threads } from "../threads/threads.ts";
import { programVersion } from "#storage/lib/program-version.ts";

/** No thread takes an hour to import. */
const stagedMs = 60 * 60_000;
/** Concurrent imports. */
const concurrency = { perVisitor: 1, perAddress: 8 };

export type Transfer = ReturnType<typeof createTransfer>;

/** Exports and imports of threads, for the server and for the operator's commands. */
export function createTransfer(options: {
  db: Database;
  clock: SteadyClock;
  live: Live;
  threads: Threads;
  prompts: Prompts;
  assistants: Pick<Assistants, "create" | "isKnown">;
  models: Pick<Models, "list">;
  files: Pick<Files, "transfer" | "fileReferences">;
  authorsOf: AuthorsOf;
  dataDir: string;
  importBytes: number;
  quota: Quota;
  /** Whether the server is streaming an answer now. Then imports leave it more time. */
  isStreaming: () => boolean;
  logger: Logger;
}) {
  const {
    db,
    clock,
    live,
    threads,
    prompts,
    assistants,
    models,
    files,
    authorsOf,
    dataDir,
    importBytes,
    quota,
    isStreaming,
    logger,
  } = options;
  const scores = createScoreTransfer({ db, clock });
  const threadImport = createThreadImport({ db, live, clock });
  const messageImport = createMessageImport({ db, live, fileReferences: files.fileReferences, quota });
  const { transfer: transferFiles } = files;
  const importThread = createImportThread({
    db,
    clock,
    threads,
    threadImport,
    messageImport,
    scores,
    transferFiles,
  });
  const previewThread = createPreviewThread({ threadImport, messageImport });
  const importCandidate = createImportCandidate({
    importThread,
    previewThread,
    clock,
    pace: createPace({ clock, isStreaming }),
    logger,
  });
  const importPrompts = createImportPrompts({ prompts });
  const people = createPreparePeople({ db, clock });
  const groups = createGroups({ db, clock, watchReaders: createWatchReaders({ live }) });
  // With SQLite there is one process, so everything that is staged when it starts is left over.
  let isFirst = db.engine === "sqlite";
  const version = programVersion();
  const exports = createExports({
    threads,
    prompts,
    transcripts: createTranscripts({ db }),
    scores,
    transferFiles,
    authorsOf,
    clock,
    version,
  });
  return {
    exports,
    exportEveryone: createExportEveryone({ db, exports, clock, version }),
    operatorExports: createOperatorExports({ db, clock }),
    imports: createImports({
      clock,
      importCandidate,
      importPrompts,
      importEveryone: createImportEveryone({
        db,
        clock,
        people,
        groups,
        importAssistants: createImportAssistants({ assistants, models }),
        importCandidate,
        importPrompts,
      }),
      dataDir,
      bytesMax: importBytes,
      limiter: createConcurrencyLimiter("too-many-transfers", concurrency),
      logger,
    }),
    /** Removes what unfinished imports of dead processes left behind. */
    async clear(): Promise<void> {
      await threadImport.deleteStagedBefore(isFirst ? Number.MAX_SAFE_INTEGER : clock.now() - stagedMs);
      isFirst = false;
      await removeOldUploads(dataDir, clock.now());
    },
  };
}
