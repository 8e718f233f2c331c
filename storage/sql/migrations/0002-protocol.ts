import { sql, type Kysely, type SqlBool } from "kysely";
import type { Engine } from "../database.ts";
import { columnTypes, createTable, key, newTable, required } from "./columns.ts";

/** What the rest of the protocol keeps: who made what, scores, reports, events, and where lists were left. */
export async function protocol(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { text, bigint, int, real } = columnTypes(engine);

  // Several people may share a workspace: who is erased takes along what they made, and nothing else.
  await db.schema.alterTable("threads").addColumn("created_by", text).execute();
  await db.schema.alterTable("messages").addColumn("created_by", text).execute();
  await db.schema
    .createIndex("threads_by_creator")
    .on("threads")
    .columns(["project_id", "created_by"])
    .execute();
  await db.schema
    .createIndex("messages_by_creator")
    .on("messages")
    .columns(["created_by", "thread_id"])
    .execute();
  // A backend lists the threads of every workspace in the same order as one workspace's.
  await db.schema
    .createIndex("threads_of_project")
    .on("threads")
    .columns(["project_id", "archived", "last_message_at desc", "id desc"])
    .where(sql<SqlBool>`deleted_at is null`)
    .execute();
  await db.schema
    .createIndex("runs_of_project")
    .on("runs")
    .columns(["project_id", "created_at", "id"])
    .execute();

  await createTable(
    engine,

    newTable(db, "scores")
      .addColumn("id", text, key)
      .addColumn("project_id", text, (c) => c.notNull().references("projects.id"))
      .addColumn("workspace_id", text, (c) => c.notNull().references("workspaces.id").onDelete("cascade"))
      .addColumn("author_id", text, required)
      .addColumn("source", text, required)
      .addColumn("name", text, required)
      .addColumn("data_type", text, required)
      .addColumn("value", real)
      .addColumn("string_value", text)
      .addColumn("comment", text)
      .addColumn("target", text, required)
      // What was judged may be gone; the judgement stays.
      .addColumn("thread_id", text)
      .addColumn("message_id", text)
      .addColumn("run_id", text)
      .addColumn("created_at", bigint, required)
      .addColumn("updated_at", bigint, required),
  );
  await db.schema
    .createIndex("scores_once")
    .unique()
    .on("scores")
    .columns(["target", "name", "author_id"])
    .execute();
  await db.schema
    .createIndex("scores_of_project")
    .on("scores")
    .columns(["project_id", "created_at", "id"])
    .execute();
  await db.schema.createIndex("scores_of_thread").on("scores").column("thread_id").execute();
  await db.schema.createIndex("scores_of_run").on("scores").column("run_id").execute();
  await db.schema.createIndex("scores_of_author").on("scores").columns(["project_id", "author_id"]).execute();

  await createTable(
    engine,

    newTable(db, "run_reports")
      .addColumn("run_id", text, (c) => c.notNull().primaryKey().references("runs.id").onDelete("cascade"))
      .addColumn("thread_id", text, required)
      .addColumn("trace_id", text)
      .addColumn("status", text, required)
      .addColumn("outcome_type", text)
      .addColumn("error_code", text)
      .addColumn("provider", text)
      .addColumn("environment", text)
      .addColumn("release", text)
      .addColumn("tags", text, required)
      .addColumn("attributes", text, required)
      .addColumn("details", text, required),
  );
  await db.schema
    .createIndex("run_reports_once")
    .unique()
    .on("run_reports")
    .columns(["thread_id", "trace_id"])
    .where(sql<SqlBool>`trace_id is not null`)
    .execute();

  await createTable(
    engine,

    newTable(db, "events")
      .addColumn("id", text, key)
      .addColumn("project_id", text, (c) => c.notNull().references("projects.id"))
      .addColumn("workspace_id", text, (c) => c.notNull().references("workspaces.id").onDelete("cascade"))
      .addColumn("user_id", text, required)
      .addColumn("kind", text, required)
      .addColumn("thread_id", text)
      .addColumn("message_id", text)
      .addColumn("run_id", text)
      .addColumn("value", bigint)
      .addColumn("props", text)
      .addColumn("created_at", bigint, required),
  );
  await db.schema
    .createIndex("events_of_user")
    .on("events")
    .columns(["project_id", "user_id", "created_at"])
    .execute();
  await db.schema.createIndex("events_of_thread").on("events").column("thread_id").execute();

  await createTable(
    engine,

    newTable(db, "list_bookmarks")
      .addColumn("list", text, required)
      .addColumn("id", text, required)
      .addColumn("position", bigint, required)
      .addColumn("served_at", bigint, required)
      .addPrimaryKeyConstraint("list_bookmarks_key", ["list", "id"]),
    "keyed",
  );
  await db.schema.createIndex("list_bookmarks_by_age").on("list_bookmarks").column("served_at").execute();

  await createTable(
    engine,

    newTable(db, "gone_messages")
      .addColumn("thread_id", text, (c) => c.notNull().references("threads.id").onDelete("cascade"))
      .addColumn("id", text, required)
      .addColumn("height", int, required)
      .addColumn("created_at", bigint, required)
      .addColumn("gone_at", bigint, required)
      .addPrimaryKeyConstraint("gone_messages_key", ["thread_id", "id"]),
    "keyed",
  );
  await db.schema.createIndex("gone_messages_by_age").on("gone_messages").column("gone_at").execute();
}
