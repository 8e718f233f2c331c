import type { Kysely } from "kysely";
import type { Engine } from "../database.ts";
import { columnTypes, createTable, key, newTable, required } from "./columns.ts";

/** Messages that wait for their turn, and how often a question was asked again. */
export async function queue(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { text, bigint, int } = columnTypes(engine);
  await createTable(
    engine,
    newTable(db, "queued_messages")
      .addColumn("id", text, key)
      .addColumn("thread_id", text, (c) => c.notNull().references("threads.id").onDelete("cascade"))
      .addColumn("parent_id", text, required)
      .addColumn("position", bigint, required)
      .addColumn("content", text, required)
      .addColumn("model", text, required)
      .addColumn("run_id", text, (c) => c.notNull().unique())
      .addColumn("reply_id", text, (c) => c.notNull().unique())
      .addColumn("request_hash", text, required)
      .addColumn("created_by", text, required)
      .addColumn("created_at", bigint, required)
      .addColumn("updated_at", bigint, required)
      .addColumn("removed_at", bigint)
      // Who deletes a message deletes what hangs below it, and what was to hang there.
      .addForeignKeyConstraint(
        "queued_messages_parent",
        ["thread_id", "parent_id"],
        "messages",
        ["thread_id", "id"],
        (constraint) => constraint.onDelete("cascade"),
      ),
  );
  await db.schema
    .createIndex("queued_messages_in_order")
    .unique()
    .on("queued_messages")
    .columns(["thread_id", "position"])
    .execute();
  await db.schema
    .createIndex("queued_messages_by_parent")
    .on("queued_messages")
    .columns(["thread_id", "parent_id"])
    .execute();
  await db.schema
    .createIndex("queued_messages_by_creator")
    .on("queued_messages")
    .columns(["created_by", "thread_id"])
    .execute();
  await db.schema.createIndex("queued_messages_removed").on("queued_messages").column("removed_at").execute();

  await db.schema
    .alterTable("runs")
    .addColumn("asked_again", int, (c) => c.notNull().defaultTo(0))
    .execute();
}
