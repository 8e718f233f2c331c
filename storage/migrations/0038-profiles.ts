import { sql, type Kysely } from "kysely";
import type { Engine } from "../lib/engine.ts";
import { sqlTypes } from "./sql-types.ts";

/** Adds what people set about themselves on every device, and their pictures. */
export async function profiles(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { text, bigint, strict } = sqlTypes(engine);
  await sql`create table profiles (
    user_id ${text} not null primary key references users (id) on delete cascade,
    language ${text},
    time_zone ${text},
    default_model ${text},
    default_assistant_id ${text},
    picture_id ${text} unique,
    picture ${text},
    updated_at ${bigint} not null
  ) ${strict}`.execute(db);
}
