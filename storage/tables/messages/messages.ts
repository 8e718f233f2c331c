import { bigint, integer, text } from "../../schema/column.ts";
import { table } from "../../schema/table.ts";

export const messages = table("messages", {
  columns: {
    id: text().primaryKey(),
    thread_id: text().references("threads", "cascade"),
    external_id: text().nullable(),
    parent_id: text().nullable(),
    /** 0 for roots, else the parent's plus one. */
    height: integer(),
    role: text<"user" | "assistant" | "system">(),
    format: text(),
    /**
     * JSON, exactly as it was sent or folded. On SQLite without the text that `plain_text` has: `packed-content.ts`.
     */
    content: text(),
    /** The text of the content, for titles and search. */
    plain_text: text(),
    status: text<"running" | "complete" | "incomplete" | "requires-action">(),
    status_reason: text().nullable(),
    error_code: text().nullable(),
    /** The run that writes or wrote it. */
    run_id: text().nullable(),
    /** JSON: the author of an imported answer. Null if its run has the author, or it is unknown. */
    made_by: text().nullable(),
    /** The user whose request created it; null if unknown. */
    created_by: text().nullable(),
    /** 1 if a person pinned it: models read it in full, however long the thread is. */
    is_pinned: integer().default(0),
    created_at: bigint(),
    updated_at: bigint(),
  },
  constraints: [
    "unique (thread_id, id)",
    // A parent belongs to the same thread. No cascade, because SQLite stops a cascade after 1,000 levels: a statement
    // that deletes a message names all its descendants, and this constraint checks that none is left out.
    "foreign key (thread_id, parent_id) references messages (thread_id, id)",
  ],
  indexes: {
    messages_listed: "thread_id, height desc, created_at desc, id desc",
    messages_by_parent: "thread_id, parent_id",
    messages_by_external_id: {
      on: "thread_id, external_id",
      isUnique: true,
      where: "external_id is not null",
    },
    messages_by_creator: { on: { sqlite: "created_by", postgres: "created_by, thread_id" } },
    messages_pinned: { on: "thread_id", where: "is_pinned = 1" },
  },
  backup: "in backup",
});

/** Which branch of a thread a user sees: the id of its last message. `user_id` may be an external name. */
export const branchHeads = table("branch_heads", {
  columns: {
    thread_id: text().references("threads", "cascade"),
    user_id: text(),
    message_id: text(),
    updated_at: bigint(),
  },
  withoutRowid: true,
  constraints: [
    "primary key (thread_id, user_id)",
    "foreign key (thread_id, message_id) references messages (thread_id, id) on delete cascade",
  ],
  backup: "in backup",
});

/** The positions of deleted messages, for cursors that point to one of them. */
export const goneMessages = table("gone_messages", {
  columns: {
    thread_id: text().references("threads", "cascade"),
    id: text(),
    height: integer(),
    created_at: bigint(),
    gone_at: bigint(),
  },
  withoutRowid: true,
  constraints: ["primary key (thread_id, id)"],
  indexes: {
    gone_messages_by_age: "gone_at",
  },
  backup: "in backup",
});
