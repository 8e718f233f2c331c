import type {
  ImportCounts,
  ImportedPrompts,
  ImportedThread,
  ImportEvent,
  ImportKind,
  MissingFile,
  SkippedContent,
  UnusedFiles,
} from "#contract/endpoints/imports.ts";
import type { ErrorCode } from "#contract/errors.ts";
import { addToCounts, emptyCounts } from "#contract/import-counts.ts";
import type { Transfers } from "./transfers.ts";
import { failureOf, type Failure } from "../failure.ts";
import { createdOnce } from "#web/lib/created-once.ts";
import { createStore, type Store } from "#web/lib/store.ts";

/** The state of the import, which continues while other screens are open. */
export type ImportState =
  | { state: "none" }
  | { state: "sending"; isPreview: boolean; name: string; sentBytes: number; sizeBytes: number }
  | ({ state: "reading"; isPreview: boolean } & ImportProgress)
  /** The file was read, and nothing is imported yet. */
  | ({ state: "previewed" } & ImportProgress)
  | ({ state: "done" } & ImportProgress)
  | ({ state: "stopped" } & ImportProgress)
  | ({ state: "failed"; failure: Failure } & ImportProgress);

export type ImportProgress = {
  name: string;
  /** null: the export is empty. */
  kind: ImportKind | null | undefined;
  /** The number of threads that were read, and of all threads if it is known. */
  read: number;
  all: number | undefined;
  counts: ImportCounts;
  /** The threads that were added or extended, except those in the trash: the first ones, and how many there are. */
  imported: { threads: ImportedThread[]; count: number };
  /** The first refused threads; `counts` has their number. */
  refused: ImportedThread[];
  /** How many of the threads are in the trash. */
  inTrash: number;
  /** The first files that are missing in the import, with the titles of their threads. */
  missing: (MissingFile & InThread)[];
  /** How many files are missing for each error code. */
  missingReasons: Partial<Record<ErrorCode, number>>;
  /** The first kinds of other content that was left out. */
  skipped: (SkippedContent & InThread)[];
  /** Content of the whole export that was left out. */
  leftOut: SkippedContent[];
} & ImportedPrompts &
  UnusedFiles;

/** A thread of the export; it has a number if it has no title. */
type InThread = { thread: Pick<ImportedThread, "title" | "number"> };

export type Importer = {
  state: Pick<Store<ImportState>, "get" | "subscribe">;
  /** Reads a file and says what it would add, one at a time. Never throws. */
  preview(file: File): Promise<void>;
  /** Imports the file that was read last. Never throws. */
  start(): Promise<void>;
  stop(): void;
  /** Forgets the result of the last import. */
  clear(): void;
};

/** How many threads and files the report can list. */
const maxListed = 200;

/** The imports of this tab. */
export const importerOf = createdOnce(createImporter);

function createImporter(loadTransfers: () => Promise<Pick<Transfers, "importFile">>): Importer {
  const state = createStore<ImportState>({ state: "none" });
  let running: AbortController | undefined;
  let chosen: File | undefined;

  async function send(file: File, isPreview: boolean): Promise<void> {
    if (running !== undefined) return;
    const controller = (running = new AbortController());
    let progress = emptyProgress(file.name);
    const sending = { state: "sending", isPreview, name: file.name, sizeBytes: file.size } as const;
    state.set({ ...sending, sentBytes: 0 });
    const onSent = (sentBytes: number) =>
      state.set(
        sentBytes < file.size ? { ...sending, sentBytes } : { state: "reading", isPreview, ...progress },
      );
    const onEvent = (event: ImportEvent) => {
      progress = withEvent(progress, event);
      state.set({ state: "reading", isPreview, ...progress });
    };
    try {
      const { importFile } = await loadTransfers();
      const how = { endpoint: "imports.add", isPreview } as const;
      await importFile(file, how, { onSent, onEvent }, controller.signal);
      state.set({ state: isPreview && progress.read > 0 ? "previewed" : "done", ...progress });
    } catch (error) {
      if (!controller.signal.aborted) state.set({ state: "failed", failure: failureOf(error), ...progress });
      else state.set(isPreview ? { state: "none" } : { state: "stopped", ...progress });
    } finally {
      running = undefined;
    }
  }

  return {
    state,
    async preview(file) {
      chosen = file;
      await send(file, true);
    },
    async start() {
      if (chosen !== undefined) await send(chosen, false);
    },
    stop: () => running?.abort(),
    clear() {
      if (running === undefined) state.set({ state: "none" });
    },
  };
}

const noPrompts: ImportedPrompts = { prompts: 0, refused_prompts: 0 };

function emptyProgress(name: string): ImportProgress {
  const lists = {
    imported: { threads: [], count: 0 },
    refused: [],
    missing: [],
    skipped: [],
    leftOut: [],
    unused: [],
  };
  const counts = { counts: emptyCounts, inTrash: 0, missingReasons: {}, ...noPrompts, unused_files: 0 };
  return { name, kind: undefined, read: 0, all: undefined, ...counts, ...lists };
}

function withEvent(progress: ImportProgress, event: ImportEvent): ImportProgress {
  switch (event.type) {
    case "import-start":
      return { ...progress, kind: event.kind, all: event.threads ?? undefined };
    case "import-thread": {
      const isImported = (event.outcome === "added" || event.outcome === "updated") && !event.in_trash;
      const { threads, count } = progress.imported;
      const thread = { title: event.title, number: event.number };
      return {
        ...progress,
        read: event.number,
        counts: addToCounts(progress.counts, event),
        inTrash: progress.inTrash + (event.in_trash ? 1 : 0),
        imported: {
          threads: appended(threads, isImported ? [event] : []),
          count: count + (isImported ? 1 : 0),
        },
        refused: appended(progress.refused, event.outcome === "refused" ? [event] : []),
        missing: appended(
          progress.missing,
          event.missing.map((file) => ({ ...file, thread })),
        ),
        missingReasons: added(progress.missingReasons, event.missing_reasons),
        skipped: appended(
          progress.skipped,
          event.skipped.map((content) => ({ ...content, thread })),
        ),
      };
    }
    // Only in imports of everybody.
    case "import-person":
    case "import-progress":
      return progress;
    case "import-end":
      return {
        ...progress,
        prompts: event.prompts,
        refused_prompts: event.refused_prompts,
        leftOut: event.skipped,
        unused: event.unused,
        unused_files: event.unused_files,
      };
  }
}

function added(
  counts: ImportProgress["missingReasons"],
  more: ImportProgress["missingReasons"],
): ImportProgress["missingReasons"] {
  const sum = { ...counts };
  for (const [code, count] of Object.entries(more) as [ErrorCode, number][])
    sum[code] = (sum[code] ?? 0) + count;
  return sum;
}

/** `listed` with `more` rows, at most `maxListed`. */
function appended<Row>(listed: Row[], more: readonly Row[]): Row[] {
  if (more.length === 0 || listed.length === maxListed) return listed;
  return [...listed, ...more].slice(0, maxListed);
}
