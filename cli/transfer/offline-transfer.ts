import { createAssistants } from "#server/assistants/assistants.ts";
import { createPrompts } from "#server/assistants/prompts/prompts.ts";
import { createRights } from "#server/people/rights/rights.ts";
import { createTransfer, type Transfer } from "#server/transfer/transfer.ts";
import { createFiles } from "#server/files/files.ts";
import { createLive } from "#server/live/live.ts";
import { createLogger } from "#server/lib/logger.ts";
import { createQuota } from "#server/quota/quota.ts";
import { createAuthorsOf } from "#server/runs/run-authors.ts";
import { createConcurrencyLimiter } from "#server/lib/concurrency-limit.ts";
import { createBookmarks } from "#server/threads/bookmarks.ts";
import { createThreads } from "#server/threads/threads.ts";
import { openBlobs } from "#storage/blobs/open.ts";
import type { Database } from "#storage/database/database.ts";
import type { CommandContext } from "../command-context.ts";

/** Builds what export and import need, without a running server. */
export async function createOfflineTransfer(db: Database, context: CommandContext): Promise<Transfer> {
  const { clock } = context;
  const { dataDir, importBytes, files } = context.config();
  const logger = createLogger("silent");
  const live = createLive({ db });
  const bookmarks = createBookmarks({ db, clock, logger, saveAfterMs: 0 });
  const assistants = createAssistants({ db, live, clock, toolNames: () => [] });
  const quota = createQuota({ db, totalBytes: files.quotaBytes });
  const threads = createThreads({ db, assistants, live, clock, bookmarks, quota });
  const authorsOf = createAuthorsOf({ db, assistants });
  const blobs = await openBlobs({ dataDir, s3: files.s3 });
  // Exports need neither thumbnails nor signed URLs.
  const makeThumbnail = () => Promise.reject(new Error("The command line makes no thumbnails."));
  const attachedFiles = createFiles({
    db,
    blobs,
    live,
    clock,
    logger,
    folder: undefined,
    limiter: createConcurrencyLimiter("too-many-uploads", { perVisitor: 1, perAddress: 1 }),
    isStreaming: () => false,
    secret: "",
    makeThumbnail,
    quota,
    ...files,
  });
  return createTransfer({
    db,
    clock,
    live,
    threads,
    assistants,
    // The names of models are compared when somebody asks: no provider is called here.
    models: { list: async () => await Promise.resolve({ models: [], default: "" }) },
    prompts: createPrompts({ db, live, clock, rights: createRights({ db }) }),
    files: attachedFiles,
    authorsOf,
    dataDir,
    importBytes,
    quota,
    isStreaming: () => false,
    logger,
  });
}
