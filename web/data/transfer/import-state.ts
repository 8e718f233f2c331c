import {
  addToCounts,
  emptyCounts,
  type ImportCounts,
  type ImportedThread,
  type ImportEvent,
  type ImportKind,
  type MissingFile,
} from "#contract/endpoints/imports.ts";
import type { Transfers } from "./transfer.ts";
import { failureOf, type Failure } from "../failure.ts";
import { createStore, type Store } from "#web/lib/store.ts";

/** The state of the import, which continues while other screens are open. */
export type ImportState =
  | { state: "none" }
  | { state: "sending"; name: string; sentBytes: number; sizeBytes: number }
  | ({ state: "reading" } & ImportProgress)
  | ({ state: "done" } & ImportProgress)
  | ({ state: "stopped" } & ImportProgress)
  | ({ state: "failed"; failure: Failure } & ImportProgress);

export type ImportProgress = {
  name: string;
  kind: ImportKind | undefined;
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
  /** The first files that are missing in the import. */
  missing: MissingFile[];
};

export type Importer = {
  state: Pick<Store<ImportState>, "get" | "subscribe">;
  /** Imports a file, one at a time. Never throws. */
  start(file: File): Promise<void>;
  stop(): void;
  /** Forgets the result of the last import. */
  clear(): void;
};

/** How many threads and files the report can list. */
const maxListed = 200;

export function createImporter(transfers: Pick<Transfers, "importFile">): Importer {
  const state = createStore<ImportState>({ state: "none" });
  let running: AbortController | undefined;

  return {
    state,
    async start(file) {
      if (running !== undefined) return;
      const controller = (running = new AbortController());
      let progress = emptyProgress(file.name);
      state.set({ state: "sending", name: file.name, sentBytes: 0, sizeBytes: file.size });
      const onSent = (bytes: number) =>
        bytes < file.size
          ? state.set({ state: "sending", name: file.name, sentBytes: bytes, sizeBytes: file.size })
          : state.set({ state: "reading", ...progress });
      const onEvent = (event: ImportEvent) => {
        progress = withEvent(progress, event);
        state.set({ state: "reading", ...progress });
      };
      try {
        await transfers.importFile(file, { onSent, onEvent }, controller.signal);
        state.set({ state: "done", ...progress });
      } catch (error) {
        if (controller.signal.aborted) state.set({ state: "stopped", ...progress });
        else state.set({ state: "failed", failure: failureOf(error), ...progress });
      } finally {
        running = undefined;
      }
    },
    stop: () => running?.abort(),
    clear() {
      if (running === undefined) state.set({ state: "none" });
    },
  };
}

function emptyProgress(name: string): ImportProgress {
  const lists = { imported: { threads: [], count: 0 }, refused: [], missing: [] };
  return { name, kind: undefined, read: 0, all: undefined, counts: emptyCounts, inTrash: 0, ...lists };
}

function withEvent(progress: ImportProgress, event: ImportEvent): ImportProgress {
  switch (event.type) {
    case "import-start":
      return { ...progress, kind: event.kind, all: event.threads ?? undefined };
    case "import-thread": {
      const isImported = (event.outcome === "added" || event.outcome === "updated") && !event.in_trash;
      const { threads, count } = progress.imported;
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
        missing: appended(progress.missing, event.missing),
      };
    }
    case "import-end":
      return progress;
  }
}

/** `listed` with `more` rows, at most `maxListed`. */
function appended<Row>(listed: Row[], more: readonly Row[]): Row[] {
  if (more.length === 0 || listed.length === maxListed) return listed;
  return [...listed, ...more].slice(0, maxListed);
}
