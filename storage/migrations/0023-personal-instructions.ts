import { sql, type Kysely } from "kysely";
import type { Engine } from "../lib/engine.ts";
import { sqlTypes } from "./sql-types.ts";

/** Adds what people want every assistant to know about them. */
export async function personalInstructions(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { text, bigint, strict } = sqlTypes(engine);
  await sql`create table personal_instructions (
    user_id ${text} not null primary key references users (id) on delete cascade,
    text ${text} not null,
    updated_at ${bigint} not null
  ) ${strict}`.execute(db);
}
