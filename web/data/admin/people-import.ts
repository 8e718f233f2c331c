import type {
  ImportedPerson,
  ImportedServer,
  ImportEvent,
  SkippedContent,
} from "#contract/endpoints/imports.ts";
import { createdOnce } from "#web/lib/created-once.ts";
import { createStore, type Store } from "#web/lib/store.ts";
import { failureOf, type Failure } from "../failure.ts";
import type { Transfers } from "../transfer/transfers.ts";

/** The import of everybody from another server, which continues while other screens are open. */
export type PeopleImportState =
  | { state: "none" }
  | { state: "sending"; isPreview: boolean; name: string; sentBytes: number; sizeBytes: number }
  | ({ state: "reading"; isPreview: boolean } & PeopleImportReport)
  /** The file was read, and nothing is imported yet. */
  | ({ state: "previewed" | "done" | "stopped" } & PeopleImportReport)
  | ({ state: "failed"; failure: Failure } & PeopleImportReport);

export type PeopleImportReport = {
  name: string;
  /** The people and threads of the file; `undefined` until it was read. */
  all: { people: number; threads: number } | undefined;
  /** How many of them were read. */
  read: { people: number; threads: number };
  people: ImportedPerson[];
  server: ImportedServer | undefined;
  leftOut: SkippedContent[];
};

export type PeopleImporter = {
  state: Pick<Store<PeopleImportState>, "get" | "subscribe">;
  /** Reads a file and says what it would add. Never throws. */
  preview(file: File): Promise<void>;
  /** Imports the file that was read last. Never throws. */
  start(): Promise<void>;
  stop(): void;
  /** Forgets the last file and its result. */
  clear(): void;
};

/** The imports of this tab. */
export const peopleImporterOf = createdOnce(createPeopleImporter);

function createPeopleImporter(loadTransfers: () => Promise<Pick<Transfers, "importFile">>): PeopleImporter {
  const state = createStore<PeopleImportState>({ state: "none" });
  let running: AbortController | undefined;
  let chosen: File | undefined;

  async function send(file: File, isPreview: boolean): Promise<void> {
    if (running !== undefined) return;
    const controller = (running = new AbortController());
    let report = emptyReport(file.name);
    const sending = { state: "sending", isPreview, name: file.name, sizeBytes: file.size } as const;
    const setReading = () => state.set({ state: "reading", isPreview, ...report });
    const onSent = (sentBytes: number) =>
      sentBytes < file.size ? state.set({ ...sending, sentBytes }) : setReading();
    const onEvent = (event: ImportEvent) => {
      report = withEvent(report, event);
      setReading();
    };
    state.set({ ...sending, sentBytes: 0 });
    try {
      const { importFile } = await loadTransfers();
      const how = { endpoint: "imports.everyone", isPreview } as const;
      await importFile(file, how, { onSent, onEvent }, controller.signal);
      state.set({ state: isPreview ? "previewed" : "done", ...report });
    } catch (error) {
      if (!controller.signal.aborted) state.set({ state: "failed", failure: failureOf(error), ...report });
      else state.set(isPreview ? { state: "none" } : { state: "stopped", ...report });
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

function emptyReport(name: string): PeopleImportReport {
  const read = { people: 0, threads: 0 };
  return { name, all: undefined, read, people: [], server: undefined, leftOut: [] };
}

function withEvent(report: PeopleImportReport, event: ImportEvent): PeopleImportReport {
  switch (event.type) {
    case "import-start":
      return { ...report, all: { people: event.people ?? 0, threads: event.threads ?? 0 } };
    case "import-progress":
      return { ...report, read: { people: event.people, threads: event.threads } };
    case "import-person": {
      const people = [...report.people, event];
      const threads = people.reduce((sum, { counts }) => sum + threadsOf(counts), 0);
      return { ...report, people, read: { people: people.length, threads } };
    }
    case "import-end":
      return { ...report, server: event.server, leftOut: event.skipped };
    case "import-thread":
      return report;
  }
}

function threadsOf({ added, updated, unchanged, refused }: ImportedPerson["counts"]): number {
  return added + updated + unchanged + refused;
}
