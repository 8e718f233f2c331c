import * as z from "zod/mini";
import { maker, messageStatus, roles } from "./messages.ts";
import { scoreTypes } from "./scores.ts";
import { jsonObject, printedInstant, threadParams } from "./fields.ts";
import type { Endpoints } from "../endpoint.ts";

/** What people take out of here, and bring back in: `docs/export-format.md` tells it to those who read the files. */

/** How a thread's file says what it is, and the manifest of a zip of them. */
export const threadFormat = "parlance-thread";
export const exportFormat = "parlance-export";
/** Raised when a reader of the version before would misunderstand; fields that may be passed over do not count. */
export const exportVersion = 1;

export const exportFormats = ["json", "markdown"] as const;
export type ExportFormat = (typeof exportFormats)[number];

export const threadExportQuery = z.object({
  format: z
    .optional(z.enum(exportFormats, "must be json or markdown"))
    .check(
      z.describe(
        "`json`, where it is not said: all branches, exactly, to be brought back in. `markdown`: the branch that is shown, to be read.",
      ),
    ),
});

/** One message as it is taken out: its place, how it stands, and what was said, exactly. */
export const exportedMessage = z.object({
  id: z.string(),
  parent_id: z
    .nullable(z.string())
    .check(z.describe("A message that stands before it in the list; null at the top of the thread.")),
  external_id: z.optional(z.nullable(z.string())),
  role: z.enum(roles, "must be user, assistant or system"),
  format: z.string(),
  status: z.optional(messageStatus),
  made_by: z
    .optional(z.nullable(maker))
    .check(z.describe("Who made an answer; null where that is not known, and for what people said.")),
  created_at: printedInstant,
  updated_at: z.optional(printedInstant),
  content: jsonObject,
});
export type ExportedMessage = z.infer<typeof exportedMessage>;

/** What the exporting person judged of a thread or one of its messages. */
export const exportedScore = z.object({
  message_id: z.nullable(z.string()).check(z.describe("Null: the thread itself is judged.")),
  name: z.string(),
  data_type: z.enum(scoreTypes),
  value: z.nullable(z.number()),
  string_value: z.nullable(z.string()),
  comment: z.nullable(z.string()),
  created_at: printedInstant,
  updated_at: printedInstant,
});
export type ExportedScore = z.infer<typeof exportedScore>;

/** A file that the exported messages speak of. */
export const exportedFile = z.object({
  id: z.string().check(z.describe("As its address in the messages has it.")),
  name: z.string(),
  type: z.string().check(z.describe("What its bytes show.")),
  size_bytes: z.number(),
  sha256: z.string().check(z.describe("Of its bytes, in hexadecimal.")),
  created_at: printedInstant,
  path: z
    .nullable(z.string())
    .check(
      z.describe("Where its bytes lie in the zip; null in an export of one thread, which carries none."),
    ),
});
export type ExportedFile = z.infer<typeof exportedFile>;

export const exportedThread = z.object({
  format: z.literal(threadFormat),
  version: z.literal(exportVersion),
  exported_at: printedInstant,
  thread: z.object({
    id: z.string(),
    title: z.nullable(z.string()),
    title_source: z.nullable(z.enum(["person", "model", "fallback"])),
    external_id: z.nullable(z.string()),
    is_archived: z.boolean(),
    is_pinned: z.boolean(),
    metadata: z.nullable(jsonObject),
    assistant_id: z.nullable(z.string()),
    model: z.nullable(z.string()),
    created_at: printedInstant,
    updated_at: printedInstant,
    last_message_at: printedInstant,
    deleted_at: z.nullable(printedInstant).check(z.describe("When it was moved to the trash.")),
  }),
  shown: z
    .nullable(z.string())
    .check(z.describe("The last message of the branch that was shown to whoever took it out.")),
  scores: z.array(exportedScore),
  files: z.optional(z.array(exportedFile)).check(z.describe("What the messages speak of.")),
  messages: z
    .array(exportedMessage)
    .check(z.describe("All branches; a parent stands before its children. Always the last field.")),
});
export type ExportedThread = z.infer<typeof exportedThread>;

/** `manifest.json` of a zip: always its last file, so that it can count what came before. */
export const exportManifest = z.object({
  format: z.literal(exportFormat),
  version: z.literal(exportVersion),
  exported_at: printedInstant,
  program: z.object({ name: z.string(), version: z.string() }),
  threads: z.number(),
  messages: z.number(),
  files: z.number().check(z.describe("Files under `files/`.")),
});
export type ExportManifest = z.infer<typeof exportManifest>;

export const exportEndpoints = {
  "exports.thread": {
    method: "GET",
    path: "/v1/threads/{thread_id}/export",
    caller: "visitor",
    summary: "Take a thread out, as JSON or Markdown",
    description:
      "As JSON it can be brought in again, here or on another server, with its ids, times and branches, and names the files that it speaks of; the format is told in `docs/export-format.md`. It is named by `Content-Disposition`, and made as it is sent: a connection that ends early is a file that is cut short. A thread in the trash is not found.",
    params: threadParams,
    query: threadExportQuery,
    kind: "bytes",
    status: 200,
    errors: ["too-many-transfers"],
    example: { query: { format: "markdown" } },
  },
  "exports.everything": {
    method: "GET",
    path: "/v1/export",
    caller: "visitor",
    summary: "Take every thread out, as a zip",
    description:
      "Every thread of the workspace, archive and trash included: the JSON of each, beside it its Markdown, and the files that messages speak of. It is made as it is sent: one without its last bytes was cut short, and no program opens it. Save it with `-o`.",
    kind: "bytes",
    status: 200,
    errors: ["too-many-transfers"],
  },
} as const satisfies Endpoints;
