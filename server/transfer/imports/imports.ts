import type { ImportCounts, ImportEvent, SkippedContent } from "#contract/endpoints/imports.ts";
import { addToCounts, emptyCounts } from "#contract/import-counts.ts";
import { limits } from "#contract/limits.ts";
import { openSpool as openSpoolAt, type Spool } from "#storage/lib/spool.ts";
import type { SteadyClock } from "#server/lib/clock.ts";
import type { Logger } from "#server/lib/logger.ts";
import { AppError } from "#server/lib/errors.ts";
import { createRateLimiter } from "#server/lib/rate-limit.ts";
import type { RequestFacts, Visitor } from "#server/lib/route.ts";
import type { ConcurrencyLimiter } from "#server/lib/concurrency-limit.ts";
import { detectFormat } from "./detect-format.ts";
import type { ImportCandidate, ImportOptions, ImportPrompts } from "./import-candidate.ts";
import type { DetectedImport } from "./importer.ts";
import type { ImportEveryone } from "./servers/import-everyone.ts";
import { newUploadPath, receive, type Upload } from "./upload.ts";
import { uploadLimits, type ZipLimits } from "./zip/zip.ts";

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

export function createImports(options: {
  clock: SteadyClock;
  importCandidate: ImportCandidate;
  importPrompts: ImportPrompts;
  importEveryone: ImportEveryone;
  dataDir: string;
  /** The largest export. */
  bytesMax: number;
  /** Limits concurrent imports. */
  limiter: ConcurrencyLimiter;
  logger: Logger;
}): Imports {
  const { clock, limiter, importCandidate, importPrompts, importEveryone, dataDir, bytesMax, logger } =
    options;
  const hourlyLimit = createRateLimiter({ clock, points: limits.importsPerHour, seconds: 3_600 });

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
    try {
      const detected = await detectFormat(file, reader);
      const { everyone } = options;
      if (everyone !== undefined && detected.server === undefined) throw new AppError("import-unknown");
      const events =
        everyone === undefined
          ? importOne(visitor, ofOnePerson(detected), options, signal)
          : importEveryone(detected, { isPreview: false, ...options, ...everyone, visitor, signal });
      return closing(events, close);
    } catch (error) {
      await close();
      throw error;
    }
  }

  async function* importOne(
    visitor: Visitor,
    detected: ReturnType<typeof ofOnePerson>,
    options: ImportOptions,
    signal: AbortSignal,
  ): AsyncGenerator<ImportEvent> {
    const { kind, count, threads, prompts: kept = [], skipped, unused } = detected;
    let counts: ImportCounts = emptyCounts;
    let number = 0;
    yield { type: "import-start", kind, threads: count };
    for await (const candidate of threads) {
      signal.throwIfAborted();
      const thread = await importCandidate(visitor, candidate, ++number, options, signal);
      counts = addToCounts(counts, thread);
      yield thread;
    }
    const prompts = await importPrompts(visitor, kept, options.isPreview === true);
    const { names, count: unusedFiles } = unused();
    const lists = { skipped: [...skipped()], unused: names, unused_files: unusedFiles };
    yield { type: "import-end", ...counts, ...prompts, ...lists };
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

async function* closing(
  events: AsyncGenerator<ImportEvent>,
  close: () => Promise<void>,
): AsyncGenerator<ImportEvent> {
  try {
    yield* events;
  } finally {
    await close();
  }
}

/** The import of the only person of a server who has chats. Throws `import-of-several`. */
function ofOnePerson(
  detected: DetectedImport,
): DetectedImport & { skipped: () => readonly SkippedContent[] } {
  const { server, skipped = () => [] } = detected;
  if (server === undefined) return { ...detected, skipped };
  const withChats = server.people.filter(({ threads }) => threads > 0);
  if (withChats.length > 1) throw new AppError("import-of-several");
  const key = (withChats[0] ?? server.people[0])?.key ?? "";
  const { threads: count = 0 } = withChats[0] ?? {};
  return {
    ...detected,
    count,
    threads: server.threadsOf(key),
    prompts: server.promptsOf(key),
    skipped: () => server.skipped,
  };
}
