import { bigint, integer, text } from "../../schema/column.ts";
import { table } from "../../schema/table.ts";
import { pendingTriggers } from "./pending-triggers.ts";
import { wordIndex, wordTriggers } from "./search-words.ts";

/** What search finds: a message, a piece of a long message, or (if `message_id` is null) a thread's title. */
export const searchDocuments = table("search_documents", {
  columns: {
    /** Grows with the time of the message, so that newest first needs no sort. `full-text.ts` stores its words. */
    number: bigint().primaryKey(),
    workspace_id: text(),
    thread_id: text().references("threads", "cascade"),
    message_id: text().nullable().references("messages", "cascade"),
    /** Where the piece begins in its message, in characters as SQL counts them. */
    start: integer().default(0),
  },
  indexes: {
    search_documents_of_thread: "thread_id, message_id",
    search_documents_of_message: "message_id",
    // For searches that have filters and no words.
    search_documents_of_workspace: "workspace_id, number",
  },
  more: wordIndex("search_words", "search_documents"),
  triggers: wordTriggers("search_words", "search_documents"),
  backup: "rebuilt",
});

/** Like `search_documents`, for the names and texts of attached files. */
export const searchFileDocuments = table("search_file_documents", {
  columns: {
    /** Unique in both tables. The numbers of a file are consecutive, and its first piece has the highest. */
    number: bigint().primaryKey(),
    /** The lowest number of the file. */
    last_number: bigint(),
    workspace_id: text(),
    file_id: text().references("files", "cascade"),
    /** Where the piece begins in the text. This and the length are in characters as SQL counts them. */
    start: integer(),
    characters: integer(),
    /** The page on which it begins, from 1; null if the file has no pages. */
    page: integer().nullable(),
    /** The indexing job that wrote it: if several index a file at once, the last one counts. */
    made_in: text(),
  },
  indexes: {
    search_file_documents_of_file: "file_id",
    search_file_documents_of_workspace: "workspace_id, number",
  },
  more: wordIndex("search_file_words", "search_file_documents"),
  triggers: wordTriggers("search_file_words", "search_file_documents"),
  backup: "rebuilt",
});

/** What is new or changed and not yet indexed; written by triggers. */
export const searchPending = table("search_pending", {
  columns: {
    kind: text<"message" | "title" | "file">(),
    /** Of the message, the thread or the file, which may be deleted. */
    id: text(),
  },
  withoutRowid: true,
  constraints: ["primary key (kind, id)"],
  triggers: pendingTriggers,
  backup: "rebuilt",
});
