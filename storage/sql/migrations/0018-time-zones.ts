import type { Kysely } from "kysely";
import type { Engine } from "../database.ts";
import { columnTypes } from "./columns.ts";

/** Where the person is whose question is answered: what today is to them. */
export async function timeZones(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { text } = columnTypes(engine);
  await db.schema.alterTable("runs").addColumn("time_zone", text).execute();
  await db.schema.alterTable("queued_messages").addColumn("time_zone", text).execute();
}
