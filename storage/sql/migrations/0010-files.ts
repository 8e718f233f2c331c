import { sql, type Kysely } from "kysely";
import type { Engine } from "../database.ts";
import { columnTypes, createTable, key, newTable, required } from "./columns.ts";

/** Files, the bytes that they have, and which messages speak of them. */
export async function files(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { text, bigint } = columnTypes(engine);
  await createTable(
    engine,
    newTable(db, "blobs")
      .addColumn("key", text, key)
      .addColumn("workspace_id", text, required)
      .addColumn("sha256", text, required)
      .addColumn("size_bytes", bigint, required)
      .addColumn("thumbnail_key", text)
      .addColumn("created_at", bigint, required),
  );
  await db.schema.createIndex("blobs_by_hash").on("blobs").columns(["workspace_id", "sha256"]).execute();

  await createTable(
    engine,
    newTable(db, "files")
      .addColumn("id", text, key)
      .addColumn("project_id", text, (c) => c.notNull().references("projects.id"))
      .addColumn("workspace_id", text, (c) => c.notNull().references("workspaces.id"))
      .addColumn("created_by", text, required)
      .addColumn("name", text, required)
      .addColumn("secret", text, required)
      .addColumn("declared_type", text)
      .addColumn("declared_bytes", bigint)
      .addColumn("type", text)
      .addColumn("size_bytes", bigint)
      // Bytes that a file has cannot go.
      .addColumn("blob_key", text, (c) => c.references("blobs.key"))
      .addColumn("created_at", bigint, required)
      .addColumn("stored_at", bigint)
      .addColumn("claimed_at", bigint)
      .addColumn("released_at", bigint),
  );
  await db.schema
    .createIndex("files_of_person")
    .on("files")
    .columns(["workspace_id", "created_by", "created_at", "id"])
    .execute();
  await db.schema.createIndex("files_by_creator").on("files").columns(["project_id", "created_by"]).execute();
  await db.schema.createIndex("files_by_blob").on("files").column("blob_key").execute();
  await db.schema.createIndex("files_by_age").on("files").column("created_at").execute();

  await createTable(
    engine,
    newTable(db, "file_claims")
      .addColumn("file_id", text, (c) => c.notNull().references("files.id").onDelete("cascade"))
      .addColumn("message_id", text, required)
      .addColumn("thread_id", text, (c) => c.notNull().references("threads.id").onDelete("cascade"))
      .addPrimaryKeyConstraint("file_claims_key", ["file_id", "message_id"]),
    "keyed",
  );
  await db.schema.createIndex("file_claims_of_message").on("file_claims").column("message_id").execute();
  await db.schema.createIndex("file_claims_of_thread").on("file_claims").column("thread_id").execute();

  await createTable(
    engine,
    newTable(db, "blob_removals").addColumn("key", text, key).addColumn("due_at", bigint, required),
  );
  await db.schema.createIndex("blob_removals_due").on("blob_removals").column("due_at").execute();

  // Whoever deletes a message, and however, lets go of what it spoke of.
  for (const statement of engine === "postgres" ? postgresTriggers : sqliteTriggers)
    await sql.raw(statement).execute(db);
}

const sqliteTriggers = [
  `create trigger file_claims_of_messages_gone after delete on messages begin
     delete from file_claims where message_id = old.id;
   end`,
  // What is sent from a queue is a message of the same id, which speaks of the same files.
  `create trigger file_claims_of_queued_gone after delete on queued_messages begin
     delete from file_claims where message_id = old.id and not exists (select 1 from messages where id = old.id);
   end`,
];

const postgresTriggers = [
  `create function file_claims_gone() returns trigger language plpgsql as $$ begin
     delete from file_claims where message_id = old.id and not exists (select 1 from messages where id = old.id);
     return null;
   end $$`,
  ...["messages", "queued_messages"].map(
    (table) =>
      `create trigger file_claims_of_${table}_gone after delete on ${table} for each row execute function file_claims_gone()`,
  ),
];
