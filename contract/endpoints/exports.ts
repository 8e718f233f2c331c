import * as z from "zod/mini";
import { answeredBy, messageStatus, roles } from "./messages.ts";
import { scoreTypes } from "./scores.ts";
import { prompt } from "../prompts/endpoints.ts";
import { limits } from "../limits.ts";
import { described, jsonObject, namedObject, timestamp } from "./fields.ts";
import { endpoints } from "./endpoints.ts";

/** The `format` of a thread's file and of a zip's manifest. `docs/export-format.md` describes both. */
export const threadFormat = "parlance-thread";
export const exportFormat = "parlance-export";
/** The `format` of the file of prompts in a zip. */
export const promptsFormat = "parlance-prompts";
/** The `format` of the manifest of an export of everyone. */
export const serverExportFormat = "parlance-server-export";
/** Increased for changes that older readers would misread, but not for new fields that they can ignore. */
export const exportVersion = 1;

export const exportFormats = ["json", "markdown"] as const;
export type ExportFormat = (typeof exportFormats)[number];

const threadExportQuery = z.object({
  format: described(
    z.optional(z.enum(exportFormats, "must be json or markdown")),
    "`json` (default): all branches, exact, can be imported again. `markdown`: the visible branch, for reading.",
  ),
});

/** One message with its parent, status and exact content. */
export const exportedMessage = z.object({
  id: z.string(),
  parent_id: described(
    z.nullable(z.string()),
    "The parent, which precedes it in the list; null at the top of the thread.",
  ),
  external_id: z.optional(z.nullable(z.string())),
  role: z.enum(roles, "must be user, assistant or system"),
  format: z.string(),
  status: z.optional(messageStatus),
  made_by: described(
    z.optional(z.nullable(answeredBy)),
    "Which assistant and model wrote an answer; null if unknown, and for messages of people.",
  ),
  is_pinned: described(
    z.optional(z.boolean()),
    "Whether a person pinned it; absent in exports of earlier versions.",
  ),
  created_at: timestamp,
  updated_at: z.optional(timestamp),
  content: jsonObject,
});
export type ExportedMessage = z.infer<typeof exportedMessage>;

/** A score that the exporting person gave to the thread or one of its messages. */
export const exportedScore = z.object({
  message_id: described(z.nullable(z.string()), "Null for a score of the thread itself."),
  name: z.string(),
  data_type: z.enum(scoreTypes),
  value: z.nullable(z.number()),
  string_value: z.nullable(z.string()),
  comment: z.nullable(z.string()),
  created_at: timestamp,
  updated_at: timestamp,
});
export type ExportedScore = z.infer<typeof exportedScore>;

/** A file that the exported messages link to. */
export const exportedFile = z.object({
  id: described(z.string(), "The id in the file's URL in the messages."),
  name: z.string(),
  type: described(z.string(), "Media type, detected from the bytes."),
  size_bytes: z.number(),
  sha256: described(z.string(), "Hash of its bytes, in hexadecimal."),
  created_at: timestamp,
  path: described(
    z.nullable(z.string()),
    "Path of its bytes in the zip; null in an export of one thread, which has no files.",
  ),
});
export type ExportedFile = z.infer<typeof exportedFile>;

export const exportedThread = z.object({
  format: z.literal(threadFormat),
  version: z.literal(exportVersion),
  exported_at: timestamp,
  thread: z.object({
    id: z.string(),
    title: z.nullable(z.string()),
    title_source: z.nullable(z.enum(["person", "model", "fallback"])),
    external_id: z.nullable(z.string()),
    is_archived: z.boolean(),
    is_pinned: z.boolean(),
    local_only: described(
      z.optional(z.boolean()),
      "Whether only local models may answer; absent in exports of earlier versions.",
    ),
    metadata: z.nullable(jsonObject),
    assistant_id: z.nullable(z.string()),
    model: z.nullable(z.string()),
    created_at: timestamp,
    updated_at: timestamp,
    last_message_at: timestamp,
    deleted_at: described(z.nullable(timestamp), "When it was moved to the trash."),
  }),
  shown: described(z.nullable(z.string()), "The last message of the branch that the exporting person saw."),
  scores: z.array(exportedScore),
  files: described(z.optional(z.array(exportedFile)), "The files that the messages link to."),
  messages: described(
    z.array(exportedMessage),
    "All branches, each parent before its children. Always the last field.",
  ),
});
export type ExportedThread = z.infer<typeof exportedThread>;

