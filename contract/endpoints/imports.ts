import * as z from "zod/mini";
import type { ErrorBody, ErrorCode } from "../errors.ts";
import { exportedThread } from "./exports.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import { described, exampleContent, queryFlag } from "./fields.ts";
import { endpoints } from "./endpoints.ts";

/** The service that made the export. */
export const importKinds = [
  "parlance",
  "chatgpt",
  "claude",
  "open-webui",
  "librechat",
  "lobechat",
  "huggingchat",
  "gemini",
  "deepseek",
  "le-chat",
] as const;
export type ImportKind = (typeof importKinds)[number];

/**
 * `added`: a new thread. `updated`: missing messages or files were added to an existing thread. `unchanged`: everything existed.
 * `refused`: nothing was imported; `error` has the reason.
 */
export type ImportOutcome = "added" | "updated" | "unchanged" | "refused";

export type ImportedThread = {
  type: "import-thread";
  outcome: ImportOutcome;
  /** Position in the file, from 1. */
  number: number;
  title: string | null;
  /** The imported thread; null if it was refused. */
  thread_id: string | null;
  /** Number of added messages. */
  messages: number;
  /** Number of added files. */
  files: number;
  /** Linked files that were not imported, at most 20, and their total number. */
  missing: MissingFile[];
  missing_files: number;
  /** How many files are missing for each error code. */
  missing_reasons: Partial<Record<ErrorCode, number>>;
  /** Other content of the export that was not imported: at most 20 kinds, and the number of all items. */
  skipped: SkippedContent[];
  skipped_items: number;
  /** Whether the thread is in the trash. Imports do not restore it. */
  in_trash: boolean;
  error: Pick<ErrorBody, "code" | "message" | "details"> | null;
};

/** A file that was not imported, and why. */
export type MissingFile = { name: string; error: Pick<ErrorBody, "code" | "message" | "details"> };

/**
 * Items of an export that are not imported. `hidden`: messages that the service does not show, such as custom
 * instructions; `name` is who wrote them. `unknown`: content of a kind that has no form here; `name` is the kind.
 * `not-yet`: content that this version has no place for, such as memories. It stays in the file: a later version adds it
 * when the file is imported again.
 */
export type SkippedContent = { reason: "hidden" | "unknown" | "not-yet"; name: string; count: number };

export type ImportCounts = Record<
  ImportOutcome | "messages" | "files" | "missing_files" | "skipped_items",
  number
>;

/** Files of a zip that no conversation references: at most 100 names, and their number. */
export type UnusedFiles = { unused: string[]; unused_files: number };

/** Prompts that were added, and those for which there was no room. */
export type ImportedPrompts = { prompts: number; refused_prompts: number };

export type ImportEvent =
  /**
   * The file was received and recognized. `kind` is null if the file has no threads, from which the service is
   * recognized. `threads` is their number, if it is known in advance.
   */
  | { type: "import-start"; kind: ImportKind | null; threads: number | null }
  | ImportedThread
  | ({ type: "import-end"; skipped: SkippedContent[] } & ImportCounts & ImportedPrompts & UnusedFiles);

/** The body is a file. The API reference shows the format of one thread (`importShape`). */
export const importBody = z
  .custom<JsonObject>(isJsonObject)
  .check(z.meta({ type: "object", additionalProperties: true }));
export const importShape = exportedThread;

export const importEndpoints = endpoints("visitor", {
  "imports.add": {
    request: "POST /v1/import",
    permission: "files.upload",
    audit: { none: "own-content" },
    summary: "Import threads from an export of this or another service",
    description:
      "The body is the file: an export of this service (`--data-binary @parlance-export.zip`, or the JSON of one thread), or of ChatGPT, Claude, Open WebUI, LibreChat, LobeChat, HuggingChat, Gemini, DeepSeek or Le Chat (the zip, or its JSON; of Open WebUI and LibreChat also the database). The format is detected from the bytes. Ids are kept if they are free. Existing messages do not change; only missing ones are added, so importing the same file twice changes nothing. Files that messages link to are imported if the zip contains them, also from other services. Each thread is imported completely or not at all. Disconnecting stops the import between two threads.",
    query: z.object({
      preview: described(
        z.optional(queryFlag),
        "Import nothing: the events say what an import of this file would add now.",
      ),
    }),
    body: importBody,
    bodyFormat: "bytes",
    kind: "events",
    streamDescription:
      "Server-sent events: `import-start`, then an `import-thread` for each thread with its `outcome` (`added`, `updated`, `unchanged`, or `refused` with an `error`), the number of imported `files`, the `missing` ones and other `skipped` content, then `import-end` with the totals, how many `prompts` were added, how many `refused_prompts` were beyond the limit, the `unused` files of the zip, and the `skipped` content of the whole export, such as memories (`not-yet`: importing the file again with a later version adds it). A stream without `import-end` is incomplete: send the file again to continue.",
    errors: [
      "import-unknown",
      "import-too-new",
      "import-damaged",
      "import-unsafe",
      "import-too-many-files",
      "import-in-use",
      "import-of-several",
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
});
