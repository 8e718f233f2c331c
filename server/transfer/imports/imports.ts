import { errorBody } from "#contract/errors.ts";
import type {
  ImportCounts,
  ImportedThread,
  ImportEvent,
  MissingFile,
  SkippedContent,
} from "#contract/endpoints/imports.ts";
import { addToCounts, emptyCounts } from "#contract/import-counts.ts";
import { limits } from "#contract/limits.ts";
import type { Prompts } from "#server/assistants/prompts/prompts.ts";
import { openSpool as openSpoolAt, type Spool } from "#storage/lib/spool.ts";
import type { SteadyClock } from "#server/lib/clock.ts";
import type { Logger } from "#server/lib/logger.ts";
import { AppError } from "#server/lib/errors.ts";
import { createRateLimiter } from "#server/lib/rate-limit.ts";
import type { RequestFacts, Visitor } from "#server/lib/route.ts";
import type { ConcurrencyLimiter } from "#server/lib/concurrency-limit.ts";
import type { ImportThread } from "./import-thread.ts";
import { derivedId } from "./derived-id.ts";
import { detectFormat } from "./detect-format.ts";
import type { DetectedImport } from "./importer.ts";
import type { Candidate } from "./thread-source.ts";
import { newUploadPath, receive, type Upload } from "./upload.ts";
import { uploadLimits, type ZipLimits } from "./zip/zip.ts";

export type ImportOptions = {
  /** The URL of the service, for the URLs of files. */
  base: string;
  /** Only says what would be imported. */
  isPreview?: boolean;
};

export type Imports = {
  /**
   * Receives an export, then imports its threads and yields each result. The import stops between two threads if the
   * caller stops reading or aborts the request. Throws before
   * the first thread `too-large`, `import-unknown`, `import-too-new`, `import-damaged`, `import-unsafe`,
   * `too-many-imports` and `rate-limited`.
   */
  receive(
    visitor: Visitor,
    request: Pick<RequestFacts, "limitKey" | "contentLength" | "body" | "signal">,
    options: ImportOptions,
  ): Promise<AsyncGenerator<ImportEvent>>;
  /** Like `receive`, for a file on the disk, which is closed at the end. */
  read(
    visitor: Visitor,
    file: Upload,
    options: ImportOptions,
    most: ZipLimits,
    signal: AbortSignal,
  ): Promise<AsyncGenerator<ImportEvent>>;
};

/** Missing files that are listed per thread. */
const missingMax = 20;
/** Kinds of skipped content that are listed per thread. */
const skippedMax = 20;
const nothing = {
  messages: 0,
  files: 0,
  missing: [],
  missing_files: 0,
  missing_reasons: {},
  skipped: [],
  skipped_items: 0,
};

