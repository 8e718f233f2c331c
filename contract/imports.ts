import * as z from "zod/mini";
import type { ErrorBody } from "./errors.ts";
import { exportedThread } from "./exports.ts";
import { isJsonObject, type JsonObject } from "./json.ts";

/** Bringing threads in, and the report of it: one line for each thread, told while it goes. */

/** Whose export it is. */
export const importKinds = ["parlance", "chatgpt", "claude"] as const;
export type ImportKind = (typeof importKinds)[number];

/**
 * `added`: it was not there. `updated`: it was, and messages that it lacked were added. `unchanged`: all of it was there
 * already. `refused`: nothing of it was taken, and `error` says why.
 */
export type ImportOutcome = "added" | "updated" | "unchanged" | "refused";

export type ImportedThread = {
  type: "import-thread";
  outcome: ImportOutcome;
  /** Which one of the file this is: 1, 2, 3 … */
  number: number;
  title: string | null;
  /** The thread as it is here; null where it was refused. */
  thread_id: string | null;
  /** Messages that were added. */
  messages: number;
  /** Files that were added with them. */
  files: number;
  /** Files that they speak of and that did not come, at most 20 of them, and how many there are. */
  missing: MissingFile[];
  missing_files: number;
  /** Whether it lies in the trash here, where an import leaves it. */
  in_trash: boolean;
  error: Pick<ErrorBody, "code" | "message" | "details"> | null;
};

/** A file of an export that is not here, and why. */
export type MissingFile = { name: string; error: Pick<ErrorBody, "code" | "message" | "details"> };

export type ImportCounts = Record<ImportOutcome | "messages" | "files" | "missing_files", number>;

export const noCounts: Readonly<ImportCounts> = {
  added: 0,
  updated: 0,
  unchanged: 0,
  refused: 0,
  messages: 0,
  files: 0,
  missing_files: 0,
};

/** The sums with one more thread in them. */
export function counted(counts: ImportCounts, thread: ImportedThread): ImportCounts {
  return {
    ...counts,
    [thread.outcome]: counts[thread.outcome] + 1,
    messages: counts.messages + thread.messages,
    files: counts.files + thread.files,
    missing_files: counts.missing_files + thread.missing_files,
  };
}

export type ImportEvent =
  /** The file is here and is one that can be read. `threads` is how many there are, where that can be known before. */
  | { type: "import-start"; kind: ImportKind; threads: number | null }
  | ImportedThread
  | ({ type: "import-end" } & ImportCounts);

/** What is sent: bytes. Its shape is that of one thread, for those who make such a file themselves. */
export const importBody = z
  .custom<JsonObject>(isJsonObject)
  .check(z.meta({ type: "object", additionalProperties: true }));
export const importShape = exportedThread;
