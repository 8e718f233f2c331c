import { bigint, integer, text } from "../../schema/column.ts";
import { table } from "../../schema/table.ts";
import { unreadTriggers } from "./file-triggers.ts";

/** The extracted text of a blob. */
export const fileTexts = table("file_texts", {
  columns: {
    blob_key: text().primaryKey().references("blobs", "cascade", "key"),
    /** The version of the reader; text of an older version is extracted again. */
    reader: integer(),
    /** Why there is no text; null if there is. */
    reason: text().nullable(),
    /** Pages are separated by form feeds. */
    text: text(),
    /** 1 if the file has more text. */
    is_cut: integer(),
    pages: integer().nullable(),
    /** The languages in which text was looked for in its pictures, such as eng+deu; null if it was not. */
    recognized_in: text().nullable(),
    /** How many pages have recognized text; 1 for a picture. */
    recognized_pages: integer().nullable(),
    created_at: bigint(),
  },
  backup: "rebuilt",
});

/** Attached files whose text is not extracted yet; written by triggers. */
export const unreadFiles = table("unread_files", {
  columns: {
    file_id: text().primaryKey().references("files", "cascade"),
    /** Not before this time. A process that takes a file moves it, so that no other process takes the file. */
    due_at: bigint(),
    tries: integer(),
  },
  indexes: {
    unread_files_due: "due_at, file_id",
  },
  triggers: unreadTriggers,
  backup: "rebuilt",
});
