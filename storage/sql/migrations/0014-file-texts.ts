import type { Kysely } from "kysely";
import type { Engine } from "../database.ts";
import { columnTypes, createTable, key, newTable, required } from "./columns.ts";

/** The text that files hold, kept when it was first read. It goes with the bytes that it was read from. */
export async function fileTexts(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { text, int, bigint } = columnTypes(engine);
  await createTable(
    engine,
    newTable(db, "file_texts")
      .addColumn("blob_key", text, (c) => key(c).references("blobs.key").onDelete("cascade"))
      .addColumn("reader", int, required)
      .addColumn("reason", text)
      .addColumn("text", text, required)
      .addColumn("is_cut", int, required)
      .addColumn("pages", int)
      .addColumn("created_at", bigint, required),
  );
}
