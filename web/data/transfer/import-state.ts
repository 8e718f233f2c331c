import {
  counted,
  noCounts,
  type ImportCounts,
  type ImportedThread,
  type ImportEvent,
  type ImportKind,
  type MissingFile,
} from "#contract/endpoints/imports.ts";
import type { Carrier } from "./transfer.ts";
import { failureOf, type Failure } from "../failure.ts";
import { createStore, type Store } from "#web/lib/store.ts";

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
  /** Those that are new here or have more now, outside of the trash: the first of them, and how many. */
  brought: { threads: ImportedThread[]; count: number };
  /** The first of those that were not taken; `counts` has how many there are. */
  refused: ImportedThread[];
  /** How many lie in the trash here, where nobody looks for them. */
  inTrash: number;
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
const namedMax = 200;

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
  const lists = { brought: { threads: [], count: 0 }, refused: [], missing: [] };
  return { name, kind: undefined, read: 0, all: undefined, counts: noCounts, inTrash: 0, ...lists };
}

function after(progress: ImportProgress, event: ImportEvent): ImportProgress {
  switch (event.type) {
    case "import-start":
      return { ...progress, kind: event.kind, all: event.threads ?? undefined };
    case "import-thread": {
      const isBrought = (event.outcome === "added" || event.outcome === "updated") && !event.in_trash;
      const { threads, count } = progress.brought;
      return {
        ...progress,
        read: event.number,
        counts: counted(progress.counts, event),
        inTrash: progress.inTrash + (event.in_trash ? 1 : 0),
        brought: { threads: first(threads, isBrought ? [event] : []), count: count + (isBrought ? 1 : 0) },
        refused: first(progress.refused, event.outcome === "refused" ? [event] : []),
        missing: first(progress.missing, event.missing),
      };
    }
    case "import-end":
      return progress;
  }
}

/** `named`, and of `more` as many as are worth naming too. */
function first<Row>(named: Row[], more: readonly Row[]): Row[] {
  if (more.length === 0 || named.length === namedMax) return named;
  return [...named, ...more].slice(0, namedMax);
}