/** `prompts.json` of a zip. */
export const exportedPrompts = z.object({
  format: z.literal(promptsFormat),
  version: z.literal(exportVersion),
  prompts: z.array(prompt).check(z.maxLength(2 * limits.promptsMax, "has too many prompts")),
});

/** `manifest.json` of a zip. It is the last file, so it can count the others. */
export const exportManifest = z.object({
  format: z.literal(exportFormat),
  version: z.literal(exportVersion),
  exported_at: timestamp,
  program: z.object({ name: z.string(), version: z.string() }),
  threads: z.number(),
  messages: z.number(),
  files: described(z.number(), "Files under `files/`."),
});
export type ExportManifest = z.infer<typeof exportManifest>;

/** `manifest.json` of an export of everyone, which only the operator makes. Like any other, it is the last file. */
export const serverExportManifest = z.object({
  format: z.literal(serverExportFormat),
  version: z.literal(exportVersion),
  exported_at: timestamp,
  program: z.object({ name: z.string(), version: z.string() }),
  exports: z.array(
    z.object({
      file: described(z.string(), "The path of the export in the zip."),
      app_id: z.string(),
      user_id: described(z.nullable(z.string()), "Null for a workspace of a backend."),
      workspace: described(z.nullable(z.string()), "The name that a backend gave to its workspace."),
      name: z.nullable(z.string()),
      email: described(z.nullable(z.string()), "Null for guests and for workspaces of a backend."),
    }),
  ),
});
export type ServerExportManifest = z.infer<typeof serverExportManifest>;

/** When the operator of the server exported what a person has. */
export const operatorExport = namedObject(
  "OperatorExport",
  "An export of the user's chats and files that the server's operator began.",
  {
    exported_at: timestamp,
    is_of_everyone: described(z.boolean(), "Whether it was of everybody on this server."),
  },
);
export type OperatorExport = z.infer<typeof operatorExport>;

const common = { caller: "visitor", errors: ["too-many-transfers"] } as const;

export const exportEndpoints = endpoints(common, {
  "exports.thread": {
    request: "GET /v1/threads/{thread_id}/export",
    summary: "Export a thread as JSON or Markdown",
    description:
      "The JSON can be imported again, on this or another server, with its ids, times and branches. It lists the files that the messages link to. `docs/export-format.md` describes the format. The file name is in `Content-Disposition`. The export is streamed, so a connection that ends early leaves an incomplete file. A thread in the trash is not found.",
    query: threadExportQuery,
    kind: "bytes",
    example: { query: { format: "markdown" } },
  },
  "exports.everything": {
    request: "GET /v1/export",
    worksWhileLeaving: true,
    summary: "Export all threads and prompts as a zip",
    description:
      "Each thread of the workspace as JSON and Markdown, including the archive and the trash, the files that messages link to, and your prompts. The zip is streamed; if the connection ends early, the zip is incomplete and does not open. Save it with `-o`.",
    kind: "bytes",
  },
  "exports.byOperator": {
    request: "GET /v1/export/by-operator",
    summary: "List exports that the operator made",
    description:
      "When the server's operator began to export your chats and files on the command line, the newest first, at most 20. They are listed as long as the audit log has them. Empty for users of a backend.",
    response: z.object({ exports: z.array(operatorExport) }),
  },
});
