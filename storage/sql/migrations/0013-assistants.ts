import type { Kysely } from "kysely";
import type { Engine } from "../database.ts";
import { columnTypes, createTable, newTable, required } from "./columns.ts";

/** Assistants, who is to answer a message that waits, and what an answer's reader should know of how it was made. */
export async function assistants(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { text, bigint, int } = columnTypes(engine);
  await createTable(
    engine,
    newTable(db, "assistants")
      .addColumn("project_id", text, (c) => c.notNull().references("projects.id"))
      .addColumn("id", text, required)
      .addColumn("name", text, required)
      .addColumn("avatar", text, required)
      .addColumn("instructions", text, required)
      .addColumn("model", text)
      .addColumn("tools", text)
      .addColumn("starters", text, required)
      .addColumn("parameters", text, required)
      .addColumn("position", int, required)
      .addColumn("request_hash", text)
      .addColumn("created_at", bigint, required)
      .addColumn("updated_at", bigint, required)
      .addColumn("deleted_at", bigint)
      .addPrimaryKeyConstraint("assistants_key", ["project_id", "id"]),
  );
  await db.schema
    .alterTable("queued_messages")
    .addColumn("assistant_id", text, (c) => c.notNull().defaultTo("default"))
    .execute();
  await db.schema.alterTable("runs").addColumn("notes", text).execute();
}
