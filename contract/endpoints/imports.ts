import * as z from "zod/mini";
import type { ErrorBody } from "../errors.ts";
import { exportedThread } from "./exports.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import { exampleContent } from "./fields.ts";
import type { Endpoints } from "../endpoint.ts";

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

export const importEndpoints = {
  "imports.add": {
    method: "POST",
    path: "/v1/import",
    caller: "visitor",
    summary: "Bring threads in, from an export of this or another service",
    description:
      "The body is the file: an export of this service (`--data-binary @parlance-export.zip`, or the JSON of one thread), or one of ChatGPT or Claude (the zip, or its `conversations.json`); what it is shows by its bytes. Ids stay where they are free. What is there already is left as it is, and only messages that it lacks are added: the same file twice changes nothing. Files that messages speak of come along, where the zip holds them. Each thread is taken in whole or not at all. Hanging up stops it between two threads.",
    body: importBody,
    bodyFormat: "bytes",
    kind: "events",
    status: 200,
    streamDescription:
      "Server-sent events: `import-start`, then `import-thread` for each with its `outcome` (`added`, `updated`, `unchanged` or `refused`, and then why) and the `files` that came with it or are `missing`, at last `import-end` with what came of all. Without that the import did not end: send the file again, and it goes on.",
    errors: [
      "import-unknown",
      "import-too-new",
      "import-damaged",
      "import-unsafe",
      "too-many-transfers",
      "too-many-streams",
      "rate-limited",
    ],
    example: {
      body: {
        format: "parlance-thread",
        version: 1,
        thread: { id: "garden-1", title: "The garden" },
        messages: [
          {
            id: "a",
            parent_id: null,
            role: "user",
            format: "aui/v0",
            created_at: "2026-01-31T12:00:00.000Z",
            content: exampleContent("What grows in the shade?"),
          },
        ],
      },
    },
  },
} as const satisfies Endpoints;