export function createImports(options: {
  clock: SteadyClock;
  importThread: ImportThread;
  previewThread: ImportThread;
  prompts: Pick<Prompts, "import">;
  dataDir: string;
  /** The largest export. */
  bytesMax: number;
  /** Limits concurrent imports. */
  limiter: ConcurrencyLimiter;
  logger: Logger;
}): Imports {
  const { clock, limiter, importThread, previewThread, prompts, dataDir, bytesMax, logger } = options;
  const hourlyLimit = createRateLimiter({ clock, points: limits.importsPerHour, seconds: 3_600 });

  async function importCandidate(
    visitor: Visitor,
    candidate: Candidate,
    number: number,
    { base, isPreview = false }: ImportOptions,
    signal: AbortSignal,
  ): Promise<ImportedThread> {
    const line = { type: "import-thread", number, title: candidate.title } as const;
    try {
      if ("error" in candidate) throw candidate.error;
      const work = isPreview ? previewThread : importThread;
      const result = await work(visitor, candidate.source, base, signal);
      const { threadId, inTrash, title, missing, skipped, ...rest } = result;
      return {
        ...line,
        ...rest,
        missing: missing.slice(0, missingMax),
        missing_files: missing.length,
        missing_reasons: countsByCode(missing),
        skipped: skipped.slice(0, skippedMax),
        skipped_items: skipped.reduce((sum, { count }) => sum + count, 0),
        title,
        thread_id: threadId,
        in_trash: inTrash,
        error: null,
      };
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof AppError)) throw error;
      logger.debug({ err: error }, "an import refused a thread");
      const { code, message, details } = errorBody(error.code, undefined, error);
      const reported = { code, message, ...(details === undefined ? {} : { details }) };
      return { ...line, ...nothing, outcome: "refused", thread_id: null, in_trash: false, error: reported };
    }
  }

  async function read(
    visitor: Visitor,
    file: Upload,
    options: ImportOptions,
    zipLimits: ZipLimits,
    signal: AbortSignal,
    release: () => void = () => {},
  ): Promise<AsyncGenerator<ImportEvent>> {
    const spools: Spool[] = [];
    const openSpool = async () => {
      const spool = openSpoolAt(await newUploadPath(dataDir));
      spools.push(spool);
      return spool;
    };
    const close = async () => {
      release();
      for (const spool of spools) await spool.close();
      await file.close();
    };
    const reader = { most: zipLimits, openSpool, dataDir, logger, signal };
    const detected = await detectFormat(file, reader)
      .then(ofOnePerson)
      .catch(async (error: unknown) => {
        await close();
        throw error;
      });
    const { kind, count, threads, prompts: kept, skipped, unused } = detected;
    return (async function* () {
      let counts: ImportCounts = emptyCounts;
      let number = 0;
      try {
        yield { type: "import-start", kind, threads: count };
        for await (const candidate of threads) {
          signal.throwIfAborted();
          const thread = await importCandidate(visitor, candidate, ++number, options, signal);
          counts = addToCounts(counts, thread);
          yield thread;
        }
        const { added, refused } =
          options.isPreview === true
            ? { added: kept?.length ?? 0, refused: 0 }
            : await prompts.import(visitor, kept ?? [], (id) =>
                derivedId("prompt", id, visitor.workspaceId, 0),
              );
        const { names, count: unusedFiles } = unused();
        yield {
          type: "import-end",
          ...counts,
          prompts: added,
          refused_prompts: refused,
          skipped: [...skipped],
          unused: names,
          unused_files: unusedFiles,
        };
      } finally {
        await close();
      }
    })();
  }

  return {
    async receive(visitor, request, importOptions) {
      if ((request.contentLength ?? 0) > bytesMax) throw new AppError("too-large");
      const release = limiter.take(visitor, request);
      try {
        if (visitor.kind !== "key") hourlyLimit.spend(visitor.userId);
        const upload = await receive(request.body(), { dataDir, bytesMax });
        return await read(visitor, upload, importOptions, uploadLimits, request.signal, release);
      } catch (error) {
        release();
        throw error;
      }
    },
    read,
  };
}

/** The import of the only person of a server who has chats. Throws `import-of-several`. */
function ofOnePerson(detected: DetectedImport): DetectedImport & { skipped: readonly SkippedContent[] } {
  const { server } = detected;
  if (server === undefined) return { ...detected, skipped: [] };
  const withChats = server.people.filter(({ threads }) => threads > 0);
  if (withChats.length > 1) throw new AppError("import-of-several");
  const key = (withChats[0] ?? server.people[0])?.key ?? "";
  const { threads: count = 0 } = withChats[0] ?? {};
  return {
    ...detected,
    count,
    threads: server.threadsOf(key),
    prompts: server.promptsOf(key),
    skipped: server.skipped,
  };
}

function countsByCode(missing: MissingFile[]): ImportedThread["missing_reasons"] {
  const counts: ImportedThread["missing_reasons"] = {};
  for (const { error } of missing) counts[error.code] = (counts[error.code] ?? 0) + 1;
  return counts;
}
