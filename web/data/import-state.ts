import type {
  ImportCounts,
  ImportedThread,
  ImportEvent,
  ImportKind,
  MissingFile,
} from "#contract/imports.ts";
import type { Carrier } from "./carry.ts";
import { failureOf, type Failure } from "./failure.ts";
import { createStore, type Store } from "./store.ts";

/** How an import stands: it goes on while other screens are shown. */
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
  /** Threads that were looked at, and how many there are where that is known. */
  read: number;
  all: number | undefined;
  counts: ImportCounts;
  /** The first of those that were not taken; `counts` has how many there are. */
  refused: ImportedThread[];
  /** The first of the files that did not come. */
  missing: MissingFile[];
};

export type Importer = {
  state: Pick<Store<ImportState>, "get" | "subscribe">;
  /** Brings a file in. One at a time. Never throws. */
  begin(file: File): Promise<void>;
  stop(): void;
  /** Forgets the last one. */
  clear(): void;
};

/** Nobody reads more of them on a screen. */
const refusedMax = 200;

export function createImporter(carrier: Pick<Carrier, "bringIn">): Importer {
  const state = createStore<ImportState>({ state: "none" });
  let stopping: AbortController | undefined;

  return {
    state,
    async begin(file) {
      if (stopping !== undefined) return;
      const own = (stopping = new AbortController());
      let progress = nothingYet(file.name);
      state.set({ state: "sending", name: file.name, sentBytes: 0, sizeBytes: file.size });
      const sent = (bytes: number) =>
        bytes < file.size
          ? state.set({ state: "sending", name: file.name, sentBytes: bytes, sizeBytes: file.size })
          : state.set({ state: "reading", ...progress });
      const heard = (event: ImportEvent) => {
        progress = after(progress, event);
        state.set({ state: "reading", ...progress });
      };
      try {
        await carrier.bringIn(file, { sent, heard }, own.signal);
        state.set({ state: "done", ...progress });
      } catch (error) {
        if (own.signal.aborted) state.set({ state: "stopped", ...progress });
        else state.set({ state: "failed", failure: failureOf(error), ...progress });
      } finally {
        stopping = undefined;
      }
    },
    stop: () => stopping?.abort(),
    clear() {
      if (stopping === undefined) state.set({ state: "none" });
    },
  };
}

function nothingYet(name: string): ImportProgress {
  const counts = {
    added: 0,
    updated: 0,
    unchanged: 0,
    refused: 0,
    messages: 0,
    files: 0,
    missing_files: 0,
  };
  return { name, kind: undefined, read: 0, all: undefined, counts, refused: [], missing: [] };
}

function after(progress: ImportProgress, event: ImportEvent): ImportProgress {
  switch (event.type) {
    case "import-start":
      return { ...progress, kind: event.kind, all: event.threads ?? undefined };
    case "import-thread":
      return {
        ...progress,
        read: event.number,
        counts: {
          ...progress.counts,
          [event.outcome]: progress.counts[event.outcome] + 1,
          messages: progress.counts.messages + event.messages,
          files: progress.counts.files + event.files,
          missing_files: progress.counts.missing_files + event.missing_files,
        },
        refused:
          event.outcome === "refused" && progress.refused.length < refusedMax
            ? [...progress.refused, event]
            : progress.refused,
        missing: [...progress.missing, ...event.missing].slice(0, refusedMax),
      };
    case "import-end":
      return progress;
  }
}
