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

/**
 * A person of another server, with what was added for them. `invited`: they get it with the invitation, whose address is
 * `link` (null in a preview, and if an invitation that still works was mailed). `existing`: they have an account here with
 * this address, which is verified.
 */
export type ImportedPerson = {
  type: "import-person";
  number: number;
  name: string;
  email: string;
  outcome: "invited" | "existing" | "refused";
  link: string | null;
  /** An account here has the address, but nobody has proved that it is theirs: it gets nothing until then. */
  is_address_unproved: boolean;
  counts: ImportCounts;
  /** The folders of the threads that were read. */
  folders: number;
  /** Why threads of the person, or everything of them, was refused, and how many times. */
  refusals: { error: Pick<ErrorBody, "code" | "message">; count: number }[];
} & ImportedPrompts;

/** What an import of everybody added besides the people. `models`: those that assistants want and nobody has connected. */
export type ImportedServer = {
  groups: number;
  assistants: number;
  refused_assistants: number;
  models: string[];
};

export type ImportEvent =
  /**
   * The file was received and recognized. `kind` is null if the file has no threads, from which the service is
   * recognized. `threads` is their number, if it is known in advance.
   */
  | { type: "import-start"; kind: ImportKind | null; threads: number | null; people?: number }
  | ImportedThread
  | ImportedPerson
  /** In an import of everybody: how many people and threads were read so far. */
  | { type: "import-progress"; people: number; threads: number }
  | ({ type: "import-end"; skipped: SkippedContent[]; server?: ImportedServer } & ImportCounts &
      ImportedPrompts &
      UnusedFiles);

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
      "import-html",
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
  "imports.everyone": {
    request: "POST /v1/people/import",
    permission: "people.manage",
    caller: "account",
    audit: {
      when: "for each person, group and assistant that is new",
      writes: [
        "content-imported",
        "invitation-created",
        "group-created",
        "group-member-added",
        "assistant-created",
      ],
    },
    summary: "Import everybody's threads from another server",
    description:
      "The body is Open WebUI's `webui.db`, a zip of its data folder, a dump of LibreChat's MongoDB (an archive of `mongodump`, or a zip of its folder), or the decrypted export of everyone of another Parlance. Each person gets their threads, folders, tags, files and prompts: in their account if its e-mail address is verified here, else with an invitation, whose link is in the response only. Passwords are not imported. Groups get their members but no rights, and models with instructions become assistants: with the model of the same name if one is connected, else with the server's default until it is. Importing again adds only what is missing, and gives new invitations to those who have not used theirs, unless they were mailed and still work.",
    query: z.object({
      preview: described(
        z.optional(queryFlag),
        "Import nothing: the events say what an import would add now.",
      ),
    }),
    body: importBody,
    bodyFormat: "bytes",
    kind: "events",
    streamDescription:
      "Server-sent events: `import-start`, then an `import-person` for each person with the `counts` of what was added, the `link` of their invitation and the `refusals`, between them `import-progress`, then `import-end` with the totals, what the whole `server` got, and the `skipped` content. Titles of threads are not in it. A stream without `import-end` is incomplete: send the file again to continue.",
    errors: [
      "import-unknown",
      "import-html",
      "import-damaged",
      "import-unsafe",
      "import-too-many-files",
      "import-in-use",
      "too-many-transfers",
      "too-many-streams",
      "rate-limited",
    ],
    example: { body: {} },
  },
});
