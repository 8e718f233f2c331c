import { bigint, bytes, integer, text } from "../../schema/column.ts";
import { table } from "../../schema/table.ts";

/** Links to threads for people without access to them. Only the token's hash is stored. */
export const shares = table("shares", {
  columns: {
    id: text().primaryKey(),
    token_hash: text(),
    thread_id: text().references("threads", "cascade"),
    user_id: text().references("users", "cascade"),
    /** The last message of a snapshot. Null for a live view. */
    head_id: text().nullable().references("messages", "cascade"),
    /** 1 if readers can switch to the other branches; of a snapshot, to those of the time when it was created. */
    all_branches: integer().default(0),
    with_files: integer(),
    audience: text<"anyone" | "members">(),
    password_hash: text().nullable(),
    expires_at: bigint().nullable(),
    views: bigint(),
    created_at: bigint(),
  },
  indexes: {
    shares_by_hash: { on: "token_hash", isUnique: true },
    shares_by_user: "user_id, created_at",
    shares_by_thread: "thread_id",
    shares_by_head: "head_id",
  },
  backup: "in backup",
});

const removal = "delete from rendered_messages where message_id = old.id";

/** The HTML of messages on the pages of links. A message that is not here is rendered again. */
export const renderedMessages = table("rendered_messages", {
  columns: {
    share_id: text().references("shares", "cascade"),
    message_id: text().references("messages", "cascade"),
    language: text(),
    /** The code that rendered it. */
    build: text(),
    /** What it was rendered from. */
    version: text(),
    /** Compressed. */
    html: bytes(),
    size_bytes: integer(),
    rendered_at: bigint(),
  },
  constraints: ["primary key (share_id, message_id, language)"],
  indexes: {
    rendered_messages_by_message: "message_id",
    rendered_messages_by_time: "rendered_at, size_bytes",
  },
  // Changed content is rendered again.
  triggers: {
    sqlite: [
      `create trigger rendered_messages_of_changed after update of content, plain_text on messages
     begin ${removal}; end`,
    ],
    postgres: [
      `create function rendered_messages_of_changed() returns trigger language plpgsql as $$
     begin ${removal}; return null; end $$`,
      `create trigger rendered_messages_of_changed after update of content, plain_text on messages
     for each row execute function rendered_messages_of_changed()`,
    ],
  },
  backup: "rebuilt",
});
