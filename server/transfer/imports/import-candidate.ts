import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { errorBody } from "#contract/errors.ts";
import type { ImportedPrompts, ImportedThread, MissingFile } from "#contract/endpoints/imports.ts";
import type { Prompt } from "#contract/prompts/endpoints.ts";
import type { Prompts } from "#server/assistants/prompts/prompts.ts";
import type { Actor } from "#server/audit/audit.ts";
import { AppError } from "#server/lib/errors.ts";
import type { SteadyClock } from "#server/lib/clock.ts";
import type { Logger } from "#server/lib/logger.ts";
import type { Visitor } from "#server/lib/route.ts";
import { derivedId } from "./derived-id.ts";
import type { ImportThread } from "./import-thread.ts";
import type { Candidate } from "./thread-source.ts";

export type ImportOptions = {
  /** The URL of the service, for the URLs of files. */
  base: string;
  /** Only says what would be imported. */
  isPreview?: boolean;
  /** Imports what everybody has, for an administrator. `linkOf`: the page on which people use their invitations. */
  everyone?: { inviterId: string; actor: Actor; linkOf(token: string): string };
};

/** Imports a thread, or with `isPreview` says what that would do. A refused one is a result. */
export type ImportCandidate = (
  visitor: Visitor,
  candidate: Candidate,
  number: number,
  options: Pick<ImportOptions, "base" | "isPreview">,
  signal: AbortSignal,
) => Promise<ImportedThread>;

/** Adds prompts that are not here. */
export type ImportPrompts = (
  visitor: Visitor,
  prompts: readonly Prompt[],
  isPreview: boolean,
) => Promise<ImportedPrompts>;

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

export function createImportCandidate(options: {
  importThread: ImportThread;
  previewThread: ImportThread;
  clock: SteadyClock;
  pace: Pace;
  logger: Logger;
}): ImportCandidate {
  const { importThread, previewThread, clock, pace, logger } = options;

  const importOrRefuse: ImportCandidate = async (
    visitor,
    candidate,
    number,
    { base, isPreview = false },
    signal,
  ) => {
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
  };

  return async (visitor, candidate, number, how, signal) => {
    const startedMs = clock.elapsedMs();
    const result = await importOrRefuse(visitor, candidate, number, how, signal);
    await pace(clock.elapsedMs() - startedMs, signal);
    return result;
  };
}

export function createImportPrompts({ prompts }: { prompts: Pick<Prompts, "import"> }): ImportPrompts {
  return async (visitor, incoming, isPreview) => {
    if (isPreview) return { prompts: incoming.length, refused_prompts: 0 };
    const idOf = (id: string) => derivedId("prompt", id, visitor.workspaceId, 0);
    const { added, refused } = await prompts.import(visitor, incoming, idOf);
    return { prompts: added, refused_prompts: refused };
  };
}

function countsByCode(missing: MissingFile[]): ImportedThread["missing_reasons"] {
  const counts: ImportedThread["missing_reasons"] = {};
  for (const { error } of missing) counts[error.code] = (counts[error.code] ?? 0) + 1;
  return counts;
}

/** An import pauses half as long as it works: enough for the processor and the disk to catch up, and it still ends in time. */
const pauseShare = 0.5;
/** Most threads take a few milliseconds. A large one is not paused for longer. */
const pauseMsMax = 100;

/** Waits after `workedMs` of an import's work. */
export type Pace = (workedMs: number, signal: AbortSignal) => Promise<void>;

/**
 * Lets others go first between two threads of an import: what is waiting always, and longer while answers are streaming.
 * Without it, a preview of many threads would hold the event loop until it ends, because nothing in it waits for the disk.
 */
export function createPace({ clock, isStreaming }: { clock: SteadyClock; isStreaming: () => boolean }): Pace {
  return async (workedMs, signal) => {
    if (isStreaming()) await clock.sleep(Math.min(workedMs * pauseShare, pauseMsMax), signal);
    else await yieldToEventLoop();
  };
}
