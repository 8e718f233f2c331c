import { sql, type Kysely, type SqlBool } from "kysely";
import type { Engine } from "../database.ts";
import { columnTypes, createTable, key, newTable, required } from "./columns.ts";

/** The first schema. What the columns mean stands in `tables.ts`. */
export async function start(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { text, bigint, int } = columnTypes(engine);

  await createTable(
    engine,

    newTable(db, "projects")
      .addColumn("id", text, key)
      .addColumn("name", text, required)
      .addColumn("allowed_origins", text, required)
      .addColumn("created_at", bigint, required),
  );

  await createTable(
    engine,

    newTable(db, "workspaces")
      .addColumn("id", text, key)
      .addColumn("project_id", text, (c) => c.notNull().references("projects.id"))
      .addColumn("realm", text, required)
      .addColumn("name", text, required)
      .addColumn("created_at", bigint, required),
  );
  await db.schema
    .createIndex("workspaces_by_name")
    .unique()
    .on("workspaces")
    .columns(["project_id", "realm", "name"])
    .execute();

  await createTable(
    engine,

    newTable(db, "users")
      .addColumn("id", text, key)
      .addColumn("kind", text, required)
      .addColumn("workspace_id", text, (c) => c.notNull().references("workspaces.id"))
      .addColumn("email", text)
      .addColumn("name", text)
      .addColumn("created_at", bigint, required)
      .addColumn("last_seen_at", bigint, required)
      .addColumn("disabled_at", bigint),
  );
  await db.schema.createIndex("users_by_workspace").on("users").column("workspace_id").execute();

  await createTable(
    engine,

    newTable(db, "sessions")
      .addColumn("id", text, key)
      .addColumn("token_hash", text, required)
      .addColumn("user_id", text, (c) => c.notNull().references("users.id").onDelete("cascade"))
      .addColumn("device", text)
      .addColumn("created_at", bigint, required)
      .addColumn("expires_at", bigint, required)
      .addColumn("revoked_at", bigint),
  );
  await db.schema.createIndex("sessions_by_token").unique().on("sessions").column("token_hash").execute();
  await db.schema.createIndex("sessions_by_user").on("sessions").column("user_id").execute();

  await createTable(
    engine,

    newTable(db, "api_keys")
      .addColumn("id", text, key)
      .addColumn("key_hash", text, required)
      .addColumn("prefix", text, required)
      .addColumn("project_id", text, (c) => c.notNull().references("projects.id"))
      .addColumn("name", text, required)
      .addColumn("created_by", text, (c) => c.references("users.id").onDelete("set null"))
      .addColumn("created_at", bigint, required)
      .addColumn("last_used_at", bigint)
      .addColumn("expires_at", bigint)
      .addColumn("revoked_at", bigint),
  );
  await db.schema.createIndex("api_keys_by_key").unique().on("api_keys").column("key_hash").execute();

  await createTable(
    engine,

    newTable(db, "threads")
      .addColumn("id", text, key)
      .addColumn("project_id", text, (c) => c.notNull().references("projects.id"))
      .addColumn("workspace_id", text, (c) => c.notNull().references("workspaces.id").onDelete("cascade"))
      .addColumn("external_id", text)
      .addColumn("title", text)
      .addColumn("title_source", text)
      .addColumn("last_message_at", bigint, required)
      .addColumn("metadata", text)
      .addColumn("archived", int, required)
      .addColumn("pinned", int, required)
      .addColumn("assistant_id", text)
      .addColumn("model", text)
      .addColumn("request_hash", text)
      .addColumn("created_at", bigint, required)
      .addColumn("updated_at", bigint, required)
      .addColumn("deleted_at", bigint),
  );
  await db.schema
    .createIndex("threads_listed")
    .on("threads")
    .columns(["workspace_id", "archived", "last_message_at desc", "id desc"])
    .where(sql<SqlBool>`deleted_at is null`)
    .execute();
  // Not only where there is an external id: a workspace's threads are also found by this when it goes or is claimed.
  await db.schema
    .createIndex("threads_by_external_id")
    .on("threads")
    .columns(["workspace_id", "external_id"])
    .execute();
  await db.schema
    .createIndex("threads_in_trash")
    .on("threads")
    .columns(["deleted_at", "id"])
    .where(sql<SqlBool>`deleted_at is not null`)
    .execute();

  await createTable(
    engine,

    newTable(db, "messages")
      .addColumn("id", text, key)
      .addColumn("thread_id", text, (c) => c.notNull().references("threads.id").onDelete("cascade"))
      .addColumn("external_id", text)
      .addColumn("parent_id", text)
      .addColumn("height", int, required)
      .addColumn("role", text, required)
      .addColumn("format", text, required)
      .addColumn("content", text, required)
      .addColumn("plain_text", text, required)
      .addColumn("status", text, required)
      .addColumn("status_reason", text)
      .addColumn("error_code", text)
      .addColumn("run_id", text)
      .addColumn("created_at", bigint, required)
      .addColumn("updated_at", bigint, required)
      .addUniqueConstraint("messages_in_thread", ["thread_id", "id"])
      // A parent is a message of the same thread. Not cascading: SQLite ends a cascade 1,000 messages down, so whoever
      // deletes a message names all that hangs below it in the same statement, and this sees that none is forgotten.
      .addForeignKeyConstraint("messages_parent", ["thread_id", "parent_id"], "messages", [
        "thread_id",
        "id",
      ]),
  );
  await db.schema
    .createIndex("messages_listed")
    .on("messages")
    .columns(["thread_id", "height desc", "created_at desc", "id desc"])
    .execute();
  await db.schema
    .createIndex("messages_by_parent")
    .on("messages")
    .columns(["thread_id", "parent_id"])
    .execute();
  await db.schema
    .createIndex("messages_by_external_id")
    .unique()
    .on("messages")
    .columns(["thread_id", "external_id"])
    .where(sql<SqlBool>`external_id is not null`)
    .execute();

  await createTable(
    engine,

    newTable(db, "branch_heads")
      .addColumn("thread_id", text, (c) => c.notNull().references("threads.id").onDelete("cascade"))
      .addColumn("user_id", text, required)
      .addColumn("message_id", text, required)
      .addColumn("updated_at", bigint, required)
      .addPrimaryKeyConstraint("branch_heads_key", ["thread_id", "user_id"])
      .addForeignKeyConstraint(
        "branch_heads_message",
        ["thread_id", "message_id"],
        "messages",
        ["thread_id", "id"],
        (constraint) => constraint.onDelete("cascade"),
      ),
    "keyed",
  );

  await createTable(
    engine,

    newTable(db, "runs")
      .addColumn("id", text, key)
      .addColumn("origin", text, required)
      .addColumn("project_id", text, (c) => c.notNull().references("projects.id"))
      .addColumn("workspace_id", text, (c) => c.notNull().references("workspaces.id").onDelete("cascade"))
      .addColumn("user_id", text, required)
      // What a run cost is still counted when its thread is gone.
      .addColumn("thread_id", text, (c) => c.references("threads.id").onDelete("set null"))
      .addColumn("message_id", text)
      .addColumn("reply_id", text)
      .addColumn("assistant_id", text)
      .addColumn("model", text)
      .addColumn("state", text, required)
      .addColumn("finish_reason", text)
      .addColumn("error_code", text)
      .addColumn("request_hash", text)
      .addColumn("stop_requested_at", bigint)
      .addColumn("lease_owner", text)
      .addColumn("lease_expires_at", bigint)
      .addColumn("input_tokens", bigint)
      .addColumn("output_tokens", bigint)
      .addColumn("reasoning_tokens", bigint)
      .addColumn("cached_tokens", bigint)
      .addColumn("cost_micros", bigint)
      .addColumn("created_at", bigint, required)
      .addColumn("started_at", bigint)
      .addColumn("first_token_at", bigint)
      .addColumn("ended_at", bigint),
  );
  await db.schema
    .createIndex("runs_of_thread")
    .on("runs")
    .columns(["thread_id", "created_at", "id"])
    .execute();
  await db.schema
    .createIndex("runs_of_workspace")
    .on("runs")
    .columns(["workspace_id", "created_at"])
    .execute();
  await db.schema.createIndex("runs_by_reply").on("runs").column("reply_id").execute();
  await db.schema.createIndex("runs_by_message").on("runs").column("message_id").execute();
  // For queries that say `ended_at is null`: with a list of states as parameters no engine can tell that this applies.
  await db.schema
    .createIndex("runs_alive")
    .on("runs")
    .columns(["state", "lease_expires_at"])
    .where(sql<SqlBool>`ended_at is null`)
    .execute();
  await db.schema
    .createIndex("runs_alive_of_thread")
    .on("runs")
    .column("thread_id")
    .where(sql<SqlBool>`ended_at is null`)
    .execute();

  const logTopics = newTable(db, "log_topics")
    .addColumn("topic", text, key)
    .addColumn("last_seq", bigint, required)
    .addColumn("pruned_seq", bigint, required);
  // Half of each page is left free for the next versions of its counters, which then need no new index entry.
  await createTable(
    engine,
    engine === "postgres" ? logTopics.modifyEnd(sql`with (fillfactor = 50)`) : logTopics,
    "keyed",
  );

  await createTable(
    engine,

    newTable(db, "log_entries")
      .addColumn("topic", text, required)
      .addColumn("seq", bigint, required)
      .addColumn("body", text, required)
      .addColumn("created_at", bigint, required)
      .addPrimaryKeyConstraint("log_entries_key", ["topic", "seq"]),
    "keyed",
  );
}
