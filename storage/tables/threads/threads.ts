import { bigint, integer, text } from "../../schema/column.ts";
import { table } from "../../schema/table.ts";
import { textSizeTriggers } from "./text-size-triggers.ts";

export const threads = table("threads", {
  columns: {
    id: text().primaryKey(),
    app_id: text().references("apps"),
    workspace_id: text().references("workspaces", "cascade"),
    external_id: text().nullable(),
    title: text().nullable(),
    title_source: text<"person" | "model" | "fallback">().nullable(),
    last_message_at: bigint(),
    /** JSON, or null. */
    metadata: text().nullable(),
    archived: integer(),
    pinned: integer(),
    assistant_id: text().nullable(),
    model: text().nullable(),
    /** The reasoning effort; null: the assistant's. */
    reasoning_effort: text().nullable(),
    /** 1 if only models in the operator's own network may answer. */
    local_only: integer().nullable(),
    /** JSON list of the names of tools that run here without asking; null for none. */
    allowed_tools: text().nullable(),
    /** Hash of the request that created it, if the client chose the id. */
    request_hash: text().nullable(),
    /** The user whose request created it; null if unknown. */
    created_by: text().nullable(),
    created_at: bigint(),
    updated_at: bigint(),
    deleted_at: bigint().nullable(),
    /** Its folder in `labels`, or null. */
    folder_id: text().nullable().references("labels", "set null"),
    /** When it is erased with everything in it; null for ordinary threads. No list, search, export or backup has it. */
    temporary_until: bigint().nullable(),
    /** The size of its metadata, its messages and the reports of its runs, in bytes; kept by triggers. */
    text_bytes: bigint().default(0),
  },
  indexes: {
    threads_listed: {
      on: "workspace_id, archived, last_message_at desc, id desc",
      where: "deleted_at is null",
    },
    // Pinned threads are read separately, however old they are.
    threads_pinned: {
      on: "workspace_id, archived, last_message_at desc, id desc",
      where: "pinned = 1 and deleted_at is null",
    },
    // A backend lists the threads of all workspaces.
    threads_of_app: {
      on: "app_id, archived, last_message_at desc, id desc",
      where: "deleted_at is null",
    },
    // Not partial: deleting or claiming a workspace looks up its threads by this index too.
    threads_by_external_id: "workspace_id, external_id",
    threads_in_trash: { on: "deleted_at, id", where: "deleted_at is not null" },
    threads_by_creator: "app_id, created_by, text_bytes",
    threads_by_folder: {
      on: "folder_id, workspace_id, archived, last_message_at, id",
      where: "folder_id is not null",
    },
    threads_temporary: { on: "temporary_until", where: "temporary_until is not null" },
  },
  triggers: textSizeTriggers,
  backup: "in backup",
});
