import type { Kysely } from "kysely";
import type { Engine } from "../database.ts";
import { columnTypes } from "./columns.ts";

/** Who made an answer that came from elsewhere, where no run tells it. */
export async function makers(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema.alterTable("messages").addColumn("made_by", columnTypes(engine).text).execute();
}
