import { bigint, text } from "../../schema/column.ts";
import { table } from "../../schema/table.ts";
import { claimTriggers } from "./file-triggers.ts";

/** Bytes in the blob store. Files of one workspace with the same bytes share one blob. */
export const blobs = table("blobs", {
  columns: {
    key: text().primaryKey(),
    workspace_id: text(),
    /** In hexadecimal. */
    sha256: text(),
    size_bytes: bigint(),
    /** Empty if no thumbnail can be made, null before the first request for one. */
    thumbnail_key: text().nullable(),
    created_at: bigint(),
  },
  indexes: {
    blobs_by_hash: "workspace_id, sha256",
  },
  backup: "in backup",
});

/** Attached files, and uploads whose bytes have not arrived yet. */
export const files = table("files", {
  columns: {
    id: text().primaryKey(),
    app_id: text().references("apps"),
    workspace_id: text().references("workspaces"),
    created_by: text(),
    /** A label, never used as a path. */
    name: text(),
    /** 130 random bits that make its address unguessable. */
    secret: text(),
    declared_type: text().nullable(),
    declared_bytes: bigint().nullable(),
    /** As detected from the bytes. Null until they arrive, like the next two and `stored_at`. */
    type: text().nullable(),
    size_bytes: bigint().nullable(),
    /** No cascade: a blob cannot be deleted while a file has it. */
    blob_key: text().nullable().references("blobs", "restrict", "key"),
    created_at: bigint(),
    stored_at: bigint().nullable(),
    /** When a message last began to reference it. */
    claimed_at: bigint().nullable(),
    /**
     * When a message that still exists stopped referencing it: a day later it is deleted. For an upload to a temporary
     * thread it is before `created_at`, so that the file is deleted earlier if no message begins to reference it.
     */
    released_at: bigint().nullable(),
  },
  indexes: {
    files_of_person: "workspace_id, created_by, created_at, id",
    files_by_blob: "blob_key",
    files_by_age: "created_at",
    files_by_creator: "app_id, created_by, size_bytes",
  },
  backup: "in backup",
});

/** Which messages, sent and queued, reference which files. */
export const fileClaims = table("file_claims", {
  columns: {
    file_id: text().references("files", "cascade"),
    message_id: text(),
    thread_id: text().references("threads", "cascade"),
  },
  withoutRowid: true,
  constraints: ["primary key (file_id, message_id)"],
  indexes: {
    file_claims_of_message: "message_id",
    file_claims_of_thread: "thread_id",
  },
  triggers: claimTriggers,
  backup: "in backup",
});
