import type { Kysely } from "kysely";
import type { Engine } from "../database.ts";
import { columnTypes } from "./columns.ts";

/** Which tools a person lets a thread's answers use without being asked again. */
export async function allowedTools(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema.alterTable("threads").addColumn("allowed_tools", columnTypes(engine).text).execute();
}
